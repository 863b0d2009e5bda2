/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/stateful.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

static const int32_t length[STATEFUL_B] = {15, 17, 16};

/* The rows of all prompts and of all forced steps. */
typedef struct run {
    double prefill[STATEFUL_B][STATEFUL_T][FORMULA_VOCAB];
    double decode[STATEFUL_B][STATEFUL_N][FORMULA_VOCAB];
} run;

static int32_t tokens[STATEFUL_B][STATEFUL_T], forced[STATEFUL_B][STATEFUL_N];

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
            state = formula_step(state, tokens[b][t]);
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

/* Copies a checkpoint whose ropes allow any division of prompts; the engine reads only its name. */
static void copy_checkpoint(const char *model)
{
    char command[512];
    (void)snprintf(command, sizeof command,
                   "cp \"$top_srcdir\"/fixtures/llama/base/model/* %s && chmod u+w %s/*", model, model);
    ck_assert_int_eq(support_shell(command)->code, 0);
}

const char *stateful_write(const char *fault)
{
    static run r;
    char model[128];
    (void)snprintf(model, sizeof model, "model-%s", fault);
    const char *path = support_write_decoder(support_path("%s.h5", fault), "logits", model);
    copy_checkpoint(model);
    choose_tokens();
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
    return path;
}
