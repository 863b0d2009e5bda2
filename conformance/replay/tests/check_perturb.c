/* Random perturbations of bundled goldens: each observation is made from a golden and changed in one way,
 * for which the verdict of assay diff is known.
 *
 *     PERTURB_SEED=7 PERTURB_N=100000 conformance/replay/tests/check_perturb
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/case/case.h"
#include "conformance/case/rows.h"
#include "conformance/case/run_noise.h"
#include "conformance/diff/diff.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/support.h"

enum { N_DEFAULT = 1000 };

static const char *const goldens[] = {"llama/base/batch",   "llama/base/single",     "qwen3/base/generate",
                                      "gemma4/dense/batch", "gemma4/dense/generate", "qwen3/window/batch"};
enum { N_GOLDENS = sizeof goldens / sizeof *goldens };

/* xorshift64* (Vigna 2016): the same numbers on every machine. */
static uint64_t state;

static uint64_t draw(uint64_t n)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 0x2545F4914F6CDD1DU >> 32) % n;
}

/* The expected result of a comparison. */
typedef enum expectation { AGREES, DIVERGES, REFUSED } expectation;

/* An observation in memory, and the golden that it is made from. */
typedef struct observation {
    const char *golden;
    conf_case *c;
    conf_bounds bounds;                   /* of a float32 engine */
    size_t n_prefill, n_decode;           /* numbers of rows, padding included */
    double *logits;                       /* [n_prefill + n_decode, V] */
    int32_t *tokens;                      /* [B, M]; NULL: the golden has none */
    bool wide;                            /* float64 */
    hsize_t chunk[3];                     /* 0: contiguous */
    bool packed;                          /* compressed, if chunked */
    bool big;                             /* big-endian, tokens as int64 */
    const char *missing;                  /* a member that is not written, or NULL */
    const char *other_type, *other_shape; /* members with a wrong type or shape, or NULL */
    size_t cut;                           /* bytes cut off the end */
    char what[256], where[160];           /* the perturbation; the expected beginning of conf_verdict.where */
} observation;

static size_t padding_of(const conf_decoder *d, size_t b)
{
    return d->n_tokens - (size_t)((const int32_t *)d->length.data)[b];
}

/* The index in o->logits, which has padding rows, of row r of the case's rows. */
static size_t row_of(const observation *o, size_t r)
{
    const conf_decoder *d = &o->c->decoder;
    const conf_place *p = &d->rows.place[r];
    if (p->decode) return o->n_prefill + p->sample * d->n_decode + p->pos;
    return p->sample * d->n_tokens + padding_of(d, p->sample) + p->pos;
}

/* Fills in the golden's truth, or its float32 run. Padding rows get arbitrary values, since they are
 * not judged. */
static void fill(observation *o, bool truth)
{
    const conf_rows *rows = &o->c->decoder.rows;
    size_t v = rows->n_cols;
    for (size_t i = 0; i < (o->n_prefill + o->n_decode) * v; i++) o->logits[i] = draw(2) ? (double)NAN : 7;
    for (size_t r = 0; r < rows->n_rows; r++)
        memcpy(o->logits + row_of(o, r) * v,
               (truth ? rows->truth : conf_rows_noise(rows, CONF_COMPUTE_F32)) + r * v, v * sizeof(double));
}

static bool is_named(const char *name, const char *other)
{
    return other && strcmp(name, other) == 0;
}

static void write_member(hid_t file, const observation *o, const char *name, size_t n_steps, const void *data)
{
    const conf_decoder *d = &o->c->decoder;
    bool tokens = is_named(name, "/observed/tokens");
    hsize_t shape[3] = {d->n_samples, n_steps, d->rows.n_cols}, chunk[3];
    int rank = tokens ? 2 : 3;
    if (is_named(name, o->missing)) return;
    hid_t type = tokens ? H5T_STD_I32LE : o->wide ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
    if (o->big) type = tokens ? H5T_STD_I64BE : o->wide ? H5T_IEEE_F64BE : H5T_IEEE_F32BE;
    if (is_named(name, o->other_type)) type = tokens ? H5T_IEEE_F32LE : H5T_STD_I32LE;
    if (is_named(name, o->other_shape)) shape[rank - 1]--;
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, shape, NULL);
    for (int i = 0; i < rank; i++) chunk[i] = o->chunk[i] < shape[i] ? o->chunk[i] : shape[i];
    if (o->chunk[0]) ck_assert_int_ge(H5Pset_chunk(plist, rank, chunk), 0);
    if (o->chunk[0] && o->packed) {
        (void)H5Pset_shuffle(plist);
        (void)H5Pset_deflate(plist, 1);
        (void)H5Pset_fletcher32(plist);
    }
    hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    ck_assert_int_ge(
        H5Dwrite(dataset, tokens ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
        0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
}

static void write_observation(const observation *o, const char *path)
{
    const conf_decoder *d = &o->c->decoder;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "/observed", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert(file >= 0 && group >= 0);
    write_member(file, o, "/observed/prefill", d->n_tokens, o->logits);
    if (d->n_decode)
        write_member(file, o, "/observed/decode", d->n_decode, o->logits + o->n_prefill * d->rows.n_cols);
    if (o->tokens) write_member(file, o, "/observed/tokens", d->n_greedy, o->tokens);
    (void)H5Gclose(group);
    ck_assert_int_ge(H5Fclose(file), 0);
    struct stat s;
    if (o->cut) {
        ck_assert_int_eq(stat(path, &s), 0);
        ck_assert_int_eq(truncate(path, s.st_size - (off_t)(o->cut < (size_t)s.st_size ? o->cut : 1)), 0);
    }
}

/* Sets o->where to the position of row r and id `col`, worded as in the report. */
static void describe_place(observation *o, size_t r, size_t col)
{
    const conf_place *p = &o->c->decoder.rows.place[r];
    (void)snprintf(o->where, sizeof o->where, "sample %zu, %s, %s %zu, id %zu: ", p->sample,
                   p->decode ? "decode" : "prefill", p->decode ? "step" : "position", p->pos, col);
}

/* Perturbations: each changes o and returns the expected result. */

static expectation leave_unchanged(observation *o)
{
    (void)snprintf(o->what, sizeof o->what, "nothing");
    return AGREES;
}

static double *pick(observation *o, size_t *r, size_t *col)
{
    const conf_rows *rows = &o->c->decoder.rows;
    *r = draw(rows->n_rows);
    *col = draw(rows->n_cols);
    return o->logits + row_of(o, *r) * rows->n_cols + *col;
}

/* The probability of an id in the truth. */
static double probability(const observation *o, size_t r, size_t col)
{
    const conf_rows *rows = &o->c->decoder.rows;
    const double *t = rows->truth + r * rows->n_cols;
    double sum = 0;
    for (size_t i = 0; i < rows->n_cols; i++) sum += exp(t[i] - t[col]);
    return 1 / sum;
}

/* The bound of the largest error. */
static double bound_of(const observation *o)
{
    const conf_rows *rows = &o->c->decoder.rows;
    if (!o->wide) return o->bounds.limit * o->bounds.max_abs;
    return o->c->float64_bound * conf_max_abs(rows->truth, rows->n_rows * rows->n_cols);
}

/* Moves a single value by less than its bound. RMSE and KL then stay within their bounds, too: the
 * noise in RMSE is at least the noise in the largest error divided by sqrt(V), and the KL distance of a
 * move d is about d·sqrt(p (1 - p)). */
static expectation move_within(observation *o)
{
    size_t r, col;
    double *x = pick(o, &r, &col), sign = draw(2) ? 1 : -1;
    fill(o, true);
    double p = probability(o, r, col), most = 0.9 * bound_of(o);
    if (!o->wide) most = fmin(most, 0.5 * o->bounds.limit * o->bounds.kl / sqrt(p * (1 - p)));
    *x += sign * most * (double)(1 + draw(100)) / 100;
    (void)snprintf(o->what, sizeof o->what, "row %zu, id %zu moved within the bound", r, col);
    return AGREES;
}

static expectation move_beyond(observation *o)
{
    size_t r, col;
    double *x = pick(o, &r, &col);
    fill(o, true);
    *x += (draw(2) ? 1 : -1) * bound_of(o) * (1.1 + pow(10, (double)draw(60) / 10) - 1);
    describe_place(o, r, col);
    (void)snprintf(o->what, sizeof o->what, "row %zu, id %zu moved beyond the bound", r, col);
    return DIVERGES;
}

static expectation put_non_finite(observation *o)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    size_t r, col;
    double *x = pick(o, &r, &col);
    *x = values[draw(3)];
    describe_place(o, r, col);
    (void)snprintf(o->what, sizeof o->what, "row %zu, id %zu is %g", r, col, *x);
    return DIVERGES;
}

static expectation lose_row(observation *o)
{
    const conf_rows *rows = &o->c->decoder.rows;
    size_t r = draw(rows->n_rows);
    bool nan = draw(2);
    for (size_t i = 0; i < rows->n_cols; i++)
        o->logits[row_of(o, r) * rows->n_cols + i] = nan ? (double)NAN : 0;
    describe_place(o, r, 0);
    if (!nan) *strstr(o->where, "id 0") = '\0'; /* the largest error may be at any id */
    (void)snprintf(o->what, sizeof o->what, "row %zu lost", r);
    return DIVERGES;
}

/* Moves every row of prefill one row up. */
static expectation shift_rows(observation *o)
{
    const conf_decoder *d = &o->c->decoder;
    size_t v = d->rows.n_cols;
    memmove(o->logits, o->logits + v, (o->n_prefill - 1) * v * sizeof *o->logits);
    (void)snprintf(o->what, sizeof o->what, "prefill shifted by one row");
    return DIVERGES;
}

static expectation swap_samples(observation *o)
{
    const conf_decoder *d = &o->c->decoder;
    if (d->n_samples < 2) return leave_unchanged(o);
    size_t n = d->n_tokens * d->rows.n_cols, a = draw(d->n_samples - 1), b = a + 1;
    for (size_t i = 0; i < n; i++) {
        double x = o->logits[a * n + i];
        o->logits[a * n + i] = o->logits[b * n + i];
        o->logits[b * n + i] = x;
    }
    (void)snprintf(o->what, sizeof o->what, "samples %zu and %zu swapped", a, b);
    return DIVERGES;
}

static const char *pick_member(const observation *o)
{
    const char *names[3] = {"/observed/prefill"};
    size_t n = 1;
    if (o->c->decoder.n_decode) names[n++] = "/observed/decode";
    if (o->tokens) names[n++] = "/observed/tokens";
    return names[draw(n)];
}

static expectation omit(observation *o)
{
    o->missing = pick_member(o);
    (void)snprintf(o->what, sizeof o->what, "%s omitted", o->missing);
    return REFUSED;
}

static expectation retype(observation *o)
{
    o->other_type = pick_member(o);
    (void)snprintf(o->what, sizeof o->what, "%s of another type", o->other_type);
    return DIVERGES;
}

static expectation reshape(observation *o)
{
    o->other_shape = pick_member(o);
    (void)snprintf(o->what, sizeof o->what, "%s of another shape", o->other_shape);
    return DIVERGES;
}

static expectation cut_off(observation *o)
{
    o->cut = 1 + draw(4000);
    (void)snprintf(o->what, sizeof o->what, "%zu bytes cut off", o->cut);
    return REFUSED;
}

/* Replaces a token by another one, which is not a near tie in the truth. */
static expectation change_token(observation *o)
{
    const conf_decoder *d = &o->c->decoder;
    if (!o->tokens) return leave_unchanged(o);
    size_t at = draw(d->n_samples * d->n_greedy);
    o->tokens[at] = (o->tokens[at] + 1 + (int32_t)draw(d->rows.n_cols - 2)) % (int32_t)d->rows.n_cols;
    (void)snprintf(o->what, sizeof o->what, "token %zu changed to %d", at, (int)o->tokens[at]);
    (void)snprintf(o->where, sizeof o->where, "sample %zu, greedy step %zu: ", at / d->n_greedy,
                   at % d->n_greedy);
    return DIVERGES;
}

static expectation (*const perturbations[])(observation *) = {
    leave_unchanged, move_within,  move_within, move_beyond, move_beyond, put_non_finite, lose_row,
    shift_rows,      swap_samples, omit,        retype,      reshape,     cut_off,        change_token};
enum { N_PERTURBATIONS = sizeof perturbations / sizeof *perturbations };

static conf_case *cases[N_GOLDENS];
static char paths[N_GOLDENS][4096];

static void read_goldens(void)
{
    const char *top = getenv("top_srcdir");
    for (size_t i = 0; i < N_GOLDENS; i++) {
        assay_error err;
        (void)snprintf(paths[i], sizeof *paths, "%s/fixtures/%s.h5", top ? top : "..", goldens[i]);
        ck_assert_msg(conf_case_read(paths[i], &cases[i], &err) == ASSAY_OK, "%s", err.text);
        ck_assert(cases[i]->decoder.has_truth);
    }
}

static observation make(size_t i)
{
    conf_decoder *d = &cases[i]->decoder;
    const conf_rows *rows = &d->rows;
    observation o = {.golden = paths[i], .c = cases[i], .wide = draw(4) == 0};
    o.n_prefill = d->n_samples * d->n_tokens;
    o.n_decode = d->n_samples * d->n_decode;
    o.logits = calloc((o.n_prefill + o.n_decode) * rows->n_cols, sizeof *o.logits);
    o.bounds = conf_run_bounds(rows, CONF_COMPUTE_F32);
    if (d->n_greedy) o.tokens = malloc(d->n_samples * d->n_greedy * sizeof *o.tokens);
    ck_assert(o.logits && (o.tokens || !d->n_greedy));
    if (o.tokens) memcpy(o.tokens, d->greedy.data, d->n_samples * d->n_greedy * sizeof *o.tokens);
    fill(&o, o.wide);
    if (draw(2))
        for (size_t k = 0; k < 3; k++) o.chunk[k] = 1 + draw(40);
    o.packed = draw(2);
    o.big = draw(2);
    return o;
}

static void judge(size_t n, const char *path)
{
    observation o = make(draw(N_GOLDENS));
    expectation expected = perturbations[draw(N_PERTURBATIONS)](&o);
    write_observation(&o, path);
    conf_verdict v = {0};
    conf_strings unknown;
    assay_error err = {0};
    const conf_diff_task task = {.golden = o.golden, .observed = path, .n_workers = 1 + draw(3)};
    assay_status rc = conf_diff(&task, &v, &unknown, &err);
    expectation found = rc != ASSAY_OK ? REFUSED : v.outcome == CONF_PASSED ? AGREES : DIVERGES;
    ck_assert_msg(found == expected && strncmp(v.where, o.where, strlen(o.where)) == 0,
                  "%zu: %s%s: %s: expected %d \"%s\", found %d: %s%s; %s; %s", n, o.golden,
                  o.wide ? " in float64" : "", o.what, (int)expected, o.where, (int)found, v.reason, err.text,
                  v.where, v.notes);
    conf_strings_free(&unknown);
    free(o.logits);
    free(o.tokens);
}

START_TEST(each_perturbation_has_its_verdict)
{
    const char *seed = getenv("PERTURB_SEED"), *number = getenv("PERTURB_N"), *path = support_path("seen.h5");
    size_t n = number ? strtoul(number, NULL, 10) : N_DEFAULT;
    state = seed ? strtoull(seed, NULL, 10) : 1;
    (void)printf("%zu perturbations, PERTURB_SEED=%llu\n", n, (unsigned long long)state);
    state = state * 0x9E3779B97F4A7C15U + 1;
    read_goldens();
    for (size_t i = 0; i < n; i++) judge(i, path);
    for (size_t i = 0; i < N_GOLDENS; i++) conf_case_free(cases[i]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/replay/perturb");
    TCase *tc = tcase_create("goldens");
    tcase_add_checked_fixture(tc, support_setup, support_teardown);
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, each_perturbation_has_its_verdict);
    suite_add_tcase(s, tc);
    return support_run(s);
}
