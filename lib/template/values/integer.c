/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/integer.h"

#include <gmp.h>
#include <math.h>
#include <string.h>

#include "template/values/limbs.h"

bool tpl_is_integer(tpl_value v)
{
    return tpl_is_whole(v) || v.kind == TPL_BIG;
}

bool tpl_integer_is_negative(tpl_value v)
{
    return v.kind == TPL_BIG ? v.big->negative : tpl_whole(v) < 0;
}

bool tpl_integer_is_odd(tpl_value v)
{
    return v.kind == TPL_BIG ? v.big->at[0] & 1 : tpl_whole(v) & 1;
}

int tpl_integer_compare(tpl_value a, tpl_value b)
{
    if (a.kind != TPL_BIG && b.kind != TPL_BIG)
        return (tpl_whole(a) > tpl_whole(b)) - (tpl_whole(a) < tpl_whole(b));
    mp_limb_t one[2];
    const tpl_limbs x = tpl_limbs_of(a, &one[0]), y = tpl_limbs_of(b, &one[1]);
    if (x.negative != y.negative) return x.negative ? -1 : 1;
    const int order = tpl_limbs_compare(&x, &y);
    return x.negative ? -order : order;
}

int tpl_integer_compare_real(tpl_value a, double b)
{
    if (isinf(b)) return b > 0 ? -1 : 1;
    const double floor_b = floor(b);
    mp_limb_t one, at[TPL_LIMBS_OF_REAL];
    const tpl_limbs x = tpl_limbs_of(a, &one), y = tpl_limbs_of_real(floor_b, at);
    int order = x.negative != y.negative ? 1 : tpl_limbs_compare(&x, &y);
    if (x.negative) order = -order;
    return order != 0 ? order : b > floor_b ? -1 : 0;
}

static tpl_value fail_zero(tpl *t)
{
    (void)tpl_fail(t, ASSAY_EFORMAT, "found a division by zero");
    return (tpl_value){0};
}

static tpl_value add(tpl *t, tpl_limbs a, tpl_limbs b)
{
    if (tpl_limbs_compare(&a, &b) < 0) {
        const tpl_limbs other = a;
        a = b, b = other;
    }
    mp_limb_t *out = tpl_limbs_new(t, a.n + 1);
    if (!out) return (tpl_value){0};
    if (b.n == 0) memcpy(out, a.at, a.n * sizeof *out);
    else if (a.negative == b.negative) out[a.n] = mpn_add(out, a.at, (mp_size_t)a.n, b.at, (mp_size_t)b.n);
    else (void)mpn_sub(out, a.at, (mp_size_t)a.n, b.at, (mp_size_t)b.n);
    return tpl_limbs_value(t, out, a.n + 1, a.negative);
}

static tpl_value multiply(tpl *t, tpl_limbs a, tpl_limbs b)
{
    if (a.n < b.n) {
        const tpl_limbs other = a;
        a = b, b = other;
    }
    if (b.n == 0) return tpl_int(0);
    mp_limb_t *out = tpl_limbs_new(t, a.n + b.n);
    if (!out || !tpl_step(t, a.n * b.n / 16)) return (tpl_value){0};
    (void)mpn_mul(out, a.at, (mp_size_t)a.n, b.at, (mp_size_t)b.n);
    return tpl_limbs_value(t, out, a.n + b.n, a.negative != b.negative);
}

/* The quotient, rounded down, and the rest, which has the sign of b. */
static tpl_value divide(tpl *t, tpl_value av, tpl_value bv, bool wants_rest)
{
    mp_limb_t one[2];
    const tpl_limbs a = tpl_limbs_of(av, &one[0]), b = tpl_limbs_of(bv, &one[1]);
    if (a.n < b.n) {
        const bool below = a.n > 0 && a.negative != b.negative;
        if (wants_rest && !below)
            return av.kind == TPL_BIG ? av : tpl_int(tpl_whole(av)); /* of a bool, an int */
        if (wants_rest) return add(t, a, b);
        return tpl_int(below ? -1 : 0);
    }
    mp_limb_t *quotient = tpl_limbs_new(t, a.n - b.n + 1), *rest = tpl_limbs_new(t, b.n);
    if (!quotient || !rest || !tpl_step(t, a.n * b.n / 16)) return (tpl_value){0};
    mpn_tdiv_qr(quotient, rest, 0, a.at, (mp_size_t)a.n, b.at, (mp_size_t)b.n);
    const tpl_value q = tpl_limbs_value(t, quotient, a.n - b.n + 1, a.negative != b.negative);
    const tpl_value r = tpl_limbs_value(t, rest, b.n, a.negative);
    if (t->status != ASSAY_OK) return (tpl_value){0};
    const bool below = (r.kind == TPL_BIG || r.whole != 0) && a.negative != b.negative;
    if (!below) return wants_rest ? r : q;
    return wants_rest ? tpl_integer_operate(t, '+', false, r, bv)
                      : tpl_integer_operate(t, '-', false, q, tpl_int(1));
}

static tpl_value power(tpl *t, tpl_value base, tpl_value exponent)
{
    tpl_value result = tpl_int(1);
    if (tpl_integer_is_negative(exponent)) {
        const double a = tpl_real(t, base), b = tpl_real(t, exponent);
        return a == 0 ? fail_zero(t) : tpl_float(pow(a, b));
    }
    if (base.kind != TPL_BIG && tpl_whole(base) >= -1 && tpl_whole(base) <= 1) {
        const bool odd = tpl_integer_is_odd(exponent),
                   zero = exponent.kind != TPL_BIG && !tpl_whole(exponent);
        return tpl_int(zero || (tpl_whole(base) == -1 && !odd) ? 1 : tpl_whole(base));
    }
    if (exponent.kind == TPL_BIG || tpl_whole(exponent) > (int64_t)TPL_BITS_MAX) {
        (void)tpl_limbs_new(t, SIZE_MAX);
        return result;
    }
    for (int64_t rest = tpl_whole(exponent); rest > 0 && t->status == ASSAY_OK; rest /= 2) {
        if (rest % 2) result = tpl_integer_operate(t, '*', false, result, base);
        if (rest > 1) base = tpl_integer_operate(t, '*', false, base, base);
    }
    return result;
}

/* a / b as the nearest double. */
static tpl_value quotient(tpl *t, tpl_limbs a, tpl_limbs b)
{
    const int64_t shift = 66 - ((int64_t)tpl_limbs_bits(&a) - (int64_t)tpl_limbs_bits(&b));
    const tpl_limbs dividend = tpl_limbs_shifted(t, &a, shift > 0 ? (size_t)shift : 0);
    const tpl_limbs divisor = tpl_limbs_shifted(t, &b, shift < 0 ? (size_t)-shift : 0);
    if (t->status != ASSAY_OK || a.n == 0) return tpl_float(a.n == 0 && b.negative ? -0.0 : 0.0);
    mp_limb_t *q = tpl_limbs_new(t, dividend.n - divisor.n + 1), *rest = tpl_limbs_new(t, divisor.n);
    if (!q || !rest || !tpl_step(t, dividend.n * divisor.n / 16)) return (tpl_value){0};
    mpn_tdiv_qr(q, rest, 0, dividend.at, (mp_size_t)dividend.n, divisor.at, (mp_size_t)divisor.n);
    const tpl_limbs found = {.at = q, .n = tpl_limbs_used(q, dividend.n - divisor.n + 1)};
    const double real = tpl_limbs_real(&found, tpl_limbs_used(rest, divisor.n) > 0, -shift);
    if (isinf(real)) (void)tpl_fail(t, ASSAY_EFORMAT, "/: the result is too large for a float");
    return tpl_float(a.negative != b.negative ? -real : real);
}

tpl_value tpl_integer_operate(tpl *t, char c, bool twice, tpl_value av, tpl_value bv)
{
    int64_t small = 0;
    const bool fits = av.kind != TPL_BIG && bv.kind != TPL_BIG;
    const int64_t x = fits ? tpl_whole(av) : 0, y = fits ? tpl_whole(bv) : 0;
    if (fits && ((c == '+' && !__builtin_add_overflow(x, y, &small)) ||
                 (c == '-' && !__builtin_sub_overflow(x, y, &small)) ||
                 (c == '*' && !twice && !__builtin_mul_overflow(x, y, &small))))
        return tpl_int(small);
    if (c == '*' && twice) return power(t, av, bv);
    mp_limb_t one[2];
    const tpl_limbs a = tpl_limbs_of(av, &one[0]);
    tpl_limbs b = tpl_limbs_of(bv, &one[1]);
    if (c == '-') b.negative = !b.negative;
    if (c == '+' || c == '-') return add(t, a, b);
    if (c == '*') return multiply(t, a, b);
    if (b.n == 0) return fail_zero(t);
    return c == '/' && !twice ? quotient(t, a, b) : divide(t, av, bv, c == '%');
}

double tpl_integer_real(tpl_value v)
{
    if (v.kind != TPL_BIG) return (double)tpl_whole(v);
    const double size = tpl_limbs_real(v.big, false, 0);
    return v.big->negative ? -size : size;
}

double tpl_real(tpl *t, tpl_value v)
{
    const double real = v.kind == TPL_FLOAT ? v.real : tpl_integer_real(v);
    if (v.kind != TPL_FLOAT && isinf(real))
        (void)tpl_fail(t, ASSAY_EFORMAT, "found an integer that is too large for a float");
    return real;
}

int64_t tpl_index(tpl_value v)
{
    if (v.kind != TPL_BIG) return tpl_whole(v);
    return v.big->negative ? INT64_MIN : INT64_MAX;
}

tpl_value tpl_integer_truncated(tpl *t, double real)
{
    if (fabs(real) < 0x1p63) return tpl_int((int64_t)real);
    mp_limb_t *at = tpl_limbs_new(t, TPL_LIMBS_OF_REAL);
    if (!at) return (tpl_value){0};
    const tpl_limbs limbs = tpl_limbs_of_real(trunc(real), at);
    return tpl_limbs_value(t, at, limbs.n, limbs.negative);
}

static unsigned char digit_value(char c)
{
    return (unsigned char)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

tpl_value tpl_integer_parse(tpl *t, assay_text digits, int base, bool negative)
{
    while (digits.n > 1 && digits.at[0] == '0') digits.at++, digits.n--;
    /* 36 < 2^6: six bits of a digit are enough. */
    if (digits.n > TPL_BITS_MAX) {
        (void)tpl_limbs_new(t, SIZE_MAX);
        return (tpl_value){0};
    }
    unsigned char *values = tpl_alloc(t, digits.n + 1, 1);
    mp_limb_t *at = tpl_limbs_new(t, digits.n * 6 / GMP_NUMB_BITS + 2);
    if (!values || !at || !tpl_step(t, digits.n * digits.n / 4096)) return (tpl_value){0};
    for (size_t i = 0; i < digits.n; i++) values[i] = digit_value(digits.at[i]);
    const mp_size_t n = digits.n > 0 ? mpn_set_str(at, values, digits.n, base) : 0;
    return tpl_limbs_value(t, at, (size_t)n, negative);
}

assay_text tpl_integer_digits(tpl *t, tpl_value v, int base)
{
    mp_limb_t one;
    const tpl_limbs limbs = tpl_limbs_of(v, &one);
    const assay_text none = {.at = "0", .n = 1};
    const size_t most = tpl_limbs_bits(&limbs) + 1;
    unsigned char *digits = tpl_alloc(t, most + 1, 1);
    mp_limb_t *copy = tpl_limbs_new(t, limbs.n + 1);
    if (!digits || !copy || limbs.n == 0 || !tpl_step(t, limbs.n * limbs.n / 16)) return none;
    memcpy(copy, limbs.at, limbs.n * sizeof *copy);
    const size_t n = mpn_get_str(digits, base, copy, (mp_size_t)limbs.n);
    size_t zeros = 0;
    while (zeros + 1 < n && digits[zeros] == 0) zeros++;
    for (size_t i = zeros; i < n; i++)
        digits[i] = (unsigned char)"0123456789abcdefghijklmnopqrstuvwxyz"[digits[i]];
    if (base == 10 && n - zeros > TPL_DIGITS_MAX)
        (void)tpl_fail(t, ASSAY_EFORMAT, "an integer of %zu digits as a text: expected at most %zu",
                       n - zeros, TPL_DIGITS_MAX);
    return (assay_text){.at = (const char *)digits + zeros, .n = n - zeros};
}
