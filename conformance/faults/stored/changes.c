/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/stored/stored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "model/plan/shapes.h"

/* Changes a weight in place. */
typedef void weight_change(plan *p, assay_stored *s);

typedef struct changing {
    plan *plan;
    weight_change *change;
} changing;

static void change_matrix(void *context, const char *place, const plan_weight *w, double added)
{
    const changing *is = context;
    (void)place;
    (void)added;
    if (w->data && !w->values) is->change(is->plan, &((plan_weight *)(uintptr_t)w)->stored);
}

/* Applies the change to all weights but vectors of values. */
static void change_weights(plan *p, weight_change *change)
{
    plan_visit_weights(p, change_matrix, &(changing){p, change});
}

/* Changes a layout that the field has; kept among the plan's. */
static void set_layout(plan *p, assay_field *f, const assay_layout *layout)
{
    f->layout = layouts_keep(p->layouts, layout);
    if (!f->layout) abort();
}

/* Exchanges neighbours in one digit that tells the halves of a byte. */
static void swap_halves_of(assay_plane *plane)
{
    for (size_t i = 0; i < plane->n_digits; i++) {
        assay_digit *d = &plane->digits[i];
        if (d->stride != 4 || d->index == ASSAY_INDEX_ROW) continue;
        if (d->mod == 2) {
            d->add = d->add ? 0 : d->div;
        } else if (d->mod == 0 && d->div == 1 && plane->n_digits < ASSAY_PLANE_DIGITS) {
            plane->digits[plane->n_digits++] = (assay_digit){d->index, 1, 0, 2, 0, 8};
            *d = (assay_digit){d->index, 1, 1, 1, 2, 4};
        }
        return;
    }
}

static void swap_halves(plan *p, assay_stored *s)
{
    assay_layout layout = *s->codes.layout;
    if (layout.planes[0].width != 4 || s->n_in % 2 != 0) return;
    swap_halves_of(&layout.planes[0]);
    set_layout(p, &s->codes, &layout);
}

void fault_halves_swapped(plan *p)
{
    change_weights(p, swap_halves);
}

static void reduce_zero(plan *p, assay_stored *s)
{
    if (!s->zero.layout) return;
    assay_layout layout = *s->zero.layout;
    layout.minus += 1;
    set_layout(p, &s->zero, &layout);
}

void fault_zero_less_one(plan *p)
{
    change_weights(p, reduce_zero);
}

/* Makes pairs of neighbours share the first's number: of the finest digit of that index. */
static void pair_neighbours(plan *p, assay_field *f, assay_index index)
{
    if (!f->layout || f->layout->n_planes == 0) return;
    assay_layout layout = *f->layout;
    for (size_t q = 0; q < layout.n_planes; q++) {
        assay_digit *finest = NULL;
        for (size_t i = 0; i < layout.planes[q].n_digits; i++) {
            assay_digit *d = &layout.planes[q].digits[i];
            if (d->index == index && (!finest || d->div < finest->div)) finest = d;
        }
        if (!finest || finest->mod % 2 != 0) continue;
        finest->div *= 2;
        finest->mod /= 2;
        finest->stride *= 2;
    }
    set_layout(p, f, &layout);
}

static void pair_blocks(plan *p, assay_stored *s)
{
    pair_neighbours(p, &s->scale, ASSAY_INDEX_COLUMN);
    pair_neighbours(p, &s->scale, ASSAY_INDEX_ELEMENT);
}

void fault_block_scale(plan *p)
{
    change_weights(p, pair_blocks);
}

static void pair_rows(plan *p, assay_stored *s)
{
    pair_neighbours(p, &s->scale, ASSAY_INDEX_ROW);
}

void fault_row_scale(plan *p)
{
    change_weights(p, pair_rows);
}

static void pair_super_blocks(plan *p, assay_stored *s)
{
    pair_neighbours(p, &s->scale2, ASSAY_INDEX_COLUMN);
    pair_neighbours(p, &s->scale2, ASSAY_INDEX_ROW); /* a row may have one super-block */
}

void fault_super_scale(plan *p)
{
    change_weights(p, pair_super_blocks);
}

/* The second plane of the codes, read one element later within its period. */
static void shift_high_bits(plan *p, assay_stored *s)
{
    assay_layout layout = *s->codes.layout;
    if (layout.number != ASSAY_U8 || layout.n_planes != 2) return;
    assay_plane *high = &layout.planes[1];
    for (size_t i = 0; i < high->n_digits; i++)
        if (high->digits[i].index == ASSAY_INDEX_COLUMN && high->digits[i].div == 1 && high->digits[i].mod)
            high->digits[i].add += 1;
    set_layout(p, &s->codes, &layout);
}

void fault_high_bits_shifted(plan *p)
{
    change_weights(p, shift_high_bits);
}

/* Replaces the table of codes of 4 bits. */
static void set_table(plan *p, assay_stored *s, const double table[16])
{
    assay_layout layout = *s->codes.layout;
    layout.table = layouts_keep_table(p->layouts, table, 16);
    if (!layout.table) abort();
    set_layout(p, &s->codes, &layout);
}

static void lose_signs(plan *p, assay_stored *s)
{
    double table[16];
    const assay_layout *l = s->codes.layout;
    if (!l->table || l->planes[0].width != 4) return;
    for (size_t i = 0; i < 16; i++) table[i] = fabs(l->table[i]);
    set_table(p, s, table);
}

void fault_signs_lost(plan *p)
{
    change_weights(p, lose_signs);
}

/* nf4 of bitsandbytes (functional.py, get_4bit_type), to two digits. */
static void use_nf4(plan *p, assay_stored *s)
{
    static const double NF4[16] = {-1,   -0.7, -0.53, -0.39, -0.28, -0.18, -0.09, 0,
                                   0.08, 0.16, 0.25,  0.34,  0.44,  0.56,  0.72,  1};
    if (s->codes.layout->table && s->codes.layout->planes[0].width == 4) set_table(p, s, NF4);
}

void fault_table_other(plan *p)
{
    change_weights(p, use_nf4);
}

static void multiply_global(plan *p, assay_stored *s)
{
    (void)p;
    s->scale2_divides = false;
}

void fault_global_multiplied(plan *p)
{
    change_weights(p, multiply_global);
}

/* The digits of rows and columns of a grid of blocks; false if the field is none. */
static bool find_grid(assay_layout *l, assay_digit **rows, assay_digit **cols)
{
    *rows = *cols = NULL;
    if (l->n_planes != 1) return false;
    for (size_t i = 0; i < l->planes[0].n_digits; i++) {
        assay_digit *d = &l->planes[0].digits[i];
        if (d->index == ASSAY_INDEX_ROW) *rows = d;
        if (d->index == ASSAY_INDEX_COLUMN) *cols = d;
    }
    return *rows && *cols && (*rows)->div > 1 && (*cols)->div > 1;
}

static void transpose_grid(plan *p, assay_stored *s)
{
    assay_digit *rows, *cols;
    if (!s->scale.layout) return;
    assay_layout layout = *s->scale.layout;
    if (!find_grid(&layout, &rows, &cols)) return;
    const size_t width = layout.planes[0].width, n = (s->n_out + rows->div - 1) / rows->div;
    rows->stride = width;
    cols->stride = n * width;
    set_layout(p, &s->scale, &layout);
}

void fault_grid_transposed(plan *p)
{
    change_weights(p, transpose_grid);
}

/* Blocks of the size that the shape gives if it is divided by the grid. */
static void divide_evenly(plan *p, assay_stored *s)
{
    assay_digit *rows, *cols;
    if (!s->scale.layout) return;
    assay_layout layout = *s->scale.layout;
    if (!find_grid(&layout, &rows, &cols)) return;
    const size_t n_rows = (s->n_out + rows->div - 1) / rows->div,
                 n_cols = (s->n_in + cols->div - 1) / cols->div;
    rows->div = (s->n_out + n_rows - 1) / n_rows;
    cols->div = (s->n_in + n_cols - 1) / n_cols;
    set_layout(p, &s->scale, &layout);
}

void fault_ragged_even(plan *p)
{
    change_weights(p, divide_evenly);
}

/* Groups of equal size, one after the other. */
static void ignore_groups(plan *p, assay_stored *s)
{
    int32_t group, last = 0;
    if (!s->group_of) return;
    for (size_t k = 0; k < s->n_in; k++) {
        memcpy(&group, (const char *)s->group_of + k * sizeof group, sizeof group);
        if (group > last) last = group;
    }
    assay_field *const fields[] = {&s->scale, &s->zero};
    s->group_of = NULL;
    for (size_t i = 0; i < 2; i++) {
        if (!fields[i]->layout) continue;
        assay_layout layout = *fields[i]->layout;
        for (size_t q = 0; q < layout.n_planes; q++)
            for (size_t k = 0; k < layout.planes[q].n_digits; k++)
                if (layout.planes[q].digits[k].index == ASSAY_INDEX_COLUMN)
                    layout.planes[q].digits[k].div *= s->n_in / ((size_t)last + 1);
        set_layout(p, fields[i], &layout);
    }
}

void fault_groups_in_order(plan *p)
{
    change_weights(p, ignore_groups);
}

static void forget_rows(plan *p, assay_stored *s)
{
    (void)p;
    s->n_row_digits = 0;
}

void fault_rows_permuted(plan *p)
{
    change_weights(p, forget_rows);
}

static void drop_minimum(plan *p, assay_stored *s)
{
    (void)p;
    s->min = (assay_field){0};
}

void fault_sums_missing(plan *p)
{
    const assay_stored embedding = p->embedding.stored, head = p->head.stored;
    change_weights(p, drop_minimum);
    p->embedding.stored = embedding; /* rows of it are looked up, not multiplied */
    p->head.stored = head;
}

void fault_norms_shifted_again(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) {
        p->layers[i].mixer_in.offset += 1;
        p->layers[i].mlp_in.offset += 1;
    }
}

/* Rounds an array of float32 scales in a copy, which lives as long as the process. */
static void round_scales(plan *p, assay_stored *s)
{
    static struct rounded {
        struct rounded *before;
        float scales[];
    } * latest;
    (void)p;
    if (!s->scale.layout || s->scale.layout->number != ASSAY_F32) return;
    struct rounded *kept = malloc(sizeof *kept + s->scale.n_bytes);
    if (!kept) abort();
    kept->before = latest;
    latest = kept;
    float *copy = kept->scales;
    memcpy(copy, s->scale.bytes, s->scale.n_bytes);
    for (size_t i = 0; i < s->scale.n_bytes / sizeof *copy; i++) {
        const double wide = (double)copy[i];
        uint16_t narrow;
        dtype_from_f64(&narrow, &wide, ASSAY_BF16, 1);
        copy[i] = dtype_bf16_to_f32(narrow);
    }
    s->scale.bytes = copy;
}

void fault_scales_bf16(plan *p)
{
    change_weights(p, round_scales);
}
