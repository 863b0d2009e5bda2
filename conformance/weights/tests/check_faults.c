/* Planted faults of quantised checkpoints, each named; and sound conversions, which pass.
 *
 * The original is the fixture's values with noise as large as rounding; the fault is planted in a copy of the
 * fixture's bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "conformance/weights/compare.h"
#include "conformance/weights/rounding.h"
#include "model/loader.h"
#include "model/plan/shapes.h"
#include "model/tests/weight.h"

/* Changes the bytes of a field of w, which are a copy, or where the field is. */
typedef void plant_fn(plan *p, plan_weight *w);

/* Memory to which planted weights point: it lives as long as the process, which each test has of its own. */
static void *keep_memory(size_t n)
{
    static struct kept {
        struct kept *before;
        double bytes[];
    } * latest;
    struct kept *kept = malloc(sizeof *kept + n);
    ck_assert_ptr_nonnull(kept);
    kept->before = latest;
    latest = kept;
    return kept->bytes;
}

static unsigned char *bytes_of(assay_field *f)
{
    unsigned char *copy = keep_memory(f->n_bytes);
    memcpy(copy, f->bytes, f->n_bytes);
    f->bytes = copy;
    return copy;
}

static void halves_of_bytes(plan *p, plan_weight *w)
{
    (void)p;
    assay_field *f = &w->stored.codes;
    unsigned char *b = bytes_of(f);
    const bool is_block = f->layout->planes[0].base == 16; /* Q4_0: 2 bytes of scale, 16 of codes */
    for (size_t i = 0; i < f->n_bytes; i++)
        if (!is_block || i % 18 >= 2) b[i] = (unsigned char)(b[i] << 4 | b[i] >> 4);
}

/* The scale of each block of Q4_0 becomes that of the block before it. */
static void neighbour(plan *p, plan_weight *w)
{
    (void)p;
    unsigned char *b = bytes_of(&w->stored.scale);
    const size_t row = w->cols / 32 * 18;
    for (size_t r = 0; r < w->rows; r++)
        for (size_t i = row - 18; i > 0; i -= 18) memcpy(&b[r * row + i], &b[r * row + i - 18], 2);
}

/* The block at the end of row 3 alone has 16 times its scale. */
static void one_block(plan *p, plan_weight *w)
{
    (void)p;
    unsigned char *b = bytes_of(&w->stored.scale);
    b[4 * (w->cols / 32 * 18) - 18 + 1] = (unsigned char)(b[4 * (w->cols / 32 * 18) - 18 + 1] + 16);
}

static void zeros(plan *p, plan_weight *w)
{
    (void)p;
    assay_layout *l = keep_memory(sizeof *l);
    *l = *w->stored.zero.layout;
    l->minus -= 1;
    w->stored.zero.layout = l;
}

/* The fifth bit of column k of Q5_0 is that of column k + 16. */
static void high_bits(plan *p, plan_weight *w)
{
    (void)p;
    unsigned char *b = bytes_of(&w->stored.codes);
    for (size_t i = 0; i < w->stored.codes.n_bytes; i += 22) {
        unsigned char moved[2];
        memcpy(moved, &b[i + 2], 2);
        memcpy(&b[i + 2], &b[i + 4], 2);
        memcpy(&b[i + 4], moved, 2);
    }
}

/* e2m1 without its sign. */
static void signs(plan *p, plan_weight *w)
{
    (void)p;
    unsigned char *b = bytes_of(&w->stored.codes);
    for (size_t i = 0; i < w->stored.codes.n_bytes; i++) b[i] &= 0x77;
}

static void no_pairs(plan *p, plan_weight *w)
{
    (void)p;
    ck_assert_uint_gt(w->stored.n_row_digits, 0);
    w->stored.n_row_digits = 0;
}

static void swapped(plan *p, plan_weight *w)
{
    plan_weight *other = &p->layers[1].mlp.up.weight;
    const plan_weight kept = *w;
    *w = *other;
    *other = kept;
}

static void global_scale(plan *p, plan_weight *w)
{
    (void)p;
    w->stored.scale2_divides = !w->stored.scale2_divides;
}

/* Row r has the codes of column r: those of a square matrix of Q8_0, without its scales. */
static void transposed(plan *p, plan_weight *w)
{
    (void)p;
    double *values = keep_memory(w->rows * w->cols * sizeof *values);
    double *turned = keep_memory(w->rows * w->cols * sizeof *turned);
    conf_stored_rows(&w->stored, 0, w->rows, values);
    for (size_t i = 0; i < w->rows * w->cols; i++) turned[i] = values[i % w->rows * w->cols + i / w->rows];
    *w = weight_of(turned, ASSAY_F64, w->rows, w->cols);
}

static void scaled(plan *p, plan_weight *w)
{
    (void)p;
    assay_layout *l = keep_memory(sizeof *l);
    *l = *w->stored.codes.layout;
    l->times *= 0.5;
    w->stored.codes.layout = l;
}

/* Row r is multiplied by 2^(r % 3): the exponents of its scales are in bits 2 to 6 of their second bytes. */
static void rows_scaled(plan *p, plan_weight *w)
{
    (void)p;
    unsigned char *b = bytes_of(&w->stored.scale);
    const size_t row = w->cols / 32 * 18;
    for (size_t r = 0; r < w->rows; r++)
        for (size_t i = 0; i < row; i += 18)
            b[r * row + i + 1] = (unsigned char)(b[r * row + i + 1] + r % 3 * 4);
}

/* Each code may be one off: an error as large as that of GPTQ's compensation, without a cause. */
static void compensated(plan *p, plan_weight *w)
{
    (void)p;
    unsigned char *b = bytes_of(&w->stored.codes);
    unsigned state = 7;
    for (size_t i = 0; i < w->stored.codes.n_bytes; i++) {
        state = state * 1664525 + 1013904223;
        if (i % 18 >= 2) b[i] ^= state >> 24 & 0x11;
    }
}

static void norm_plus_one(plan *p, plan_weight *w)
{
    (void)w;
    p->layers[0].mixer_in.offset += 1;
}

static void missing(plan *p, plan_weight *w)
{
    (void)w;
    p->layers[0].mixer.attention.q.bias = (plan_weight){0};
}

typedef struct fault_row {
    const char *fixture;
    plant_fn *plant; /* NULL: sound */
    bool of_query;   /* the weight: layers[0]'s q, otherwise its up */
    const char *fault;
} fault_row;

static const fault_row ROWS[] = {
    {"llama/gguf-q4_0", NULL, false, ""},
    {"llama/gptq-4bit-act", NULL, false, ""},
    {"llama/gguf-q4_k_m", NULL, false, ""},
    {"llama/awq", NULL, false, ""},
    {"qwen3/ct-nvfp4", NULL, false, ""},
    {"llama/gguf-q4_0", halves_of_bytes, false, "the halves of bytes are swapped"},
    {"llama/gptq-4bit-act", halves_of_bytes, false, "the halves of bytes are swapped"},
    {"llama/awq", halves_of_bytes, false, "the halves of bytes are swapped"},
    {"qwen3/ct-nvfp4", halves_of_bytes, false, "the halves of bytes are swapped"},
    {"llama/gguf-q4_0", neighbour, false, "blocks have the scale of the block before them"},
    {"llama/gguf-q4_0", one_block, false, "multiplied by 15.9847; in row 3, columns 32 to 63"},
    {"llama/awq", zeros, false, "zero points are one too large"},
    {"llama/gptq-4bit-act", zeros, false, "zero points are one too large"},
    {"llama/gptq-2bit", zeros, false, "zero points are one too large"},
    {"llama/gptq-8bit-v2", zeros, false, "zero points are one too large"},
    {"llama/gguf-q5_0", high_bits, false, "high bits of codes are shifted by 16 columns"},
    {"qwen3/ct-nvfp4", signs, false, "signs are lost"},
    {"llama/gguf-q4_0", no_pairs, true, "rows of heads of 16 are in pairs"},
    {"llama/gguf-q4_0", swapped, false,
     "has the values of layers.1.mlp.up, model.layers.1.mlp.up_proj.weight"},
    {"qwen3/ct-nvfp4", global_scale, false, "the global scale is multiplied with where it divides"},
    {"llama/gguf-q8_0", transposed, false, "transposed"},
    {"llama/gguf-q8_0", transposed, true, "transposed"},
    {"llama/gguf-q4_0", scaled, false, "multiplied by 0.497"},
    {"llama/gguf-q4_0", rows_scaled, false, "rows are multiplied by factors from 0.9"},
    {"llama/gguf-q4_0", compensated, false, ""},
    {"gemma/gguf-q8_0", norm_plus_one, false, "1 is added to every number"},
    {"qwen2/gguf-q8_0", missing, false, ""},
};

/* Replaces matrices by their values in float32, with noise as large as the format's rounding. */
static void widen(void *context, const char *place, const plan_weight *w, double added)
{
    static unsigned state = 1;
    (void)context, (void)place, (void)added;
    plan_weight *to = (plan_weight *)(uintptr_t)w;
    if (!w->data || w->values) return;
    float *values = keep_memory(w->rows * w->cols * sizeof *values);
    double *row = malloc(w->cols * sizeof *row);
    const char *name = w->name;
    conf_levels levels;
    conf_levels_read(&w->stored, &levels);
    const double noise = levels.n ? 1.0 / (double)levels.n : 1e-3;
    for (size_t r = 0; r < w->rows; r++) {
        double sum = 0;
        conf_stored_rows(&w->stored, r, 1, row);
        for (size_t k = 0; k < w->cols; k++) sum += row[k] * row[k];
        for (size_t k = 0; k < w->cols; k++) {
            state = state * 1664525 + 1013904223;
            const double uniform = (double)(state >> 8) / (1 << 23) - 1;
            values[r * w->cols + k] = (float)(row[k] + sqrt(3 * sum / (double)w->cols) * noise * uniform);
        }
    }
    *to = weight_of(values, ASSAY_F32, w->rows, w->cols);
    to->name = name;
    free(row);
}

static plan *open_model(const char *fixture)
{
    char path[1024];
    plan *p = NULL;
    assay_error err = {0};
    (void)snprintf(path, sizeof path, "%s/fixtures/%s/model/model.gguf", getenv("top_srcdir"), fixture);
    if (!strstr(fixture, "gguf"))
        (void)snprintf(path, sizeof path, "%s/fixtures/%s/model", getenv("top_srcdir"), fixture);
    ck_assert_msg(plan_open(path, &p, &err) == ASSAY_OK, "%s", err.text);
    return p;
}

START_TEST(a_planted_fault_is_named)
{
    const fault_row *row = &ROWS[_i];
    plan *original = open_model(row->fixture), *stored = open_model(row->fixture);
    plan_layer *layer = &stored->layers[0];
    plan_weight *w = row->of_query ? &layer->mixer.attention.q.weight : &layer->mlp.up.weight;
    conf_weight_comparison c;
    assay_error err = {0};
    plan_visit_weights(original, widen, NULL);
    if (row->plant) row->plant(stored, w);
    ck_assert_msg(conf_weights_compare(original, stored, &c, &err) == ASSAY_OK, "%s", err.text);
    const size_t n = !row->plant || row->plant == compensated ? 0 : row->plant == swapped ? 2 : 1;
    ck_assert_msg(c.n_wrong == n, "%s: %zu wrong, the first %s: %.3g, %.3g, %s", row->fixture, c.n_wrong,
                  c.pairs[0].original.place, c.pairs[0].error.multiple, c.pairs[0].error.group_multiple,
                  c.pairs[0].fault);
    bool is_named = !*row->fault;
    for (size_t i = 0; i < n; i++) is_named = is_named || strstr(c.pairs[i].fault, row->fault);
    ck_assert_msg(is_named, "%s: found '%s', expected '%s'", row->fixture, c.pairs[0].fault, row->fault);
    if (row->plant == missing) ck_assert_int_eq(c.pairs[0].state, CONF_WEIGHT_MISSING);
    if (row->plant == compensated) ck_assert(!conf_weight_is_sound(&c.pairs[0].error));
    conf_weights_free(&c);
    plan_free(original);
    plan_free(stored);
}
END_TEST

/* The factor of input k that a converter has moved. */
static double moved(size_t k)
{
    return 0.5 + (double)(k * 7 % 13) / 4;
}

/* Multiplies the numbers of a widened weight, or of a vector, by the factors of its rows or columns. */
static void multiply(plan_weight *w, bool rows, bool inverse)
{
    float *values = (float *)(uintptr_t)w->stored.codes.bytes;
    double *vector = w->values ? (double *)(uintptr_t)array_data(w->values) : NULL;
    for (size_t i = 0; i < w->rows * w->cols; i++) {
        const double by = moved(rows ? i / w->cols : i % w->cols), factor = inverse ? 1 / by : by;
        if (vector) vector[i] *= factor;
        else values[i] = (float)(values[i] * factor);
    }
}

/* The stored model is the original with scales moved as AWQ does: from the norms into the matrices that read
 * them, and between up and down. left_out: gate's columns are not multiplied. */
static void move_scales(plan *original, bool left_out)
{
    plan_layer *l = &original->layers[0];
    plan_attention *a = &l->mixer.attention;
    plan_weight *const readers[] = {&a->q.weight, &a->k.weight, &a->v.weight, &l->mlp.up.weight,
                                    left_out ? NULL : &l->mlp.gate.weight};
    multiply(&l->mixer_in.weight, false, false);
    multiply(&l->mlp_in.weight, false, false);
    for (size_t i = 0; i < 5; i++)
        if (readers[i]) multiply(readers[i], false, true);
    multiply(&l->mlp.up.weight, true, false);
    multiply(&l->mlp.down.weight, false, true);
}

START_TEST(moved_scales_are_found)
{
    plan *original = open_model("llama/gguf-q4_0"), *stored = open_model("llama/gguf-q4_0");
    conf_weight_comparison c;
    assay_error err = {0};
    size_t n_moved = 0;
    plan_visit_weights(original, widen, NULL);
    move_scales(original, _i == 1);
    ck_assert_msg(conf_weights_compare(original, stored, &c, &err) == ASSAY_OK, "%s", err.text);
    for (size_t i = 0; i < c.n; i++) n_moved += *c.pairs[i].scaled_with != '\0';
    if (_i == 0)
        ck_assert_msg(c.n_wrong == 0 && n_moved == 8, "%zu wrong, %zu moved, %s: %.3g: %s", c.n_wrong,
                      n_moved, c.pairs[0].original.place, c.pairs[0].error.multiple, c.pairs[0].fault);
    else {
        bool norm_is_wrong = false;
        for (size_t i = 0; i < c.n_wrong; i++)
            norm_is_wrong = norm_is_wrong || strcmp(c.pairs[i].original.place, "layers.0.mlp_in") == 0;
        ck_assert(norm_is_wrong);
    }
    conf_weights_free(&c);
    plan_free(original);
    plan_free(stored);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("weights/faults");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, a_planted_fault_is_named, 0, (int)(sizeof ROWS / sizeof *ROWS));
    tcase_add_loop_test(all, moved_scales_are_found, 0, 2);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
