/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config.h"

#include "base/tests/deny.h"
#include "base/tests/support.h"
#include "model/checkpoint/config_rope.h"
#include "model/checkpoint/config_value.h"
#include "model/tests/reading.h"

#include <stdio.h>
#include <string.h>

START_TEST(a_missing_required_member_is_named)
{
    reading r;
    reading_start(&r, "{}");
    ck_assert_uint_eq(config_size(&r.c, "hidden_size"), 0);
    reading_expect(&r, ASSAY_EFORMAT, "hidden_size", "missing");
}
END_TEST

START_TEST(null_counts_as_missing)
{
    reading r;
    reading_start(&r, "{\"hidden_size\": null}");
    (void)config_size(&r.c, "hidden_size");
    reading_expect(&r, ASSAY_EFORMAT, "hidden_size", "missing");
}
END_TEST

static const struct {
    const char *text, *found;
} NOT_SIZES[] = {
    {"{\"n\": \"8\"}", "\"8\""},
    {"{\"n\": 8.5}", "8.5"},
    {"{\"n\": 0}", "0"},
    {"{\"n\": -3}", "-3"},
    {"{\"n\": true}", "true"},
    {"{\"n\": [8]}", "[8]"},
    {"{\"n\": 2147483648}", "found 2147483648, larger than 2147483647, the largest that is supported"},
    {"{\"n\": 18446744073709551616}", "found 18446744073709551616, larger than 2147483647"},
    {"{\"n\": -0}", "found -0, expected a positive integer"},
    {"{\"n\": 8.0}", "found 8.0, expected a positive integer"},
    {"{\"n\": 8E0}", "found 8E0, expected a positive integer"},
};

START_TEST(only_positive_integers_are_sizes)
{
    reading r;
    reading_start(&r, NOT_SIZES[_i].text);
    ck_assert_uint_eq(config_size(&r.c, "n"), 0);
    reading_expect(&r, ASSAY_EFORMAT, "n: found", NOT_SIZES[_i].found);
}
END_TEST

START_TEST(a_count_may_be_zero_and_not_negative)
{
    reading r;
    reading_start(&r, "{\"n\": 0, \"m\": -1}");
    ck_assert_uint_eq(config_count_or(&r.c, "n", 7), 0);
    ck_assert_int_eq(r.c.status, ASSAY_OK);
    (void)config_count_or(&r.c, "m", 7);
    reading_expect(&r, ASSAY_EFORMAT, "m: found", "-1");
    reading_start(&r, "{\"m\": 2147483648}");
    (void)config_count_or(&r.c, "m", 7);
    reading_expect(&r, ASSAY_EFORMAT, "m: found 2147483648", "larger than 2147483647");
}
END_TEST

START_TEST(text_is_not_a_number_nor_a_flag)
{
    reading r;
    reading_start(&r, "{\"x\": \"1e-6\"}");
    (void)config_real(&r.c, "x");
    reading_expect(&r, ASSAY_EFORMAT, "x: found", "a finite number");
    reading_start(&r, "{\"x\": \"true\"}");
    (void)config_flag_or(&r.c, "x", false);
    reading_expect(&r, ASSAY_EFORMAT, "x: found", "true or false");
    reading_start(&r, "{\"x\": 3}");
    (void)config_text(&r.c, "x");
    reading_expect(&r, ASSAY_EFORMAT, "x: found", "a string");
}
END_TEST

START_TEST(a_default_is_noted)
{
    static const char *const notes[] = {
        "rms_norm_eps: absent, default 0.5 taken", "size: absent, default 7 taken",
        "count: absent, default 0 taken",          "flag: absent, default true taken",
        "flag: absent, default false taken",       "text: absent, default plain taken"};
    enum { N = sizeof notes / sizeof *notes };
    reading r;
    reading_start(&r, "{}");
    for (int i = 0; i < 2; i++) { /* after a failure nothing is noted */
        ck_assert(config_not_negative_or(&r.c, "rms_norm_eps", 0.5) == 0.5);
        ck_assert_uint_eq(config_size_or(&r.c, "size", 7), 7);
        ck_assert_uint_eq(config_count_or(&r.c, "count", 0), 0);
        ck_assert(config_flag_or(&r.c, "flag", true) && !config_flag_or(&r.c, "flag", false));
        ck_assert_str_eq(config_text_or(&r.c, "text", "plain"), "plain");
        ck_assert_uint_eq(r.notes.n, N);
        if (i == 0) ck_assert_uint_eq(config_size(&r.c, "missing"), 0);
    }
    for (size_t i = 0; i < N; i++) ck_assert_str_eq(r.notes.line[i], notes[i]);
    reading_finish(&r);
}
END_TEST

START_TEST(a_note_that_is_lost_for_lack_of_memory_is_missed)
{
    for (long n = 0; n < 3; n++) {
        config_notes notes = {0};
        deny(n); /* its text, or where notes are listed */
        config_note(&notes, "a note of %d", 1);
        const bool denied = deny_end();
        ck_assert_int_eq(denied, n < 2);
        ck_assert_int_eq(notes.incomplete, denied);
        ck_assert_uint_eq(notes.n, denied ? 0 : 1);
        config_notes_free(&notes);
    }
}
END_TEST

START_TEST(the_lists_of_a_rope_are_refused_without_memory)
{
    static const config_rope_request request = {.head_dim = 2, .default_theta = 10000, .old_scaling = true};
    bool denied = true;
    for (long n = 0; denied; n++) {
        reading r;
        rope out;
        reading_start(&r, "{\"max_position_embeddings\": 8, \"rope_scaling\": {\"type\": \"longrope\", "
                          "\"original_max_position_embeddings\": 4, \"short_factor\": [1], "
                          "\"long_factor\": [2]}}");
        deny(n);
        config_rope(&r.c, &request, &out);
        denied = deny_end();
        if (!denied) ck_assert_double_eq(out.long_factor[0], 2);
        ck_assert(r.c.status == ASSAY_ENOMEM || !denied || r.notes.incomplete);
        rope_free(&out);
        reading_finish(&r);
    }
}
END_TEST

START_TEST(a_value_outranks_its_default)
{
    reading r;
    reading_start(&r, "{\"a\": 2147483647, \"b\": 0, \"c\": 0.25, \"d\": false, \"e\": \"x\", \"f\": null}");
    ck_assert_uint_eq(config_size_or(&r.c, "a", 7), INT32_MAX);
    ck_assert_uint_eq(config_count_or(&r.c, "b", 7), 0);
    ck_assert(config_not_negative_or(&r.c, "c", 7) == 0.25 && config_real(&r.c, "c") == 0.25);
    ck_assert(!config_flag_or(&r.c, "d", true));
    ck_assert_str_eq(config_text_or(&r.c, "e", "plain"), "x");
    ck_assert(config_is_null(&r.c, "f") && !config_is_null(&r.c, "e") && !config_is_null(&r.c, "g"));
    ck_assert(!config_has(&r.c, "f") && config_has(&r.c, "e") && !config_has(&r.c, "g"));
    ck_assert_uint_eq(r.notes.n, 0);
    (void)config_size(&r.c, "f");
    ck_assert(!config_is_null(&r.c, "f") && !config_has(&r.c, "e"));
    reading_expect(&r, ASSAY_EFORMAT, "f: missing", "a positive integer");
}
END_TEST

START_TEST(a_long_name_or_value_is_shown_in_part)
{
    char text[700], expected[400], member[251];
    reading r;
    memset(member, 'm', 250);
    member[250] = '\0';
    (void)snprintf(text, sizeof text, "{\"%s\": \"%s\"}", member, member);
    reading_start(&r, text);
    (void)config_size(&r.c, member);
    (void)snprintf(expected, sizeof expected,
                   "config.json: %.120s: found \"%.79s, expected a positive integer", member, member);
    ck_assert_str_eq(r.err.text, expected);
    reading_finish(&r);
    (void)snprintf(text, sizeof text, "{\"%s\": [1, 2, \"%s\"]}", member, member);
    reading_start(&r, text);
    double out[3];
    (void)config_reals(&r.c, member, false, out, 3);
    (void)snprintf(expected, sizeof expected,
                   "config.json: %.80s[2]: found \"%.79s, expected a finite number", member, member);
    ck_assert_str_eq(r.err.text, expected);
    reading_finish(&r);
}
END_TEST

START_TEST(a_long_value_is_not_cut_inside_a_character)
{
    char text[200], expected[200], member[79];
    reading r;
    memset(member, 'm', 78);
    member[78] = '\0';
    (void)snprintf(text, sizeof text, "{\"n\": \"%s\303\251\"}", member);
    reading_start(&r, text);
    (void)config_size(&r.c, "n");
    (void)snprintf(expected, sizeof expected, "config.json: n: found \"%s, expected a positive integer",
                   member);
    ck_assert_str_eq(r.err.text, expected);
    reading_finish(&r);
}
END_TEST

START_TEST(numbers_have_their_range)
{
    reading r;
    reading_start(&r, "{\"x\": -1e-05, \"y\": 0}");
    (void)config_not_negative_or(&r.c, "x", 1);
    reading_expect(&r, ASSAY_EFORMAT, "x: found -1e-05, expected a number of at least 0", "");
    reading_start(&r, "{\"x\": 0.0, \"y\": 0.30000000000000000001}");
    ck_assert(config_not_negative_or(&r.c, "x", 1) == 0);
    ck_assert(config_positive(&r.c, "y") == 0.3);
    (void)config_positive(&r.c, "x");
    reading_expect(&r, ASSAY_EFORMAT, "x: found 0.0, expected a number above 0", "");
}
END_TEST

START_TEST(a_string_with_nul_is_refused)
{
    reading r;
    reading_start(&r, "{\"x\": \"silu\\u0000y\"}");
    (void)config_text(&r.c, "x");
    reading_expect(&r, ASSAY_EFORMAT, "x: found \"silu\\u0000y\"", "expected a string without U+0000");
}
END_TEST

START_TEST(a_member_that_is_not_understood_is_refused)
{
    reading r;
    reading_start(&r, "{\"hidden_size\": 8, \"architectures\": [], \"nothing\": null, \"surprise\": 1.50}");
    (void)config_size(&r.c, "hidden_size");
    config_end(&r.c);
    ck_assert_int_eq(r.c.status, ASSAY_EUNSUPPORTED);
    ck_assert_str_eq(r.err.text,
                     "config.json: surprise: found 1.50, which is not understood and may change the "
                     "mathematics; --allow-unknown surprise goes on without it");
    config_notes_free(&r.notes);
    json_object_put(r.document);
}
END_TEST

START_TEST(a_member_that_is_allowed_is_noted)
{
    static const char *const ALLOWED[] = {"other", "surprise", NULL}, *const INSIDE[] = {"a.surprise", NULL};
    reading r;
    config inner;
    reading_start(&r, "{\"surprise\": 1}");
    r.c.allowed = ALLOWED;
    config_end(&r.c);
    ck_assert_int_eq(r.c.status, ASSAY_OK);
    ck_assert_uint_eq(r.notes.n, 1);
    ck_assert_str_eq(r.notes.line[0], "surprise: not understood, ignored as --allow-unknown asks");
    config_notes_free(&r.notes);
    json_object_put(r.document);

    for (int i = 0; i < 2; i++) { /* the whole path must be named */
        reading_start(&r, "{\"a\": {\"surprise\": 1}}");
        r.c.allowed = i ? INSIDE : ALLOWED;
        config_begin_inside(&inner, &r.c, "a.", config_member(&r.c, "a"));
        config_end_strict(&inner, "expected nothing");
        ck_assert_int_eq(r.c.status, i ? ASSAY_OK : ASSAY_EUNSUPPORTED);
        if (!i)
            ck_assert_ptr_nonnull(strstr(r.err.text, "a.surprise: found 1, expected nothing; --allow-unknown "
                                                     "a.surprise goes on"));
        reading_finish(&r);
    }
}
END_TEST

START_TEST(lists_must_have_their_length)
{
    reading r;
    double out[3];
    reading_start(&r, "{\"x\": [1, 2]}");
    ck_assert(!config_reals(&r.c, "x", true, out, 3));
    reading_expect(&r, ASSAY_EFORMAT, "x: found [1,2], expected one or a list of 3 numbers", "");
    reading_start(&r, "{\"x\": [1, 2, 3]}");
    ck_assert(config_reals(&r.c, "x", false, out, 3));
    ck_assert(out[0] == 1 && out[1] == 2 && out[2] == 3);
    ck_assert(!config_reals(&r.c, "absent", false, out, 3));
    ck_assert_int_eq(r.c.status, ASSAY_OK);
    reading_finish(&r);
}
END_TEST

START_TEST(lists_must_hold_numbers_of_their_kind)
{
    reading r;
    double reals[2];
    size_t sizes[2];
    reading_start(&r, "{\"x\": [1, \"2\"]}");
    ck_assert(!config_reals(&r.c, "x", false, reals, 2));
    reading_expect(&r, ASSAY_EFORMAT, "x[1]: found \"2\"", "a finite number");
    reading_start(&r, "{\"x\": [1, 0]}");
    ck_assert(!config_sizes(&r.c, "x", false, sizes, 2));
    reading_expect(&r, ASSAY_EFORMAT, "x[1]: found 0", "a positive integer");
    reading_start(&r, "{\"x\": [2147483648, 1]}");
    ck_assert(!config_sizes(&r.c, "x", false, sizes, 2));
    reading_expect(&r, ASSAY_EFORMAT, "x[0]: found 2147483648", "larger than 2147483647");
}
END_TEST

START_TEST(a_scalar_is_accepted_as_a_list_only_where_allowed)
{
    reading r;
    size_t out[2] = {0};
    reading_start(&r, "{\"x\": 5}");
    ck_assert(config_sizes(&r.c, "x", true, out, 2));
    ck_assert_uint_eq(out[1], 5);
    ck_assert(!config_sizes(&r.c, "x", false, out, 2));
    reading_expect(&r, ASSAY_EFORMAT, "x: found 5, expected a list of 2 positive integers", "");
}
END_TEST

START_TEST(the_first_error_stays)
{
    reading r;
    reading_start(&r, "{\"b\": 0}");
    (void)config_size(&r.c, "a");
    (void)config_size(&r.c, "b");
    reading_expect(&r, ASSAY_EFORMAT, "a: missing", "");
}
END_TEST

static const char *const SWITCHED_ON[] = {"{\"x\": {\"bits\": 4}}", "{\"x\": true}", "{\"x\": 0.5}",
                                          "{\"x\": [0]}", "{\"x\": \"\"}"};

START_TEST(members_that_would_change_the_mathematics_are_refused)
{
    reading r;
    reading_start(&r, "{\"a\": false, \"b\": {}, \"c\": 0, \"d\": 0.0, \"e\": [], \"f\": null}");
    for (const char *name = "abcdefg"; *name; name++) config_refuse(&r.c, (const char[]){*name, '\0'});
    ck_assert_int_eq(r.c.status, ASSAY_OK);
    reading_finish(&r);
    for (size_t i = 0; i < sizeof SWITCHED_ON / sizeof *SWITCHED_ON; i++) {
        reading_start(&r, SWITCHED_ON[i]);
        config_refuse(&r.c, "x");
        reading_expect(&r, ASSAY_EUNSUPPORTED, "x: found", "which this family does not implement");
    }
}
END_TEST

START_TEST(a_document_that_is_no_object_is_refused)
{
    reading r;
    reading_start(&r, "[1]");
    ck_assert_uint_eq(config_size(&r.c, "a"), 0);
    reading_expect(&r, ASSAY_EFORMAT, "an object", "array");
}
END_TEST

START_TEST(a_failure_deep_inside_reaches_every_reader)
{
    reading r;
    config a, b;
    reading_start(&r, "{\"a\": {\"b\": {\"n\": -1}}}");
    config_begin_inside(&a, &r.c, "a.", config_member(&r.c, "a"));
    config_begin_inside(&b, &a, "a.b.", config_member(&a, "b"));
    ck_assert_uint_eq(config_size(&b, "n"), 0);
    ck_assert(a.status == ASSAY_EFORMAT && r.c.status == ASSAY_EFORMAT);
    config_drop(&b);
    config_drop(&a);
    reading_expect(&r, ASSAY_EFORMAT, "a.b.n: found -1", "a positive integer");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/config");
    TCase *members = tcase_create("members");
    tcase_add_test(members, a_missing_required_member_is_named);
    tcase_add_test(members, null_counts_as_missing);
    tcase_add_loop_test(members, only_positive_integers_are_sizes, 0,
                        (int)(sizeof NOT_SIZES / sizeof *NOT_SIZES));
    tcase_add_test(members, a_count_may_be_zero_and_not_negative);
    tcase_add_test(members, text_is_not_a_number_nor_a_flag);
    tcase_add_test(members, a_default_is_noted);
    tcase_add_test(members, a_note_that_is_lost_for_lack_of_memory_is_missed);
    tcase_add_test(members, a_value_outranks_its_default);
    tcase_add_test(members, a_long_name_or_value_is_shown_in_part);
    tcase_add_test(members, a_long_value_is_not_cut_inside_a_character);
    tcase_add_test(members, numbers_have_their_range);
    tcase_add_test(members, a_string_with_nul_is_refused);
    tcase_add_test(members, a_member_that_is_not_understood_is_refused);
    tcase_add_test(members, a_member_that_is_allowed_is_noted);
    tcase_add_test(members, lists_must_have_their_length);
    tcase_add_test(members, lists_must_hold_numbers_of_their_kind);
    tcase_add_test(members, a_scalar_is_accepted_as_a_list_only_where_allowed);
    tcase_add_test(members, the_first_error_stays);
    tcase_add_test(members, the_lists_of_a_rope_are_refused_without_memory);
    tcase_add_test(members, members_that_would_change_the_mathematics_are_refused);
    tcase_add_test(members, a_document_that_is_no_object_is_refused);
    tcase_add_test(members, a_failure_deep_inside_reaches_every_reader);
    suite_add_tcase(suite, members);
    return support_run(suite);
}
