/* Writes recorded cases of the formula model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

static const int32_t length[CASE_B] = {3, 5};

/* Prompts, left-padded; padding holds an id outside the vocabulary, which engines must not read. */
static int32_t tokens[CASE_B][CASE_T] = {{99, 99, 0, 2, 3}, {0, 5, 6, 7, 8}};

static uint32_t state_after_prompt(size_t b)
{
    uint32_t state = 0;
    for (size_t t = (size_t)(CASE_T - length[b]); t < CASE_T; t++) state = formula_step(state, tokens[b][t]);
    return state;
}

/* The step at which greedy generation of sample b returns the stop id; CASE_M if it does not. */
static size_t stop_step(size_t b)
{
    uint32_t state = state_after_prompt(b);
    for (size_t k = 0; k < CASE_M; k++) {
        int32_t best = formula_best(state);
        if (best == FORMULA_STOP) return k;
        state = formula_step(state, best);
    }
    return CASE_M;
}

/* Chooses prompts so that sample 0 stops at its third token and sample 1 at the limit: both ways of
 * ending are recorded. */
static void choose_prompts(void)
{
    for (int32_t id = 0; id < FORMULA_VOCAB * FORMULA_VOCAB; id++) {
        tokens[0][2] = id / FORMULA_VOCAB;
        tokens[0][4] = id % FORMULA_VOCAB;
        if (stop_step(0) == 2) break;
    }
    for (tokens[1][0] = 0; stop_step(1) != CASE_M && tokens[1][0] < FORMULA_VOCAB - 1; tokens[1][0]++)
        continue;
    ck_assert_uint_eq(stop_step(0), 2);
    ck_assert_uint_eq(stop_step(1), CASE_M);
}

/* Writes a run that differs from the truth by `noise` everywhere, with alternating signs. */
static void write_run(const char *path, const char *run, double noise)
{
    static float prefill[CASE_B][CASE_T][FORMULA_VOCAB], decode[CASE_B][CASE_N][FORMULA_VOCAB];
    char name[64];
    for (size_t b = 0; b < CASE_B; b++) {
        uint32_t state = 0;
        for (size_t t = 0; t < CASE_T; t++) {
            bool padding = t < (size_t)(CASE_T - length[b]);
            if (!padding) state = formula_step(state, tokens[b][t]);
            for (size_t v = 0; v < FORMULA_VOCAB; v++)
                prefill[b][t][v] =
                    padding ? NAN : (float)(formula_logit(state, v) + (v % 2 ? noise : -noise));
        }
        for (size_t n = 0; n < CASE_N; n++) {
            state = formula_step(state, formula_best(state));
            for (size_t v = 0; v < FORMULA_VOCAB; v++)
                decode[b][n][v] = (float)(formula_logit(state, v) + (v % 2 ? noise : -noise));
        }
    }
    (void)snprintf(name, sizeof name, "/expect/%s/prefill", run);
    edit_f32(path, name, 3, (size_t[]){CASE_B, CASE_T, FORMULA_VOCAB}, prefill[0][0]);
    (void)snprintf(name, sizeof name, "/expect/%s/decode", run);
    edit_f32(path, name, 3, (size_t[]){CASE_B, CASE_N, FORMULA_VOCAB}, decode[0][0]);
}

void support_write_narrow(const char *path, const char *run)
{
    write_run(path, run, FORMULA_NARROW);
}

static void write_logits(const char *path)
{
    static double prefill[CASE_B][CASE_T][FORMULA_VOCAB], decode[CASE_B][CASE_N][FORMULA_VOCAB];
    int32_t forced[CASE_B][CASE_N];
    for (size_t b = 0; b < CASE_B; b++) {
        uint32_t state = 0;
        for (size_t t = 0; t < CASE_T; t++) {
            bool padding = t < (size_t)(CASE_T - length[b]);
            if (!padding) state = formula_step(state, tokens[b][t]);
            for (size_t v = 0; v < FORMULA_VOCAB; v++)
                prefill[b][t][v] = padding ? (double)NAN : formula_logit(state, v);
        }
        for (size_t n = 0; n < CASE_N; n++) {
            forced[b][n] = formula_best(state);
            state = formula_step(state, forced[b][n]);
            for (size_t v = 0; v < FORMULA_VOCAB; v++) decode[b][n][v] = formula_logit(state, v);
        }
    }
    edit_i32(path, "/input/decode", 2, (size_t[]){CASE_B, CASE_N}, forced[0]);
    edit_f64(path, "/expect/truth/prefill", 3, (size_t[]){CASE_B, CASE_T, FORMULA_VOCAB}, prefill[0][0]);
    edit_f64(path, "/expect/truth/decode", 3, (size_t[]){CASE_B, CASE_N, FORMULA_VOCAB}, decode[0][0]);
    write_run(path, "float32", FORMULA_NOISE);
}

static void write_greedy(const char *path)
{
    int32_t greedy[CASE_B][CASE_M];
    memset(greedy, -1, sizeof greedy);
    for (size_t b = 0; b < CASE_B; b++) {
        uint32_t state = state_after_prompt(b);
        for (size_t k = 0; k < CASE_M && (k == 0 || greedy[b][k - 1] != FORMULA_STOP); k++) {
            greedy[b][k] = formula_best(state);
            state = formula_step(state, greedy[b][k]);
        }
    }
    edit_i32(path, "/expect/tokens", 2, (size_t[]){CASE_B, CASE_M}, greedy[0]);
    edit_texts(path, "/expect/finish", CASE_B, (const char *const[]){"stop", "length"});
}

static void write_traces(const char *path)
{
    static const char *const names[] = {"/trace/embed", "/trace/layer.00.out"};
    for (size_t layer = 0; layer < 2; layer++) {
        double value[3][FORMULA_WIDTH];
        uint32_t state = 0;
        for (size_t t = 0; t < 3; t++) {
            state = formula_step(state, tokens[0][2 + t]);
            for (size_t d = 0; d < FORMULA_WIDTH; d++) value[t][d] = formula_trace(state, layer, d);
        }
        edit_f64(path, names[layer], 2, (size_t[]){3, FORMULA_WIDTH}, value[0]);
        edit_attribute_number(path, names[layer], "noise", 1e-6);
    }
}

static void create(const char *path, const char *kind)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_msg(file >= 0, "%s cannot be made", path);
    ck_assert_int_ge(H5Fclose(file), 0);
    edit_attribute(path, "schema", "assay/1");
    edit_attribute(path, "kind", kind);
    edit_attribute(path, "source", "a formula");
    edit_attribute(path, "recorder", "this test");
    edit_attribute(path, "catches", "What it is made to catch.");
}

const char *support_write_decoder(const char *path, const char *kind, const char *model)
{
    char dir[4096];
    choose_prompts();
    create(path, kind);
    edit_attribute(path, "model", model);
    (void)snprintf(dir, sizeof dir, "%.*s%s", (int)(strrchr(path, '/') + 1 - path), path, model);
    support_mkdir(dir);
    edit_i32(path, "/input/tokens", 2, (size_t[]){CASE_B, CASE_T}, tokens[0]);
    edit_i32(path, "/input/length", 1, (size_t[]){CASE_B}, length);
    write_logits(path);
    write_traces(path);
    if (strcmp(kind, "generate") == 0) write_greedy(path);
    return path;
}

void support_write_cases(void)
{
    support_mkdir(support_path("sound"));
    support_mkdir(support_path("sound/a"));
    support_mkdir(support_path("bad"));
    (void)support_write_decoder(support_path("sound/a/logits.h5"), "logits", "ok");
    (void)support_write_decoder(support_path("sound/generate.h5"), "generate", "ok");
    (void)support_write_decoder(support_path("bad/off.h5"), "logits", "off");
}

void support_write_sizes(const char *path)
{
    support_write_text(
        path, "{\"schema\":\"assay/1\",\"kind\":\"preprocess\",\"groups\":[{\"name\":\"g\",\"vectors\":["
              "{\"id\":1,\"verdict\":\"reject\",\"input\":{\"preprocessor_config\":\"\",\"height\":1,"
              "\"width\":1},\"expect\":{\"error\":\"\"}}]}]}");
}

const char *support_write_rope(const char *path, const char *config)
{
    double x[3][4], one[3][4], zero[3][4] = {{0}};
    for (size_t i = 0; i < 12; i++) {
        x[i / 4][i % 4] = (double)(i + 1) / 8;
        one[i / 4][i % 4] = 1;
    }
    create(path, "rope");
    edit_attribute(path, "config", config);
    edit_i32(path, "/input/position", 1, (size_t[]){3}, (const int32_t[]){0, 1, 1000});
    edit_f64(path, "/input/x", 2, (size_t[]){3, 4}, x[0]);
    edit_f64(path, "/expect/truth/x", 2, (size_t[]){3, 4}, x[0]);
    edit_f64(path, "/expect/truth/cos", 2, (size_t[]){3, 4}, one[0]);
    edit_f64(path, "/expect/truth/sin", 2, (size_t[]){3, 4}, zero[0]);
    return path;
}

const char *support_write_newest(const char *path, hsize_t n_rows, hsize_t n_cols, bool packed)
{
    static const int32_t values[60 * 60];
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), plist = H5Pcreate(H5P_DATASET_CREATE);
    ck_assert_int_ge(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), 0);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    ck_assert_int_ge(H5Pset_chunk(plist, 2, (const hsize_t[]){6, 6}), 0);
    if (packed) ck_assert_int_ge(H5Pset_deflate(plist, 1), 0);
    const hid_t space = H5Screate_simple(2, (const hsize_t[]){60, 60}, (const hsize_t[]){n_rows, n_cols});
    const hid_t dataset = H5Dcreate2(file, "/x", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    (void)H5Pclose(access);
    ck_assert_int_ge(H5Fclose(file), 0);
    char name[16];
    for (int i = 0; i < 12; i++) {
        (void)snprintf(name, sizeof name, "a%d", i);
        edit_attribute(path, name, "text");
    }
    return path;
}

static void copy_member(hid_t from, const char *name, hid_t to, const char *as)
{
    if (H5Lexists(from, name, H5P_DEFAULT) > 0)
        ck_assert_msg(H5Ocopy(from, name, to, as, H5P_DEFAULT, H5P_DEFAULT) >= 0, "%s cannot be copied",
                      name);
}

const char *support_observe(const char *golden, const char *run, const char *path)
{
    char name[64];
    (void)snprintf(name, sizeof name, "/expect/%s", run);
    hid_t from = H5Fopen(golden, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t to = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_msg(from >= 0 && to >= 0, "%s or %s cannot be opened", golden, path);
    copy_member(from, name, to, "/observed");
    if (H5Lexists(to, "/observed", H5P_DEFAULT) <= 0) {
        hid_t group = H5Gcreate2(to, "/observed", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        ck_assert_int_ge(H5Gclose(group), 0);
    }
    copy_member(from, "/expect/tokens", to, "/observed/tokens");
    copy_member(from, "/trace", to, "/observed/trace");
    (void)H5Fclose(from);
    ck_assert_int_ge(H5Fclose(to), 0);
    return path;
}
