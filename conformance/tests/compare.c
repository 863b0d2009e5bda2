/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/compare.h"

const char *compare_golden, *compare_seen;
conf_compute compare_as;
unsigned compare_parts;

void compare_setup(void)
{
    support_setup();
    compare_golden = support_write_decoder(support_path("case.h5"), "generate", "model");
    support_write_text(support_path("model/config.json"), "{\"eos_token_id\": 5}");
    compare_seen = support_observe(compare_golden, "float32", support_path("seen.h5"));
    compare_as = CONF_COMPUTE_NONE;
    compare_parts = 0;
}

compare_answer compare(const char *a, const char *b)
{
    compare_answer x = {0};
    const conf_diff_task task = {
        .golden = a, .observed = b, .compute = compare_as, .parts = compare_parts, .n_workers = 2};
    x.status = conf_diff(&task, &x.v, &x.unknown, &x.err);
    return x;
}

void assert_agrees(const char *a, const char *b)
{
    compare_answer x = compare(a, b);
    ck_assert_msg(x.status == ASSAY_OK, "%s", x.err.text);
    ck_assert_msg(x.v.outcome == CONF_PASSED, "%s: %s: %s (%s)", b, x.v.reason, x.v.where, x.v.notes);
    ck_assert(x.v.reason[0] && !x.v.where[0]);
    conf_strings_free(&x.unknown);
}

void assert_diverges(const char *reason, const char *where, const char *trace)
{
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_msg(x.status == ASSAY_OK, "%s", x.err.text);
    ck_assert_int_eq(x.v.outcome, CONF_FAILED);
    if (!strstr(x.v.notes, reason)) assert_holds(x.v.reason, reason);
    assert_holds(x.v.where, where);
    assert_holds(x.v.trace, trace);
    conf_strings_free(&x.unknown);
}

void assert_refused(const char *reason)
{
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_int_ne(x.status, ASSAY_OK);
    assert_holds(x.err.text, reason);
    conf_strings_free(&x.unknown);
}
