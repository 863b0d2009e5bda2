/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/stateful.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

static const int32_t length[STATEFUL_B] = {15, 17, 16};

/* The rows of all prompts and of all forced steps. */
typedef struct run {
    double prefill[STATEFUL_B][STATEFUL_T][FORMULA_VOCAB];
    double decode[STATEFUL_B][STATEFUL_N][FORMULA_VOCAB];
} run;

static int32_t tokens[STATEFUL_B][STATEFUL_T], forced[STATEFUL_B][STATEFUL_N];
/* Of placeholder tokens; 0 for others. */
static float pixel[STATEFUL_B][STATEFUL_T], deep[STATEFUL_B][STATEFUL_T];

/* sample, first token of its prompt, size of the grid in tokens: t, h, w */
enum { N_IMAGES = 3 };
static const int32_t usual_images[N_IMAGES][5] = {{0, 6, 1, 2, 2}, {1, 0, 1, 1, 3}, {1, 9, 1, 2, 1}};
static const int32_t twin_images[N_IMAGES][5] = {{0, 6, 1, 2, 2}, {1, 6, 1, 2, 2}, {1, 12, 1, 1, 1}};
static const int32_t (*images)[5] = usual_images;
enum { SIDE = 2, TOKEN_ROWS = SIDE * SIDE, N_PIXELS = 4 + 3 + 2 };

static void choose_tokens(void)
{
    for (int32_t b = 0; b < STATEFUL_B; b++) {
        for (int32_t t = 0; t < STATEFUL_T; t++)
            tokens[b][t] = t < STATEFUL_T - length[b] ? 99 : (5 * t * t + 7 * b + t) % FORMULA_VOCAB;
        for (int32_t n = 0; n < STATEFUL_N; n++) forced[b][n] = (3 * n + 4 * b + 1) % FORMULA_VOCAB;
    }
}

static void fill_row(double *row, uint32_t state, double noise)
{
    for (size_t v = 0; v < FORMULA_VOCAB; v++) row[v] = formula_logit(state, v) + (v % 2 ? noise : -noise);
}

static void fill_run(run *r, double noise)
{
    for (size_t b = 0; b < STATEFUL_B; b++) {
        uint32_t state = 0;
        const size_t padding = (size_t)(STATEFUL_T - length[b]);
        for (size_t t = 0; t < STATEFUL_T; t++) {
            for (size_t v = 0; v < FORMULA_VOCAB; v++) r->prefill[b][t][v] = (double)NAN;
            if (t < padding) continue;
            state = formula_step(state, tokens[b][t] + (int32_t)(pixel[b][t] + deep[b][t]));
            fill_row(r->prefill[b][t], state, noise);
        }
        for (size_t n = 0; n < STATEFUL_N; n++) {
            state = formula_step(state, forced[b][n]);
            fill_row(r->decode[b][n], state, noise);
        }
    }
}

static void write_float32(const char *path, const char *name, const double *wide, size_t rows)
{
    float *narrow = calloc(STATEFUL_B * rows * FORMULA_VOCAB, sizeof *narrow);
    ck_assert_ptr_nonnull(narrow);
    for (size_t i = 0; i < STATEFUL_B * rows * FORMULA_VOCAB; i++) narrow[i] = (float)wide[i];
    edit_f32(path, name, 3, (size_t[]){STATEFUL_B, rows, FORMULA_VOCAB}, narrow);
    free(narrow);
}

/* Replaces tokens by placeholders, and chooses their pixels. */
static void choose_images(void)
{
    for (size_t b = 0; b < STATEFUL_B; b++)
        for (size_t t = 0; t < STATEFUL_T; t++)
            if (tokens[b][t] == FORMULA_IMAGE) tokens[b][t]++;
    for (size_t b = 0; b < STATEFUL_B; b++)
        for (size_t n = 0; n < STATEFUL_N; n++)
            if (forced[b][n] == FORMULA_IMAGE) forced[b][n]++;
    for (size_t i = 0; i < N_IMAGES; i++) {
        const int32_t b = images[i][0], n = images[i][2] * images[i][3] * images[i][4];
        for (int32_t k = 0; k < n; k++) {
            const int32_t t = STATEFUL_T - length[b] + images[i][1] + k;
            tokens[b][t] = FORMULA_IMAGE;
            pixel[b][t] = (float)(20 + 7 * (int32_t)i + k * k);
            deep[b][t] = (float)(3 + 11 * (int32_t)i + 5 * k);
        }
    }
}

static void write_pixels(const char *path)
{
    int32_t sample[N_IMAGES], grid[N_IMAGES][3];
    float pixels[N_PIXELS * TOKEN_ROWS][2] = {0};
    size_t n = 0;
    for (size_t i = 0; i < N_IMAGES; i++) {
        sample[i] = images[i][0];
        size_t n_tokens = 1;
        for (size_t axis = 0; axis < 3; axis++) {
            n_tokens *= (size_t)images[i][2 + axis];
            grid[i][axis] = images[i][2 + axis] * (axis ? SIDE : 1);
        }
        for (size_t k = 0; k < n_tokens; k++, n++) {
            const int32_t t = STATEFUL_T - length[sample[i]] + images[i][1] + (int32_t)k;
            pixels[TOKEN_ROWS * n][0] = pixel[sample[i]][t];
            pixels[TOKEN_ROWS * n][1] = deep[sample[i]][t];
        }
    }
    ck_assert_uint_eq(n, N_PIXELS);
    edit_i32(path, "/input/image_sample", 1, (size_t[]){N_IMAGES}, sample);
    edit_i32(path, "/input/image_grid_thw", 2, (size_t[]){N_IMAGES, 3}, grid[0]);
    edit_f32(path, "/input/pixel_values", 2, (size_t[]){N_PIXELS * TOKEN_ROWS, 2}, pixels[0]);
}

/* Copies a checkpoint whose ropes allow any division of prompts, and whose images have the placeholder
 * FORMULA_IMAGE; the engine reads only its name. */
static void copy_checkpoint(const char *model, bool has_images)
{
    char command[1024];
    (void)snprintf(command, sizeof command,
                   "cp \"$top_srcdir\"/fixtures/%s/base/model/* %s && chmod u+w %s/* && "
                   "sed -i 's/\"image_token_id\": [0-9]*/\"image_token_id\": %d/' %s/config.json",
                   has_images ? "qwen3_vl" : "llama", model, model, FORMULA_IMAGE, model);
    ck_assert_int_eq(support_shell(command)->code, 0);
}

/* Gives sample 1 the tokens from index `first` to `end` - 1 of sample 0. */
static void make_twins(size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        tokens[1][STATEFUL_T - (size_t)length[1] + i] = tokens[0][STATEFUL_T - (size_t)length[0] + i];
}

/* name: of the file, and of the fault in that of its checkpoint. */
static const char *write_case(const char *name, bool has_images, bool has_twins)
{
    static run r;
    char model[128];
    (void)snprintf(model, sizeof model, "model-%s", name);
    const char *path = support_write_decoder(support_path("%s.h5", name), "logits", model);
    copy_checkpoint(model, has_images);
    choose_tokens();
    memset(pixel, 0, sizeof pixel);
    memset(deep, 0, sizeof deep);
    images = has_twins ? twin_images : usual_images;
    if (has_images) choose_images();
    if (has_twins && has_images) make_twins(0, 6);
    else if (has_twins) make_twins(4, 12);
    edit_remove(path, "/trace");
    edit_i32(path, "/input/tokens", 2, (size_t[]){STATEFUL_B, STATEFUL_T}, tokens[0]);
    edit_i32(path, "/input/length", 1, (size_t[]){STATEFUL_B}, length);
    edit_i32(path, "/input/decode", 2, (size_t[]){STATEFUL_B, STATEFUL_N}, forced[0]);
    fill_run(&r, 0);
    edit_f64(path, "/expect/truth/prefill", 3, (size_t[]){STATEFUL_B, STATEFUL_T, FORMULA_VOCAB},
             r.prefill[0][0]);
    edit_f64(path, "/expect/truth/decode", 3, (size_t[]){STATEFUL_B, STATEFUL_N, FORMULA_VOCAB},
             r.decode[0][0]);
    fill_run(&r, FORMULA_NOISE);
    write_float32(path, "/expect/float32/prefill", r.prefill[0][0], STATEFUL_T);
    write_float32(path, "/expect/float32/decode", r.decode[0][0], STATEFUL_N);
    if (has_images) write_pixels(path);
    return path;
}

const char *stateful_write(const char *fault)
{
    return write_case(fault, false, false);
}

static const char *write_images(const char *fault, bool has_twins)
{
    char name[96];
    (void)snprintf(name, sizeof name, "image%s%s", *fault ? "-" : "", fault);
    return write_case(name, true, has_twins);
}

const char *stateful_write_images(const char *fault)
{
    return write_images(fault, false);
}

const char *stateful_write_twins(const char *fault)
{
    return write_case(fault, false, true);
}

const char *stateful_write_twins_with_images(const char *fault)
{
    return write_images(fault, true);
}

/* Whether row t of the long prompt is recorded: the fault shows in the first row of a chunk. */
static bool is_listed(size_t t)
{
    return t % 64 == 0 || t + 1 == STATEFUL_LONG;
}

const char *stateful_write_long(const char *fault)
{
    enum { N_ROWS = (STATEFUL_LONG + 63) / 64 + 1 };
    static int32_t prompt[STATEFUL_LONG], listed[N_ROWS][2];
    static double truth[N_ROWS][FORMULA_VOCAB], noisy[N_ROWS][FORMULA_VOCAB];
    static float float32[N_ROWS][FORMULA_VOCAB];
    const int32_t n = STATEFUL_LONG;
    char model[128];
    uint32_t state = 0;
    size_t row = 0;
    (void)snprintf(model, sizeof model, "model-%s", fault);
    const char *path = support_write_decoder(support_path("%s.h5", fault), "logits", model);
    copy_checkpoint(model, false);
    for (int32_t t = 0; t < n; t++) {
        prompt[t] = (5 * (t % 101) * (t % 101) + t) % FORMULA_VOCAB;
        state = formula_step(state, prompt[t]);
        if (!is_listed((size_t)t)) continue;
        listed[row][1] = t;
        fill_row(truth[row], state, 0);
        fill_row(noisy[row++], state, FORMULA_NOISE);
    }
    for (size_t i = 0; i < N_ROWS; i++)
        for (size_t v = 0; v < FORMULA_VOCAB; v++) float32[i][v] = (float)noisy[i][v];
    ck_assert_uint_eq(row, N_ROWS);
    edit_remove(path, "/trace");
    edit_remove(path, "/input/decode");
    edit_remove(path, "/expect/truth/decode");
    edit_remove(path, "/expect/float32/decode");
    edit_i32(path, "/input/tokens", 2, (size_t[]){1, STATEFUL_LONG}, prompt);
    edit_i32(path, "/input/length", 1, (size_t[]){1}, &n);
    edit_i32(path, "/expect/rows", 2, (size_t[]){N_ROWS, 2}, listed[0]);
    edit_f64(path, "/expect/truth/prefill", 2, (size_t[]){N_ROWS, FORMULA_VOCAB}, truth[0]);
    edit_f32(path, "/expect/float32/prefill", 2, (size_t[]){N_ROWS, FORMULA_VOCAB}, float32[0]);
    return path;
}
