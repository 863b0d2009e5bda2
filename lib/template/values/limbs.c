/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/limbs.h"

#include <float.h>
#include <math.h>
#include <string.h>

_Static_assert(GMP_NUMB_BITS == 64, "an integer of 64 bits is one limb");

tpl_limbs tpl_limbs_of(tpl_value v, mp_limb_t *one)
{
    if (v.kind == TPL_BIG) return *v.big;
    const int64_t whole = tpl_whole(v);
    *one = whole < 0 ? 0 - (mp_limb_t)whole : (mp_limb_t)whole;
    return (tpl_limbs){.at = one, .n = *one != 0, .negative = whole < 0};
}

mp_limb_t *tpl_limbs_new(tpl *t, size_t n)
{
    if (n > TPL_BITS_MAX / GMP_NUMB_BITS) {
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "an integer of more than %zu bits is not supported",
                       TPL_BITS_MAX);
        return NULL;
    }
    return tpl_alloc(t, n, sizeof(mp_limb_t));
}

size_t tpl_limbs_used(const mp_limb_t *at, size_t n)
{
    while (n > 0 && at[n - 1] == 0) n--;
    return n;
}

tpl_value tpl_limbs_value(tpl *t, const mp_limb_t *at, size_t n, bool negative)
{
    n = tpl_limbs_used(at, n);
    if (n == 0) return tpl_int(0);
    if (n == 1 && at[0] <= (mp_limb_t)INT64_MAX + negative)
        return tpl_int(negative ? (int64_t)(0 - at[0]) : (int64_t)at[0]);
    tpl_limbs *big = tpl_alloc(t, 1, sizeof *big);
    if (!big) return (tpl_value){0};
    *big = (tpl_limbs){.at = at, .n = n, .negative = negative};
    return (tpl_value){.kind = TPL_BIG, .big = big};
}

size_t tpl_limbs_bits(const tpl_limbs *a)
{
    return a->n > 0 ? GMP_NUMB_BITS * a->n - (size_t)__builtin_clzll(a->at[a->n - 1]) : 0;
}

int tpl_limbs_compare(const tpl_limbs *a, const tpl_limbs *b)
{
    if (a->n != b->n) return a->n > b->n ? 1 : -1;
    const int order = a->n > 0 ? mpn_cmp(a->at, b->at, (mp_size_t)a->n) : 0;
    return (order > 0) - (order < 0);
}

tpl_limbs tpl_limbs_shifted(tpl *t, const tpl_limbs *a, size_t bits)
{
    const size_t whole = bits / GMP_NUMB_BITS, n = a->n + whole + 1;
    const unsigned rest = bits % GMP_NUMB_BITS;
    mp_limb_t *at = bits > 0 && a->n > 0 ? tpl_limbs_new(t, n) : NULL;
    if (!at) return *a;
    if (rest > 0) at[n - 1] = mpn_lshift(at + whole, a->at, (mp_size_t)a->n, rest);
    else memcpy(at + whole, a->at, a->n * sizeof *at);
    return (tpl_limbs){.at = at, .n = tpl_limbs_used(at, n), .negative = a->negative};
}

double tpl_limbs_real(const tpl_limbs *a, bool has_rest, int64_t exponent)
{
    if (a->n == 0) return 0;
    const unsigned empty = (unsigned)__builtin_clzll(a->at[a->n - 1]); /* bits at the high end */
    mp_limb_t top = a->at[a->n - 1] << empty;
    if (a->n > 1 && empty > 0) top |= a->at[a->n - 2] >> (GMP_NUMB_BITS - empty);
    if (a->n > 1 && empty > 0) has_rest = has_rest || a->at[a->n - 2] << empty != 0;
    else if (a->n > 1) has_rest = has_rest || a->at[a->n - 2] != 0;
    if (a->n > 2) has_rest = has_rest || tpl_limbs_used(a->at, a->n - 2) > 0;
    /* The value is top * 2^exponent; a double has 53 bits, and fewer below the smallest normal number. */
    exponent += (int64_t)(GMP_NUMB_BITS * (a->n - 1)) - empty;
    int64_t n_dropped = GMP_NUMB_BITS - DBL_MANT_DIG;
    const int64_t least = DBL_MIN_EXP - DBL_MANT_DIG;
    if (exponent + n_dropped < least) n_dropped = least - exponent;
    if (n_dropped > GMP_NUMB_BITS) return 0;
    if (exponent > DBL_MAX_EXP) return INFINITY;
    mp_limb_t kept = n_dropped < GMP_NUMB_BITS ? top >> n_dropped : 0;
    const mp_limb_t half = (mp_limb_t)1 << (n_dropped - 1), dropped = top & (half | (half - 1));
    if (dropped > half || (dropped == half && (has_rest || kept & 1))) kept++;
    return ldexp((double)kept, (int)(exponent + n_dropped));
}

tpl_limbs tpl_limbs_of_real(double whole, mp_limb_t *at)
{
    int exponent;
    const uint64_t digits = (uint64_t)ldexp(frexp(fabs(whole), &exponent), 64 - 1);
    tpl_limbs limbs = {.at = at, .negative = whole < 0};
    memset(at, 0, TPL_LIMBS_OF_REAL * sizeof *at);
    /* digits * 2^(exponent - 63), a whole number. */
    const int shift = exponent - (64 - 1);
    if (whole == 0) return limbs;
    if (shift <= 0) at[0] = shift > -64 ? digits >> -shift : 0;
    else {
        const size_t i = (size_t)shift / GMP_NUMB_BITS;
        at[i] = digits << shift % GMP_NUMB_BITS;
        if (shift % GMP_NUMB_BITS > 0 && i + 1 < TPL_LIMBS_OF_REAL)
            at[i + 1] = digits >> (GMP_NUMB_BITS - shift % GMP_NUMB_BITS);
    }
    limbs.n = tpl_limbs_used(at, TPL_LIMBS_OF_REAL);
    return limbs;
}
