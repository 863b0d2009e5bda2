/* The page of results: its size, its links, and that it repeats itself byte for byte.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/report/machines.h"
#include "conformance/report/profiles.h"
#include "conformance/tests/support.h"

enum { ENGINES = 3, CASES = 1000 }; /* about as many cases as are bundled */

static conf_results results;

/* Every case fails with every engine, and says as much as a usual failure does. */
static void setup(void)
{
    static conf_limits limits = {.seconds = 60};
    static conf_engine_column engines[ENGINES];
    results = (conf_results){.n_engines = ENGINES, .n = CASES, .program = "assay", .limits = limits};
    results.limits.mib = conf_mib_default();
    results.engines = engines;
    results.at = calloc(CASES, sizeof *results.at);
    results.profiles = conf_profile_share(CONF_PROFILES_MAX);
    results.n_profiles = CONF_PROFILES_MAX;
    ck_assert(results.at && results.profiles);
    for (size_t e = 0; e < ENGINES; e++) engines[e].name = engines[e].label = e ? "fastpath" : "<ref>";
    for (size_t i = 0; i < CASES; i++) {
        conf_result *r = &results.at[i];
        if (asprintf(&r->id, "family-%zu/property-%zu/case", i % 60, i % 300) < 0 ||
            asprintf(&r->path, "fixtures/%s.h5", r->id) < 0)
            ck_abort();
        r->verdicts = calloc(ENGINES, sizeof *r->verdicts);
        r->profiles = calloc(ENGINES, sizeof *r->profiles);
        ck_assert(r->verdicts && r->profiles);
        for (size_t e = 0; e < ENGINES; e++) {
            conf_verdict *v = &r->verdicts[e];
            if (i % 60 && e) (void)snprintf(v->checkpoint.family, CONF_FAMILY_MAX, "model-%zu", i % 60);
            if (e) (void)snprintf(v->kind, sizeof v->kind, "logits");
            conf_verdict_fail(v, CONF_CLASS_LOGITS,
                              "largest error of the logits is 3.52e+04 times its bound");
            v->measured = true;
            v->multiple = (double)(1 + i);
            (void)memset(v->where, 'w', 90);
            (void)memset(v->trace, 't', 90);
            (void)memset(v->notes, 'n', 300);
        }
    }
}

/* The first failures have profiles as large as those of a bundled case. */
static void fill_profiles(void)
{
    for (size_t i = 0; i < CONF_PROFILES_MAX; i++) {
        conf_profile *p = &results.profiles[i];
        p->n_tensors = 16;
        p->n_rows = 40;
        p->n_manners = CONF_N_MANNERS;
        p->has_recorded = true;
        for (size_t k = 0; k < p->n_tensors; k++)
            (void)snprintf(p->tensors[k].name, sizeof p->tensors[k].name, "layer.%02zu.attn", k);
        for (size_t k = 0; k < p->n_manners; k++)
            (void)snprintf(p->manners[k].name, sizeof p->manners[k].name, "manner-%zu", k);
        for (size_t k = 0; k < p->n_tensors; k++) p->tensors[k].multiple = 1e4 * (double)k;
        for (size_t k = 0; k < p->n_rows; k++) p->rows[k].pos = (uint32_t)k, p->rows[k].multiple = (double)k;
        for (size_t k = 0; k < p->n_manners; k++) p->manners[k].multiple = (double)INFINITY;
        results.at[i / ENGINES].profiles[i % ENGINES] = p;
    }
}

static void teardown(void)
{
    for (size_t i = 0; i < CASES; i++) conf_result_free(&results.at[i], ENGINES);
    free(results.at);
    conf_profile_unshare(results.profiles, CONF_PROFILES_MAX);
}

static char *print(size_t *size)
{
    char *text = NULL;
    assay_error err;
    FILE *out = open_memstream(&text, size);
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(conf_html_print(out, &results, &err), ASSAY_OK);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

START_TEST(a_page_on_which_every_case_fails_is_below_a_megabyte)
{
    size_t size;
    fill_profiles();
    char *text = print(&size);
    ck_assert_uint_lt(size, 1000000);
    ck_assert_uint_gt(size, 500000); /* it has them all */
    assert_holds(text, "<tr id=\"case-2-999\" data-system=\"engine-2\"");
    free(text);
}
END_TEST

START_TEST(the_bars_of_failures_lead_to_their_rows)
{
    size_t size;
    char *text = print(&size);
    assert_holds(text, "<a href=\"#case-0-999\"><text ");
    assert_holds(text, "<a href=\"#engine-1/family/model-7\">");
    assert_holds(text, "<a href=\"#engine-1/property/property-7\">");
    assert_holds(text, "<a href=\"#engine-1/family/logits\">"); /* those without a checkpoint */
    assert_lacks(text, "family/family-");
    free(text);
}
END_TEST

START_TEST(the_same_results_are_the_same_page)
{
    size_t size;
    fill_profiles();
    char *first = print(&size), *second = print(&size);
    ck_assert_str_eq(first, second);
    free(first);
    free(second);
}
END_TEST

/* Settings that were read from a file are its own, not those of this process. */
START_TEST(settings_are_words_not_json)
{
    static const char text[] =
        "{\"settings\":{\"version\":\"9.9\",\"manner\":\"late\",\"vector\":null,\"seed\":7,"
        "\"timeout\":61.5,\"timeout_fixed\":true,\"memory\":null,\"allow_unknown\":[\"a\",\"b\"],"
        "\"context_shift\":null}}";
    size_t size;
    results.document = json_tokener_parse(text);
    char *page = print(&size);
    assert_holds(page, "<dt>Assay</dt><dd>9.9</dd>");
    assert_holds(page, "<dt>seed</dt><dd>7</dd>");
    assert_holds(page, "<dt>timeout in seconds</dt><dd>61.5</dd>");
    assert_holds(page, "<dt>unknown members that were allowed</dt><dd>a, b</dd>");
    assert_lacks(page, "timeout_fixed");
    assert_lacks(page, "<dt>vector");
    free(page);
    (void)json_object_put(results.document);
    results.document = NULL;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/html");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_page_on_which_every_case_fails_is_below_a_megabyte);
    tcase_add_test(t, the_bars_of_failures_lead_to_their_rows);
    tcase_add_test(t, the_same_results_are_the_same_page);
    tcase_add_test(t, settings_are_words_not_json);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
