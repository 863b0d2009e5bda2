/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/stored/form.h"

#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "fastpath/kernels/matmul/panels.h"
#include "model/numerics/affine.h"
#include "model/numerics/stored.h"

/* Whether the numbers of a field are the same in all columns of a group, which divides the columns. */
static bool is_constant(const assay_field *f, size_t group)
{
    const assay_layout *l = f->layout;
    for (size_t p = 0; l && p < l->n_planes; p++)
        for (size_t i = 0; i < l->planes[p].n_digits; i++) {
            const assay_digit *d = &l->planes[p].digits[i];
            if (d->index == ASSAY_INDEX_ROW || d->stride == 0) continue;
            if (d->mul != 1 || d->add != 0 || d->div % group != 0) return false;
        }
    return true;
}

/* The largest width of groups, at least `least`; 0: none. */
static size_t find_group(const assay_stored *s, size_t least)
{
    for (size_t group = AFFINE_GROUP_MAX; group >= least; group /= 2) {
        bool fits = s->n_in % group == 0;
        for (size_t i = 0; fits && i < STORED_FIELDS; i++)
            fits = i == STORED_CODES || is_constant(stored_field_at(s, i), group);
        if (fits) return group;
    }
    return 0;
}

static int32_t group_of_column(const assay_stored *s, size_t k)
{
    int32_t group;
    memcpy(&group, (const char *)s->group_of + k * sizeof group, sizeof group);
    return group;
}

/* The smallest group of any column that is larger than `after`; INT32_MAX: none. */
static int32_t next_group(const assay_stored *s, int32_t after)
{
    int32_t next = INT32_MAX;
    for (size_t k = 0; k < s->n_in; k++) {
        const int32_t group = group_of_column(s, k);
        if (group > after && group < next) next = group;
    }
    return next;
}

/* Whether no part of `group` columns in the order has columns of two groups. */
static bool divides_order(const assay_stored *s, const int32_t *order, size_t group)
{
    bool fits = s->n_in % group == 0;
    for (size_t i = 0; fits && i < s->n_in; i++)
        fits = group_of_column(s, (size_t)order[i]) == group_of_column(s, (size_t)order[i / group * group]);
    return fits;
}

size_t fp_form_order(const assay_stored *s, int32_t *order)
{
    size_t n = 0;
    int32_t group = -1;
    for (size_t parts = 0; n < s->n_in && parts < s->n_in / FP_GROUP_MIN; parts++) {
        group = next_group(s, group);
        for (size_t k = 0; k < s->n_in; k++)
            if (group_of_column(s, k) == group) order[n++] = (int32_t)k;
    }
    for (size_t width = AFFINE_GROUP_MAX; n == s->n_in && width >= FP_GROUP_MIN; width /= 2)
        if (divides_order(s, order, width)) return width;
    return 0;
}

static size_t bits_for(double largest)
{
    size_t bits = 1;
    while (bits < 9 && largest > (double)((1U << bits) - 1)) bits++;
    return bits < 9 ? bits : 0;
}

/* Twice the numbers of a table, or the numbers themselves. */
static fp_integers table_integers(const double *table, size_t n)
{
    fp_integers is = {.lowest = table[0], .highest = table[0], .factor = 1};
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(table[i]) <= 127) || 2 * table[i] != floor(2 * table[i])) return (fp_integers){0};
        if (table[i] != floor(table[i])) is.factor = 2;
        is.lowest = fmin(is.lowest, table[i]);
        is.highest = fmax(is.highest, table[i]);
    }
    is.bits = bits_for((is.highest - is.lowest) * is.factor);
    is.lowest *= is.factor;
    is.highest *= is.factor;
    return is;
}

static size_t bits_of_planes(const assay_layout *l)
{
    size_t bits = 0;
    for (size_t p = 0; p < l->n_planes; p++) bits += l->planes[p].width;
    return bits;
}

fp_integers fp_form_integers(const assay_layout *l)
{
    const size_t bits = bits_of_planes(l);
    if ((l->number != ASSAY_U8 && l->number != ASSAY_I8) || l->times != 1) return (fp_integers){0};
    if (bits == 0 || bits > 8) return (fp_integers){0};
    if (l->table) return l->minus == 0 ? table_integers(l->table, (size_t)1 << bits) : (fp_integers){0};
    const double lowest = (l->number == ASSAY_I8 ? -128 : 0) - l->minus;
    return (fp_integers){lowest, lowest + (double)((1U << bits) - 1), 1, bits};
}

fp_integers fp_form_centred(const assay_layout *l, size_t bits)
{
    fp_integers is = fp_form_integers(l);
    const double half = (double)(1U << (bits - 1));
    if (is.lowest < 0 && is.lowest >= -half && is.highest <= half - 1) is.lowest = -half;
    return is;
}

/* The significant bits of a number, at most 25. */
static int significant_bits(double x)
{
    int exponent, bits = 25;
    double fraction = ldexp(fabs(frexp(x, &exponent)), 24);
    if (x == 0 || !isfinite(x)) return 0;
    if (fraction > floor(fraction)) return bits;
    for (bits = 24; fmod(fraction, 2) == 0; fraction /= 2) bits--;
    return bits;
}

/* The most significant bits of a table's numbers. */
static int table_bits(const double *table, size_t n)
{
    int most = 0;
    for (size_t code = 0; code < n; code++) {
        const int found = significant_bits(table[code]);
        if (found > most) most = found;
    }
    return most;
}

/* The significant bits that the numbers of a field may have; INEXACT: more than float32 has. An absent field
 * is a constant. */
enum { INEXACT = 53 };
static int count_bits(const assay_field *f)
{
    static const int OF_FLOAT[] = {[ASSAY_F16] = 11, [ASSAY_BF16] = 8, [ASSAY_F32] = 24};
    const assay_layout *l = f->layout;
    if (!l) return 0;
    if (significant_bits(l->times) > 1 || l->n_planes == 0 || (l->table && l->minus != 0)) return INEXACT;
    if (l->number == ASSAY_F16 || l->number == ASSAY_BF16 || l->number == ASSAY_F32)
        return l->minus != 0 ? INEXACT : OF_FLOAT[l->number];
    const size_t bits = bits_of_planes(l);
    if (!l->table) return (int)bits + (l->minus != 0);
    return table_bits(l->table, (size_t)1 << bits);
}

/* Whether the field holds integers of at most 8 bits. */
static bool is_whole(const assay_field *f)
{
    const fp_integers is = fp_form_integers(f->layout);
    return is.bits && is.factor <= 1;
}

/* The bits of codes that index a table whose values are exact in float32; 0: they do not. */
static size_t table_form(const assay_stored *s)
{
    const assay_layout *l = s->codes.layout;
    const size_t bits = bits_of_planes(l);
    if (l->number != ASSAY_U8 || !l->table || bits == 0 || bits > 8 || l->minus != 0) return 0;
    if (s->zero.layout || s->min.layout || significant_bits(l->times) > 1) return 0;
    if (table_bits(l->table, (size_t)1 << bits) > 24) return 0;
    return bits <= 4 ? 4 : 8;
}

/* Whether a field's numbers are those of a float type, but for their sign. */
static bool is_plain(const assay_field *f, assay_dtype dtype)
{
    return f->layout && f->layout->number == dtype && f->layout->minus == 0 && fabs(f->layout->times) == 1;
}

/* The narrowest type in which all scales are exact, of codes that are divided by `factor`. */
static assay_dtype scale_type(const assay_stored *s, double factor)
{
    const assay_layout *l = s->scale.layout;
    if (s->offset.layout || s->scale2_divides) return ASSAY_F32;
    if (l && dtype_is_float((assay_dtype)l->number) && (s->scale2.layout || factor > 1)) return ASSAY_F32;
    if (is_plain(&s->scale, ASSAY_F16)) return ASSAY_F16;
    return count_bits(&s->scale) + count_bits(&s->scale2) <= 8 ? ASSAY_BF16 : ASSAY_F32;
}

/* The narrowest type in which all biases are exact; ASSAY_DTYPE_NONE: code 2^(bits - 1) stands for 0. */
static assay_dtype bias_type(const assay_stored *s, size_t bits)
{
    const double lowest = fp_form_centred(s->codes.layout, bits).lowest;
    if (s->zero.layout) return ASSAY_F32;
    if (!s->min.layout) return lowest == -(double)(1U << (bits - 1)) ? ASSAY_DTYPE_NONE : ASSAY_F32;
    return lowest == 0 && is_plain(&s->min, ASSAY_F16) && !s->min2.layout ? ASSAY_F16 : ASSAY_F32;
}

/* Whether the numbers of a field are exact in bfloat16 and its second level in float32, for each FP_SUPER
 * columns. */
static bool has_levels(const assay_field *f, const assay_field *second)
{
    const assay_layout *l = f->layout;
    return l && second->layout && !dtype_is_float((assay_dtype)l->number) && count_bits(f) <= 8 &&
           count_bits(second) <= 24 && is_constant(second, FP_SUPER);
}

/* Whether the scales and biases of groups have two levels, each of which is exact. */
static bool has_supers(const assay_stored *s, bool is_table, size_t bits)
{
    if (s->zero.layout || s->offset.layout || s->scale2_divides || s->group_of || s->n_in % FP_SUPER)
        return false;
    if (!has_levels(&s->scale, &s->scale2)) return false;
    if (is_table) return true;
    const double lowest = fp_form_centred(s->codes.layout, bits).lowest;
    return s->min.layout ? lowest == 0 && has_levels(&s->min, &s->min2)
                         : lowest == -(double)(1U << (bits - 1));
}

/* Whether integers of both signs are added up around a number other than 0, so that those of a sum cancel. */
static bool is_off_centre(const assay_stored *s, const fp_integers *is, size_t bits)
{
    if (s->zero.layout || s->min.layout || is->lowest >= 0 || is->highest <= 0) return false;
    return fp_form_centred(s->codes.layout, bits).lowest != -(double)(1U << (bits - 1));
}

bool fp_form_choose(const assay_stored *s, fp_form_rule rule, size_t group, assay_weight *out)
{
    const fp_integers is = fp_form_integers(s->codes.layout);
    const size_t table = rule == FP_FORM_ABI ? 0 : table_form(s);
    size_t bits = is.bits;
    if (s->group_of && (s->min.layout || (rule == FP_FORM_ABI && group < 32))) return false;
    if (!s->group_of) group = find_group(s, rule == FP_FORM_ABI ? 32 : FP_GROUP_MIN);
    if (!group || (!bits && !table)) return false;
    if (bits && bits < 8 && rule != FP_FORM_ABI && is_off_centre(s, &is, bits)) bits++;
    while (bits && (!affine_knows_bits(bits) || (group < 32 && bits % 2 != 0))) bits++;
    const bool is_table = table && (!bits || (rule == FP_FORM_OWN && table < bits));
    out->dtype = is_table ? FP_TABLE : ASSAY_U32;
    out->bits = is_table ? table : bits;
    out->group = group;
    if (rule != FP_FORM_ABI && has_supers(s, is_table, bits)) {
        out->dtype = is_table ? FP_TABLE_SUPERS : FP_SUPERS;
        out->scale_dtype = ASSAY_BF16;
        out->bias_dtype = s->min.layout ? ASSAY_BF16 : ASSAY_DTYPE_NONE;
        return true;
    }
    out->scale_dtype = rule == FP_FORM_ABI ? ASSAY_F32 : scale_type(s, is_table ? 1 : is.factor);
    out->bias_dtype = is_table ? ASSAY_DTYPE_NONE : rule == FP_FORM_ABI ? ASSAY_F32 : bias_type(s, bits);
    return true;
}

bool fp_form_is_plain(const assay_stored *s, assay_dtype *dtype)
{
    const assay_layout *l = s->codes.layout;
    if (s->zero.layout || s->scale.layout || s->scale2.layout || s->offset.layout || s->min.layout)
        return false;
    if (!dtype_is_float((assay_dtype)l->number) || l->n_planes != 1 || l->minus != 0 || l->times != 1)
        return false;
    *dtype = (assay_dtype)l->number;
    return true;
}

assay_stored fp_form_description(const assay_stored *s)
{
    assay_stored kept = *s;
    for (size_t i = 0; i < STORED_FIELDS; i++) stored_field_at(&kept, i)->bytes = NULL;
    kept.group_of = NULL;
    return kept;
}

const char *fp_form_misfit(const assay_stored *s, fp_form_rule rule)
{
    if (!fp_form_integers(s->codes.layout).bits && (rule == FP_FORM_ABI || !table_form(s)))
        return rule == FP_FORM_ABI ? "the kernels' groups have codes that are integers"
                                   : "its codes are neither small integers nor indices of a table";
    if (s->n_in % FP_GROUP_MIN) return "its inputs are no multiple of 16";
    if (s->group_of) return "its inputs do not divide into groups of 16";
    return rule == FP_FORM_ABI && find_group(s, FP_GROUP_MIN) ? "the kernels' groups have 32 inputs or more"
                                                              : "its scales change within 16 inputs";
}

bool fp_form_is_exact(const assay_stored *s)
{
    const fp_integers is = fp_form_integers(s->codes.layout);
    const int factor = count_bits(&s->scale) + count_bits(&s->scale2),
              min = count_bits(&s->min) + count_bits(&s->min2);
    if (s->offset.layout || s->scale2_divides || factor > 24 || min > 24) return false;
    if (!is.bits) return table_form(s) != 0;
    const double lowest = is.lowest / is.factor;
    int zero = significant_bits(lowest);
    if (s->zero.layout && (!is_whole(&s->zero) || is.factor > 1)) return false;
    if (s->zero.layout) zero = 9;
    return zero + factor <= 24 && (!s->min.layout || (!s->zero.layout && lowest == 0));
}
