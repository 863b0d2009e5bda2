/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/groups.h"

#include <string.h>

static size_t digit_bits(const assay_digit *d, size_t x)
{
    const size_t value = (x * d->mul + d->add) / d->div;
    return (d->mod ? value % d->mod : value) * d->stride;
}

/* Where the number of column k is: the bit at which each plane begins. */
static void find_bits(const assay_stored *s, const assay_field *f, size_t row, size_t k,
                      size_t bit[ASSAY_LAYOUT_PLANES])
{
    for (size_t p = 0; p < f->layout->n_planes; p++) {
        const assay_plane *plane = &f->layout->planes[p];
        bit[p] = plane->base;
        for (size_t i = 0; i < plane->n_digits; i++) {
            const assay_digit *d = &plane->digits[i];
            if (d->index == ASSAY_INDEX_COLUMN) bit[p] += digit_bits(d, k);
            else if (d->index == ASSAY_INDEX_ELEMENT) bit[p] += digit_bits(d, row * s->n_in + k);
        }
    }
}

/* Whether columns k - 1 and k have one number of the field. */
static bool shares(const assay_stored *s, const assay_field *f, size_t row, size_t k)
{
    size_t before[ASSAY_LAYOUT_PLANES] = {0}, here[ASSAY_LAYOUT_PLANES] = {0};
    if (!f->layout) return true;
    find_bits(s, f, row, k - 1, before);
    find_bits(s, f, row, k, here);
    return memcmp(before, here, sizeof here) == 0;
}

/* The stored row of output `row`. */
static size_t stored_row(const assay_stored *s, size_t row)
{
    size_t at = s->first_row + (s->n_row_digits ? 0 : row);
    for (size_t i = 0; i < s->n_row_digits; i++) at += digit_bits(&s->row_digits[i], row);
    return at;
}

size_t conf_groups_read(const assay_stored *s, size_t row, size_t *group)
{
    const size_t at = stored_row(s, row);
    size_t n = 0;
    for (size_t k = 0; k < s->n_in; k++) {
        if (s->group_of) {
            int32_t listed;
            memcpy(&listed, (const char *)s->group_of + k * sizeof listed, sizeof listed);
            group[k] = (size_t)listed;
            if (group[k] >= n) n = group[k] + 1;
            continue;
        }
        if (k == 0 || !shares(s, &s->scale, at, k) || !shares(s, &s->zero, at, k) ||
            !shares(s, &s->min, at, k) || !shares(s, &s->offset, at, k))
            n++;
        group[k] = n - 1;
    }
    return n;
}

static bool depends_on_element(const assay_field *f)
{
    for (size_t p = 0; f->layout && p < f->layout->n_planes; p++)
        for (size_t i = 0; i < f->layout->planes[p].n_digits; i++)
            if (f->layout->planes[p].digits[i].index == ASSAY_INDEX_ELEMENT) return true;
    return false;
}

bool conf_groups_are_regular(const assay_stored *s)
{
    return !depends_on_element(&s->scale) && !depends_on_element(&s->zero) && !depends_on_element(&s->min);
}

size_t conf_groups_width(const assay_stored *s, const assay_field *field)
{
    size_t most = 0, run = 1;
    for (size_t k = 1; k <= s->n_in; k++, run++) {
        if (k < s->n_in && shares(s, field, stored_row(s, 0), k)) continue;
        if (run > most) most = run;
        run = 0;
    }
    return most < s->n_in ? most : 0;
}
