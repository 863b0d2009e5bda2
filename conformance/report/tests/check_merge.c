/* Joining the results of shards.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <string.h>
#include <unistd.h>

#include "conformance/tests/support.h"

/* Cases of every outcome, and an observation, which is passed over. */
static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    for (int i = 0; i < 5; i++) (void)support_write_decoder(support_path("cases/ok%d.h5", i), "logits", "ok");
    (void)support_write_decoder(support_path("cases/<off>\"'.h5"), "logits", "off");
    (void)support_write_decoder(support_path("cases/off-traced.h5"), "logits", "off-traced");
    (void)support_write_decoder(support_path("cases/skip.h5"), "logits", "unsupported");
    (void)support_write_decoder(support_path("cases/nan.h5"), "logits", "text");
    (void)support_write_decoder(support_path("cases/talks.h5"), "logits", "prints");
    const char *golden = support_path("cases/ok0.h5");
    (void)support_observe(golden, "float32", support_path("cases/observed.h5"));
    support_write_text(support_path("cases/text.h5"), "no HDF5");
}

/* Runs a script with `run` and `merge`, and `plain FILE`, which removes times and the host from a report. */
static const support_output *script(const char *text)
{
    char command[16384];
    (void)snprintf(command, sizeof command,
                   "export ASSAY_ENGINE_PATH=$(dirname %s)\n"
                   "run() { \"$ASSAY\" run -e fake32 -e fake64 \"$@\" cases; }\n"
                   "merge() { \"$ASSAY\" merge \"$@\"; }\n"
                   "plain() { sed -E '/\"(seconds|finished)\":/d; "
                   "s/ (time|timestamp|hostname)=\"[^\"]*\"//g' \"$1\"; }\n"
                   "shards() { for i in $(seq \"$1\"); do run --shard $i/$1 --json $i.json >/dev/null 2>&1; "
                   "done; true; }\n%s",
                   support_engine("fake32"), text);
    return support_shell(command);
}

START_TEST(the_merged_reports_are_those_of_one_run)
{
    static const char text[] =
        "run --json one.json --junit one.xml --tap one.tap >one.out 2>/dev/null; a=$?\n"
        "shards 3\n"
        "merge --json all.json --junit all.xml --tap all.tap 2.json 3.json 1.json >all.out; b=$?\n"
        "for f in json xml tap out; do plain one.$f >a; plain all.$f >b; diff a b || exit 9; done\n"
        "echo $a $b $(wc -l <all.tap)";
    const support_output *o = script(text);
    assert_code(o, 0);
    assert_holds(o->out, "99 99 ");
    ck_assert_str_eq(o->err, "");
}
END_TEST

START_TEST(merging_one_run_changes_not_a_byte)
{
    const support_output *o =
        script("run -v --json one.json >one.out 2>/dev/null; merge -v one.json --json all.json >all.out\n"
               "cmp one.json all.json && cmp one.out all.out && grep -c REPRO all.out");
    assert_code(o, 0);
}
END_TEST

/* page: the pictures and the rest of a page but for what differs by the time. */
START_TEST(the_pictures_of_failures_are_those_of_one_run)
{
    static const char text[] =
        "page() { sed -E '/<dt>finished/d' \"$1\"; }\n"
        "run --html one.html --json one.json >/dev/null 2>&1\n"
        "for i in 1 2 3; do run --shard $i/3 --json $i.json --profiles >/dev/null 2>&1; done\n"
        "merge --html all.html --json all.json 2.json 3.json 1.json >/dev/null\n"
        "page one.html >a; page all.html >b; diff a b || exit 9\n"
        "plain one.json >a; plain all.json >b; diff a b || exit 9\n"
        "shards 3; merge --html none.html 2.json 3.json 1.json >/dev/null\n"
        "for f in one all none; do grep -c '<title>Error by position' $f.html; done; grep -c '\"profile\":' "
        "[123].json\n"
        "run --profiles; echo $?";
    const support_output *o = script(text);
    ck_assert_str_eq(o->out, "4\n4\n0\n1.json:0\n2.json:0\n3.json:0\n2\n");
    ck_assert_str_eq(o->err, "assay: option --profiles needs --json\n");
}
END_TEST

/* 16 failures, of which each shard collects up to ten; a comparison sees none of them. */
START_TEST(a_page_has_pictures_of_the_most_severe_failures_of_all_shards)
{
    static const char text[] =
        "for i in 1 2 3 4 5 6; do cp 'cases/<off>\"'\"'\"'.h5' cases/off$i.h5; done\n"
        "run --html one.html --json one.json >/dev/null 2>&1\n"
        "for i in 1 2; do run --shard $i/2 --json $i.json --profiles >/dev/null 2>&1; done\n"
        "merge --html all.html --json all.json 2.json 1.json >/dev/null\n"
        "for f in one all; do grep -c '<title>Error by position' $f.html; grep -c '\"profile\":' $f.json; "
        "done\n"
        "cat 1.json 2.json | grep -c '\"profile\":'\n"
        "run --json plain.json >/dev/null 2>&1; \"$ASSAY\" compare plain.json all.json >compared; echo $?\n"
        "grep -c profile compared";
    const support_output *o = script(text);
    ck_assert_str_eq(o->out, "10\n10\n10\n10\n16\n0\n0\n");
}
END_TEST

START_TEST(the_machines_are_those_of_the_shards)
{
    static const char text[] =
        "shards 3\n"
        "sed -i 's/\"processor\":\"[^\"]*/\"processor\":\"one/' 1.json 3.json\n"
        "sed -i 's/\"processor\":\"[^\"]*/\"processor\":\"two/' 2.json\n"
        "merge --json all.json --html all.html 3.json 2.json 1.json >/dev/null\n"
        "grep -o '\"processor\":\"[a-z]*' all.json; grep -o '<dt>machine</dt><dd>[a-z]*' all.html";
    const support_output *o = script(text);
    ck_assert_str_eq(o->out, "\"processor\":\"one\n\"processor\":\"two\n"
                             "<dt>machine</dt><dd>one\n<dt>machine</dt><dd>two\n");
}
END_TEST

START_TEST(how_the_machines_were_used_is_said)
{
    static const char text[] =
        "ASSAY_ISA=scalar run --jobs 3 --shard 1/2 --json 1.json >/dev/null 2>&1\n"
        "ASSAY_WORKERS=$(printf '5\\033') run --jobs 2 --shard 2/2 --json 2.json >/dev/null 2>&1\n"
        "merge --json all.json --html all.html 1.json 2.json >/dev/null\n"
        "grep -oE '\"(isa|workers|jobs)\":[^,}]*' all.json; grep -o '<dt>machine.*<' all.html | grep -oE "
        "'(ASSAY|--jobs).*'";
    const support_output *o = script(text);
    ck_assert_str_eq(o->out, "\"isa\":\"scalar\"\n\"jobs\":3\n\"workers\":\"5\\\\u001B\"\n\"jobs\":2\n"
                             "ASSAY_ISA=scalar, --jobs 3<\nASSAY_WORKERS=5\\u001B, --jobs 2<\n");
}
END_TEST

START_TEST(the_exit_status_is_that_of_one_run)
{
    const support_output *o =
        script("rm cases/text.h5 cases/*off* cases/nan.h5; shards 2; merge 1.json 2.json");
    assert_code(o, 0);
    assert_holds(o->out, "total   12 passed, 0 failed, 2 skipped\n");
    o = script("shards 2; merge 1.json 2.json --json - | grep -c '\"position\"'");
    assert_holds(o->out, "14\n");
    o = script("rm cases/ok* cases/talks.h5 cases/observed.h5; shards 2; merge 1.json 2.json --json m");
    assert_code(o, 77);
    assert_holds(o->err, "assay: nothing could be run\n");
}
END_TEST

START_TEST(missing_shards_are_named)
{
    const support_output *o = script("shards 7; merge 2.json 6.json --json m");
    assert_code(o, 99);
    ck_assert_str_eq(o->err, "assay: 5 of 7 shards are missing: 1, 3 to 5, 7\n");
    ck_assert_str_eq(o->out, "");
    ck_assert_int_ne(access(support_path("m"), F_OK), 0);
    o = script("merge 1.json 2.json 3.json 4.json 5.json 7.json");
    assert_code(o, 99);
    ck_assert_str_eq(o->err, "assay: 1 of 7 shards is missing: 6\n");
    o = script("merge --expect 6 1.json");
    assert_code(o, 99);
    ck_assert_str_eq(o->err, "assay: 1.json: shard.total: found 7, expected 6\n");
    o = script("merge");
    assert_code(o, 2);
    ck_assert_str_eq(o->err, "assay: merge needs a result: assay merge RESULT.json...\n");
}
END_TEST

START_TEST(empty_shards_are_shards)
{
    const support_output *o =
        script("shards 20; merge 20.json 19.json $(seq -f %g.json 18) --json all.json >all.out; a=$?\n"
               "run --json one.json >one.out 2>/dev/null; cmp one.out all.out; "
               "plain one.json >a; plain all.json >b; cmp a b; exit $a");
    assert_code(o, 99);
    ck_assert_str_eq(o->out, "");
    ck_assert_str_eq(o->err, "");
}
END_TEST

START_TEST(attempts_that_agree_are_one_and_the_first_counts)
{
    const support_output *o =
        script("shards 2; sed 's/\"finished\":\"20/\"finished\":\"10/; s/\"seconds\":.*,/\"seconds\":77.5,/' "
               "2.json >2b.json\n"
               "merge 1.json 2.json 2b.json --json - >m; echo $?; grep -c '\"seconds\":77.5' m");
    assert_holds(o->out, "99\n");
    assert_lacks(o->out, "\n0\n");
    ck_assert_str_eq(o->err,
                     "assay: shard 2/2 has two attempts, 2b.json and 2.json: they agree, and the first "
                     "was completed first and counts\n");
    o = script("merge 2b.json 1.json 2.json --json - | cmp - m");
    ck_assert_str_eq(o->out, "");
}
END_TEST

START_TEST(attempts_that_disagree_are_named)
{
    const support_output *o = script(
        "shards 1; sed '0,/\"outcome\":\"passed\"/s//\"outcome\":\"skipped\"/; "
        "0,/\"reason\":\"\"/s//\"reason\":\"why\"/; "
        "s/\"passed\":\\([0-9]*\\)/\"passed\":'"
        "$(($(sed -n 's/.*\"passed\":\\([0-9]*\\),/\\1/p' 1.json) - 1))'/; s/\"skipped\":[0-9]*/\"skipped\":'"
        "$(($(sed -n 's/.*\"skipped\":\\([0-9]*\\),/\\1/p' 1.json) + 1))'/' 1.json >2.json; "
        "merge 1.json 2.json");
    assert_code(o, 99);
    assert_holds(o->err, "assay: attempts of shard 1/1 disagree: case ");
    assert_holds(o->err, ": outcome: 1.json has \"passed\", 2.json has \"skipped\"\n");
    ck_assert_str_eq(o->out, "");
    o = script("sed '0,/\"multiple\":[0-9]/s//\"multiple\":77/' 1.json >2.json; merge 1.json 2.json");
    assert_code(o, 99);
    assert_holds(o->err, ": multiple: 1.json has \"");
    assert_holds(o->err, "2.json has \"77");
}
END_TEST

START_TEST(an_interrupted_attempt_counts_only_if_it_is_replaced)
{
    const support_output *o = script("shards 2; sed 's/\"interrupted\":false/\"interrupted\":true/' 2.json "
                                     ">2b.json; merge 1.json 2b.json");
    assert_code(o, 99);
    ck_assert_str_eq(
        o->err, "assay: 2b.json: shard.interrupted: found true, expected false: shard 2/2 is incomplete, "
                "and no other attempt of it was given\n");
    o = script("merge 1.json 2b.json 2.json >/dev/null; echo $?");
    ck_assert_str_eq(o->out, "99\n");
    ck_assert_str_eq(o->err,
                     "assay: shard 2/2 has two attempts, 2.json and 2b.json: the second was interrupted, the "
                     "first counts\n");
}
END_TEST

/* An edit of shard 2, and the message. */
static const struct {
    const char *edit, *message;
} contradictions[] = {
    {"s/\"total\":2/\"total\":3/",
     "2.json: shard.total: found 3, expected 2, as in 1.json: not shards of one run"},
    {"s/\"selected\":12/\"selected\":13/", "2.json: shard.selected: found 13, expected 12, as in 1.json"},
    {"s/\"selection\":\"../\"selection\":\"00/", "2.json: shard.selection: found 00"},
    {"s/\"timeout_fixed\":false/\"timeout_fixed\":true/", "2.json: settings: found {"},
    {"s/\"timeout\":60.0/\"timeout\":61.0/", "2.json: settings: found {"},
    {"s/\"version\":\"/\"version\":\"0/", "2.json: settings: found {"},
    {"s/\"kernels\":null/\"kernels\":\"own.so\"/",
     "2.json: kernels: found \"own.so\", expected null, as in 1.json"},
    {"s/\"compute\":null/\"compute\":\"bf16\"/",
     "2.json: compute: found \"bf16\", expected null, as in 1.json"},
    {"s/\"engine\":\"fake64\"/\"engine\":\"fake65\"/", "2.json: engines: found ["},
    /* two builds of one engine */
    {"0,/\"module\":\"../s//\"module\":\"00/", "2.json: engines: found ["},
    {"0,/\"version\":\"fake/s//\"version\":\"other/", "2.json: engines: found ["},
    /* the verdict follows from the numbers */
    {"0,/\"multiple\":[0-9.e-]*/s//\"multiple\":1000000000.0/",
     "outcome: found passed, expected failed: the multiple is 1e+09, of which "},
    /* the cases are those that were divided */
    {"s/\"case\":\"ok[0-9]\"/\"case\":\"other\"/", "1.json: shard.selection: found "},
    {"s/\"index\":2/\"index\":1/", "attempts of shard 1/2 disagree: "},
    {"$!d", "2.json: "},
    {"20q", "2.json: "},
};

static void setup_shards(void)
{
    setup();
    assert_code(script("shards 2; mkdir whole; mv 1.json 2.json whole"), 0);
}

START_TEST(contradictions_are_named)
{
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "cp whole/1.json .; sed '%s' whole/2.json >2.json; merge 1.json 2.json --json m",
                   contradictions[_i].edit);
    const support_output *o = script(text);
    assert_code(o, 99);
    assert_holds(o->err, contradictions[_i].message);
    ck_assert_str_eq(o->out, "");
    ck_assert_int_ne(access(support_path("m"), F_OK), 0);
}
END_TEST

START_TEST(swapped_shards_are_refused)
{
    const support_output *o = script("sed 's/\"index\":1/\"index\":2/' whole/1.json >1.json; "
                                     "sed 's/\"index\":2/\"index\":1/' whole/2.json >2.json; "
                                     "merge 1.json 2.json");
    assert_code(o, 99);
    assert_holds(o->err, "shard.division: found ");
    ck_assert_str_eq(o->out, "");
}
END_TEST

/* Removes a result from the document, and lowers the total of its outcome. Returns its position. */
static int take_result(json_object *document, size_t at)
{
    json_object *results = json_object_object_get(document, "results"),
                *totals = json_object_object_get(document, "totals"),
                *one = json_object_array_get_idx(results, at);
    const int position = json_object_get_int(json_object_object_get(one, "position"));
    json_object *total =
        json_object_object_get(totals, json_object_get_string(json_object_object_get(one, "outcome")));
    (void)json_object_set_int(total, json_object_get_int(total) - 1);
    (void)json_object_array_del_idx(results, at, 1);
    return position;
}

/* The results of the last case become a file that was passed over, if the shard has the case. */
static void pass_over(const char *path, const char *id)
{
    json_object *document = json_object_from_file(path), *shard = json_object_object_get(document, "shard"),
                *results = json_object_object_get(document, "results"),
                *places = json_object_object_get(shard, "passed_over"),
                *ids = json_object_object_get(shard, "passed_over_cases");
    int position = -1;
    ck_assert(results && places && ids);
    for (size_t i = json_object_array_length(results); i-- > 0;) {
        json_object *name = json_object_object_get(json_object_array_get_idx(results, i), "case");
        if (strcmp(json_object_get_string(name), id) == 0) position = take_result(document, i);
    }
    if (position >= 0) {
        ck_assert_int_eq(json_object_array_add(places, json_object_new_int(position)), 0);
        ck_assert_int_eq(json_object_array_add(ids, json_object_new_string(id)), 0);
    }
    ck_assert_int_eq(json_object_to_file(path, document), 0);
    (void)json_object_put(document);
}

START_TEST(a_case_that_became_a_file_that_was_passed_over_is_missed)
{
    assert_code(script("cp whole/*.json ."), 0);
    pass_over(support_path("1.json"), "text");
    pass_over(support_path("2.json"), "text");
    const support_output *o = script("merge 1.json 2.json");
    assert_code(o, 99);
    assert_holds(o->err, "shard.division: found ");
    ck_assert_str_eq(o->out, "");
}
END_TEST

/* Shards that were divided when the files had other costs: no case may be lost or counted twice. */
START_TEST(shards_of_different_divisions_are_refused)
{
    const support_output *o =
        script("cp whole/1.json .; sed 's/\"index\":1/\"index\":2/' 1.json >2.json; merge 1.json 2.json");
    assert_code(o, 99);
    assert_holds(o->err, "assay: 1.json and 2.json: both have the case at position ");
    assert_holds(o->err, ": their shards were divided by different files\n");
    ck_assert_str_eq(o->out, "");
    o = script("sed -i 's/\"index\":2/\"index\":1/; s/\"total\":2/\"total\":1/' 2.json; merge 2.json");
    assert_code(o, 99);
    assert_holds(o->err,
                 "assay: 2.json: shard.selected: found 12 cases, expected results of each, and none has the "
                 "one at position ");
    ck_assert_str_eq(o->out, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/report/merge");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, support_teardown);
    tcase_add_test(t, the_merged_reports_are_those_of_one_run);
    tcase_add_test(t, merging_one_run_changes_not_a_byte);
    tcase_add_test(t, the_pictures_of_failures_are_those_of_one_run);
    tcase_add_test(t, a_page_has_pictures_of_the_most_severe_failures_of_all_shards);
    tcase_add_test(t, the_machines_are_those_of_the_shards);
    tcase_add_test(t, how_the_machines_were_used_is_said);
    tcase_add_test(t, the_exit_status_is_that_of_one_run);
    tcase_add_test(t, missing_shards_are_named);
    tcase_add_test(t, empty_shards_are_shards);
    tcase_add_test(t, attempts_that_agree_are_one_and_the_first_counts);
    tcase_add_test(t, attempts_that_disagree_are_named);
    tcase_add_test(t, an_interrupted_attempt_counts_only_if_it_is_replaced);
    suite_add_tcase(suite, t);

    TCase *of_two = tcase_create("two shards"); /* which are run once */
    tcase_set_timeout(of_two, 120);
    tcase_add_unchecked_fixture(of_two, setup_shards, support_teardown);
    tcase_add_loop_test(of_two, contradictions_are_named, 0,
                        (int)(sizeof contradictions / sizeof *contradictions));
    tcase_add_test(of_two, swapped_shards_are_refused);
    tcase_add_test(of_two, a_case_that_became_a_file_that_was_passed_over_is_missed);
    tcase_add_test(of_two, shards_of_different_divisions_are_refused);
    suite_add_tcase(suite, of_two);
    return support_run(suite);
}
