/* Fails each allocation of a case's reader in turn: the reader must return an error, and must not drop
 * members or read invalid memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/tests/deny.h"
#include "conformance/case/case.h"
#include "conformance/hdf5/hdf5.h"
#include "conformance/hdf5/text.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/support.h"

#define ANY H5S_UNLIMITED

/* Number of optional members in the case that was read last. */
static size_t n_optional;

static assay_status read_case(const char *path, assay_error *err)
{
    conf_case *c = NULL;
    const assay_status rc = conf_case_read(path, &c, err);
    n_optional = 0;
    if (rc == ASSAY_OK) {
        const conf_decoder *d = &c->decoder;
        const void *const members[] = {c->source,     c->recorder,    c->catches,    c->float64_reason,
                                       d->rows.truth, d->decode.data, d->greedy.data};
        for (size_t i = 0; i < sizeof members / sizeof *members; i++) n_optional += members[i] != NULL;
        for (size_t i = 0; i < c->vectors.n; i++) n_optional += c->vectors.at[i].broken != NULL;
        n_optional += c->flags.n + c->unknown.n + d->n_inputs + d->n_traces + d->rows.n_runs + c->vectors.n +
                      d->caches.limit;
    }
    conf_case_free(c);
    return rc;
}

static assay_status read_dataset(const char *path, assay_error *err)
{
    conf_h5 *file;
    conf_array a;
    conf_strings members;
    char *text;
    assay_status rc = conf_h5_open(path, &file, err);
    if (rc != ASSAY_OK) return rc;
    rc = conf_h5_members(file, "/", &members, err);
    if (rc == ASSAY_OK) conf_strings_free(&members);
    if (rc == ASSAY_OK) rc = conf_h5_attribute_text(file, "a7", &text, err);
    if (rc == ASSAY_OK) free(text);
    if (rc == ASSAY_OK) rc = conf_h5_read_integers(file, "/x", &a, err);
    if (rc == ASSAY_OK) conf_array_free(&a);
    conf_h5_close(file);
    return rc;
}

/* Reads `path` with the n-th allocation failing, for every n: the read must fail with ASSAY_ENOMEM.
 * asks: `read` queries whether optional members exist, and a query has no status: after one that fails
 * the read may return any status, but if that is ASSAY_OK, no member may be missing. */
static void deny_each(const char *path, bool asks, assay_status (*read)(const char *path, assay_error *err))
{
    ck_assert_int_eq(read(path, NULL), ASSAY_OK);
    const size_t n_expected = n_optional;
    bool denied = true; /* `read` must not use ck_assert: assertions allocate */
    for (long n = 0; denied; n++) {
        assay_error err = {0};
        deny(n);
        const assay_status rc = read(path, &err);
        denied = deny_end();
        ck_assert_msg(rc == (denied ? ASSAY_ENOMEM : ASSAY_OK) || (denied && asks),
                      "request %ld: status %d: %s", n, (int)rc, err.text);
        ck_assert_msg((rc == ASSAY_ENOMEM) == (strstr(err.text, "out of memory") != NULL), "status %d: %s",
                      (int)rc, err.text);
        if (rc == ASSAY_OK) ck_assert_msg(n_optional == n_expected, "request %ld: a member is lost", n);
    }
}

START_TEST(a_decoder_fails_without_memory)
{
    const char *path = support_write_decoder(support_path("case.h5"), "generate", "model");
    edit_texts(path, "/expect/finish", 2, (const char *const[]){"stop", "length"});
    edit_f32(path, "/input/pixels", 1, (const size_t[]){2}, (const float[]){1, 2});
    edit_attribute(path, "colour", "blue");
    edit_f32(path, "/mystery", 1, (const size_t[]){1}, (const float[]){1});
    support_write_narrow(path, "int8");
    deny_each(path, true, read_case);
}
END_TEST

START_TEST(a_rope_fails_without_memory)
{
    deny_each(support_write_rope(support_path("rope.h5"), "{}"), true, read_case);
}
END_TEST

#define VECTOR                                                                                               \
    "{\"id\": 1, \"input\": {\"tokenizer\": null, \"config\": \"{}\", \"generation_config\": null}, "        \
    "\"expect\": {\"ids\": [], \"origin\": {}}}"

/* The second vector is broken, since it has the id of the first. */
START_TEST(a_textual_case_fails_without_memory)
{
    const char *path = support_path("text.json");
    support_write_text(
        path, "{\"schema\": \"assay/1\", \"kind\": \"eos\", \"source\": \"s\", \"recorder\": \"r\", "
              "\"catches\": \"c\", \"flags\": [\"f\", \"g\"], \"colour\": 1, \"groups\": [{\"name\": "
              "\"a\", \"vectors\": [" VECTOR ", " VECTOR "]}]}");
    deny_each(path, true, read_case);
}
END_TEST

static const hsize_t limits[][2] = {{60, 60}, {90, 90}, {90, ANY}, {ANY, ANY}};

START_TEST(a_dataset_with_any_index_fails_without_memory)
{
    deny_each(support_write_newest(support_path("newest.h5"), limits[_i][0], limits[_i][1], true), false,
              read_dataset);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/kinds/memory");
    TCase *cases = tcase_create("out of memory");
    tcase_add_checked_fixture(cases, support_setup, support_teardown);
    tcase_add_test(cases, a_decoder_fails_without_memory);
    tcase_add_test(cases, a_rope_fails_without_memory);
    tcase_add_test(cases, a_textual_case_fails_without_memory);
    tcase_add_loop_test(cases, a_dataset_with_any_index_fails_without_memory, 0,
                        sizeof limits / sizeof *limits);
    suite_add_tcase(suite, cases);
    return support_run(suite);
}
