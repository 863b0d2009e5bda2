/* The header of a numeric case: its attributes, their types and limits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "conformance/case/case.h"
#include "conformance/case/find.h"
#include "conformance/judge/noise.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/support.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_write_decoder(support_path("case.h5"), "logits", "model");
}

/* reason NULL: the case is valid, and the caller frees it. Otherwise reading must fail with that
 * message. */
static conf_case *read_case(const char *reason)
{
    conf_case *c = NULL;
    assay_error err = {0};
    const assay_status rc = conf_case_read(path, &c, &err);
    ck_assert_msg(rc == (reason ? ASSAY_EFORMAT : ASSAY_OK), "status %d: %s", (int)rc, err.text);
    if (reason) {
        assert_holds(err.text, path);
        assert_holds(err.text, reason);
    }
    return c;
}

static const struct {
    const char *schema, *reason;
} schemas[] = {
    {"assay/1", NULL},
    {"assay/2", "schema is \"assay/2\": newer than \"assay/1\""},
    {"assay/99999999999999999999999", "newer than \"assay/1\""},
    {"assay/0", "schema is \"assay/0\", expected \"assay/1\""},
    {"assay/01", "expected \"assay/1\""},
    {"assay/+1", "expected \"assay/1\""},
    {"assay/1x", "expected \"assay/1\""},
    {"assay/9x", "expected \"assay/1\""},
    {"assay/", "expected \"assay/1\""},
    {"assay", "expected \"assay/1\""},
    {"Assay/1", "expected \"assay/1\""},
    {"assay/:", "expected \"assay/1\""},
    {"assay/-1", "expected \"assay/1\""},
    {"other/1", "expected \"assay/1\""},
    {"", "expected \"assay/1\""},
};

START_TEST(a_schema_is_a_name_and_a_version)
{
    edit_attribute(path, "schema", schemas[_i].schema);
    conf_case_free(read_case(schemas[_i].reason));
}
END_TEST

enum { ABSENT = -100 };

static const struct {
    double limit, sink_tokens;
    const char *reason;
} caches[] = {
    {ABSENT, ABSENT, NULL},
    {1, 0, NULL},
    {8, 7, NULL},
    {INT32_MAX, 0, NULL},
    {0, 0, "cache_limit is 0, expected a whole number from 1 to 2147483647"},
    {2147483648.0, 0, "cache_limit is 2.14748e+09, expected a whole number from 1 to 2147483647"},
    {1.5, 0, "cache_limit is 1.5, expected a whole number"},
    {8, 8, "cache_kept is 8, expected a whole number from 0 to 7"},
    {8, -1, "cache_kept is -1, expected a whole number from 0 to 7"},
    {8, 0.5, "cache_kept is 0.5, expected a whole number from 0 to 7"},
    {8, ABSENT, "the attribute cache_kept of / is missing"},
    {ABSENT, 1, "the attribute cache_limit of / is missing"},
};

START_TEST(a_cache_limit_is_two_whole_numbers)
{
    if (caches[_i].limit > ABSENT) edit_attribute_number(path, "/", "cache_limit", caches[_i].limit);
    if (caches[_i].sink_tokens > ABSENT)
        edit_attribute_number(path, "/", "cache_kept", caches[_i].sink_tokens);
    conf_case *c = read_case(caches[_i].reason);
    if (caches[_i].reason) return;
    const bool limited = caches[_i].limit > ABSENT;
    ck_assert_uint_eq(c->decoder.caches.limit, limited ? (size_t)caches[_i].limit : 0);
    ck_assert_uint_eq(c->decoder.caches.sink_tokens, limited ? (size_t)caches[_i].sink_tokens : 0);
    conf_case_free(c);
}
END_TEST

static const struct {
    double bound;
    const char *stated, *reason;
} bounds[] = {
    {ABSENT, NULL, NULL},
    {CONF_FLOAT64_BOUND_MAX, "why", NULL},
    {5e-324, "why", NULL},
    {CONF_FLOAT64_BOUND_MAX * 1.0000001, "why", "expected a number above 0 and at most"},
    {0, "why", "float64_bound is 0, expected a number above 0"},
    {CONF_FLOAT64_BOUND_MAX, "", "float64_reason is empty"},
    {CONF_FLOAT64_BOUND_MAX, NULL, "the attribute float64_reason is missing"},
    {ABSENT, "why", "the attribute float64_bound of / is missing"},
};

START_TEST(a_bound_has_a_reason_and_a_limit)
{
    if (bounds[_i].bound > ABSENT) edit_attribute_number(path, "/", "float64_bound", bounds[_i].bound);
    if (bounds[_i].stated) edit_attribute(path, "float64_reason", bounds[_i].stated);
    conf_case *c = read_case(bounds[_i].reason);
    if (bounds[_i].reason) return;
    ck_assert_double_eq(c->float64_bound, bounds[_i].stated ? bounds[_i].bound : CONF_FLOAT64_BOUND);
    ck_assert_pstr_eq(c->float64_reason, bounds[_i].stated);
    conf_case_free(c);
}
END_TEST

START_TEST(a_case_is_recognised_by_its_extension)
{
    static const struct {
        const char *path;
        size_t stem;
    } names[] = {
        {"x.h5", 1},  {"a/x.json", 3}, {"a.h5/x.json.gz", 6}, {".h5", 0}, {"a/.json", 0}, {"a/.json.gz", 0},
        {"x.h5x", 0}, {"xh5", 0},      {"a.h5/x", 0},         {"", 0}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t stem = 0;
        const bool named = conf_case_is_named(names[i].path, &stem);
        ck_assert_msg(named == (names[i].stem > 0), "%s", names[i].path);
        ck_assert_uint_eq(stem, names[i].stem);
        ck_assert_int_eq(conf_case_is_named(names[i].path, NULL), named);
    }
}
END_TEST

START_TEST(a_looser_float64_bound_is_read_with_its_reason)
{
    edit_attribute_number(path, "/", "float64_bound", 1e-9);
    edit_attribute(path, "float64_reason", "a long sum");
    conf_case *c = read_case(NULL);
    ck_assert_double_eq(c->float64_bound, 1e-9);
    ck_assert_str_eq(c->float64_reason, "a long sum");
    conf_case_free(c);
}
END_TEST

START_TEST(a_float64_bound_without_reason_is_refused)
{
    edit_attribute_number(path, "/", "float64_bound", 1e-9);
    (void)read_case("float64_reason is missing");
    edit_attribute(path, "float64_reason", "");
    (void)read_case("float64_reason is empty");
    edit_attribute(path, "float64_reason", "because");
    edit_attribute_number(path, "/", "float64_bound", 2);
    (void)read_case("float64_bound is 2");
    edit_remove_attribute(path, "float64_bound");
    (void)read_case("float64_bound of / is missing");
}
END_TEST

static const char *const required_attributes[] = {"schema", "kind", "model"};

START_TEST(a_missing_attribute_is_named)
{
    edit_remove_attribute(path, required_attributes[_i]);
    char reason[64];
    (void)snprintf(reason, sizeof reason, "attribute %s is missing", required_attributes[_i]);
    (void)read_case(reason);
}
END_TEST

static const char *const texts[] = {"schema", "kind", "model", "source", "recorder", "catches"};

START_TEST(a_number_instead_of_text_is_refused)
{
    char reason[64];
    edit_attribute_number(path, "/", texts[_i], 1);
    (void)snprintf(reason, sizeof reason, "%s is not text", texts[_i]);
    (void)read_case(reason);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

int main(void)
{
    Suite *suite = suite_create("conformance/kinds/header");
    TCase *header = tcase_create("header");
    tcase_add_checked_fixture(header, setup, support_teardown);
    tcase_add_loop_test(header, a_schema_is_a_name_and_a_version, 0, COUNT(schemas));
    tcase_add_loop_test(header, a_cache_limit_is_two_whole_numbers, 0, COUNT(caches));
    tcase_add_loop_test(header, a_bound_has_a_reason_and_a_limit, 0, COUNT(bounds));
    tcase_add_test(header, a_looser_float64_bound_is_read_with_its_reason);
    tcase_add_test(header, a_float64_bound_without_reason_is_refused);
    tcase_add_loop_test(header, a_missing_attribute_is_named, 0, COUNT(required_attributes));
    tcase_add_loop_test(header, a_number_instead_of_text_is_refused, 0, COUNT(texts));
    tcase_add_test(header, a_case_is_recognised_by_its_extension);
    suite_add_tcase(suite, header);
    return support_run(suite);
}
