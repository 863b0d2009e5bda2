/* The case of a cut: which tokens, rows and runs it has.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/case/prompt.h"
#include "conformance/case/rows.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/reduce/cut/rows.h"
#include "conformance/reduce/cut/write.h"
#include "conformance/tests/support.h"

static conf_case *c, *again;
static conf_whole whole;
static conf_cut cut;
static assay_error err;

/* Prompts of 3 and 5 tokens, 2 steps. */
static void setup(void)
{
    const conf_placeholders none = {.image = -1, .video = -1, .audio = -1};
    support_setup();
    support_mkdir(support_path("whole"));
    const char *path = support_write_decoder(support_path("whole/case.h5"), "logits", "model");
    support_mkdir(support_path("cut"));
    support_mkdir(support_path("cut/model"));
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    whole = (conf_whole){0};
    ck_assert_msg(conf_whole_open(c, &none, &whole, &err) == ASSAY_OK, "%s", err.text);
    ck_assert(conf_cut_open(&whole, &cut));
    again = NULL;
}

static void teardown(void)
{
    conf_cut_free(&cut);
    conf_whole_close(&whole);
    conf_case_free(c);
    conf_case_free(again);
    support_teardown();
}

/* Keeps tokens first … end - 1 of a sample. */
static void keep_tokens(size_t sample, size_t first, size_t end)
{
    for (size_t i = 0; i < whole.width; i++) cut.tokens[sample * whole.width + i] = i >= first && i < end;
}

/* Writes the case of the cut, and reads it again. */
static const conf_decoder *write_again(const double *truth)
{
    const conf_values values = {.truth = truth, .reduced = "words", .has_tensors = !truth};
    const char *path = support_path("cut/case.h5");
    ck_assert(conf_cut_is_case(&whole, &cut));
    ck_assert(conf_cut_has_rows(&whole, &cut));
    ck_assert_msg(conf_cut_write(&whole, &cut, &values, path, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(conf_case_read(path, &again, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_str_eq(again->reduced, "words");
    ck_assert_uint_eq(again->unknown.n, 0);
    return &again->decoder;
}

/* The row of a place of the case that was read again. */
static size_t row_of(const conf_decoder *d, size_t sample, bool decode, size_t pos)
{
    for (size_t i = 0; i < d->rows.n_rows; i++) {
        const conf_place *p = &d->rows.place[i];
        if (p->sample == sample && p->decode == decode && p->pos == pos) return i;
    }
    ck_abort_msg("sample %zu has no row %zu", sample, pos);
    return 0;
}

static void assert_row(size_t row, size_t of_whole)
{
    const conf_rows *a = &again->decoder.rows, *b = &c->decoder.rows;
    const size_t n = a->n_cols * sizeof(double);
    ck_assert_mem_eq(a->truth + row * a->n_cols, b->truth + of_whole * b->n_cols, n);
    ck_assert_mem_eq(conf_rows_noise(a, CONF_COMPUTE_F32) + row * a->n_cols,
                     conf_rows_noise(b, CONF_COMPUTE_F32) + of_whole * b->n_cols, n);
}

START_TEST(a_cut_that_keeps_everything_is_the_whole_case)
{
    ck_assert(conf_cut_is_recorded(&whole, &cut));
    const conf_decoder *d = write_again(NULL);
    ck_assert_uint_eq(d->rows.n_rows, c->decoder.rows.n_rows);
    ck_assert_uint_eq(d->n_traces, c->decoder.n_traces);
    ck_assert_mem_eq(d->tokens.data, c->decoder.tokens.data, d->tokens.n * sizeof(int32_t));
    ck_assert_mem_eq(d->decode.data, c->decoder.decode.data, d->decode.n * sizeof(int32_t));
    for (size_t i = 0; i < d->rows.n_rows; i++) assert_row(i, i);
}
END_TEST

START_TEST(a_sample_alone_has_its_recorded_rows_and_no_padding)
{
    cut.samples[1] = false;
    ck_assert(conf_cut_is_recorded(&whole, &cut));
    const conf_decoder *d = write_again(NULL);
    ck_assert_uint_eq(d->n_samples, 1);
    ck_assert_uint_eq(d->n_tokens, 3);
    ck_assert_mem_eq(conf_prompt(d, 0), conf_prompt(&c->decoder, 0), 3 * sizeof(int32_t));
    for (size_t i = 0; i < 3; i++) assert_row(row_of(d, 0, false, i), row_of(&c->decoder, 0, false, i));
    assert_row(row_of(d, 0, true, 1), row_of(&c->decoder, 0, true, 1));
}
END_TEST

START_TEST(the_last_tokens_that_are_kept_are_the_steps)
{
    cut.samples[0] = false;
    keep_tokens(1, 0, 4);
    ck_assert(conf_cut_is_recorded(&whole, &cut));
    const conf_decoder *d = write_again(NULL);
    ck_assert_uint_eq(conf_prompt_length(d, 0), 2);
    ck_assert_uint_eq(d->n_decode, 2);
    ck_assert_mem_eq(d->decode.data, conf_prompt(&c->decoder, 1) + 2, 2 * sizeof(int32_t));
    assert_row(row_of(d, 0, false, 1), row_of(&c->decoder, 1, false, 1));
    assert_row(row_of(d, 0, true, 0), row_of(&c->decoder, 1, false, 2));
}
END_TEST

START_TEST(recorded_rows_are_not_those_of_other_tokens)
{
    keep_tokens(1, 1, 7);
    ck_assert(!conf_cut_is_recorded(&whole, &cut));
    keep_tokens(1, 0, 7);
    ck_assert(conf_cut_is_recorded(&whole, &cut));
    cut.plain[whole.width + 1] = true;
    ck_assert(!conf_cut_is_recorded(&whole, &cut));
    cut.samples[1] = false;
    ck_assert(conf_cut_is_recorded(&whole, &cut));
    cut.n_layers = 1;
    ck_assert(!conf_cut_is_recorded(&whole, &cut));
}
END_TEST

START_TEST(computed_rows_have_the_recorded_noise_of_their_token)
{
    const conf_rows *rows = &c->decoder.rows;
    double *truth = malloc(rows->n_rows * rows->n_cols * sizeof *truth);
    ck_assert_ptr_nonnull(truth);
    for (size_t i = 0; i < rows->n_rows * rows->n_cols; i++) truth[i] = rows->truth[i] + 0.25;
    keep_tokens(1, 1, 7);
    cut.plain[whole.width + 2] = true;
    const conf_decoder *d = write_again(truth);
    ck_assert_uint_eq(d->n_traces, 0);
    ck_assert_int_eq(conf_prompt(d, 1)[1], whole.plain);
    const size_t row = row_of(d, 1, false, 0), from = row_of(&c->decoder, 1, false, 1);
    bool any = false;
    for (size_t k = 0; k < rows->n_cols; k++) {
        const double noise = conf_rows_noise(rows, CONF_COMPUTE_F32)[from * rows->n_cols + k] -
                             rows->truth[from * rows->n_cols + k];
        const double moved = conf_rows_noise(&d->rows, CONF_COMPUTE_F32)[row * rows->n_cols + k] -
                             d->rows.truth[row * rows->n_cols + k];
        ck_assert(d->rows.truth[row * rows->n_cols + k] == rows->truth[from * rows->n_cols + k] + 0.25);
        ck_assert_double_le(fabs(moved - noise), 1e-6);
        any = any || fabs(noise) > 1e-5;
    }
    ck_assert(any);
    free(truth);
}
END_TEST

START_TEST(there_is_no_case_without_a_prompt_or_a_sample)
{
    keep_tokens(0, 0, 2);
    ck_assert(!conf_cut_is_case(&whole, &cut));
    cut.n_decode = 1;
    ck_assert(conf_cut_is_case(&whole, &cut));
    cut.samples[0] = cut.samples[1] = false;
    ck_assert(!conf_cut_is_case(&whole, &cut));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/reduce/write");
    TCase *tcase = tcase_create("write");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_cut_that_keeps_everything_is_the_whole_case);
    tcase_add_test(tcase, a_sample_alone_has_its_recorded_rows_and_no_padding);
    tcase_add_test(tcase, the_last_tokens_that_are_kept_are_the_steps);
    tcase_add_test(tcase, recorded_rows_are_not_those_of_other_tokens);
    tcase_add_test(tcase, computed_rows_have_the_recorded_noise_of_their_token);
    tcase_add_test(tcase, there_is_no_case_without_a_prompt_or_a_sample);
    suite_add_tcase(suite, tcase);
    return support_run(suite);
}
