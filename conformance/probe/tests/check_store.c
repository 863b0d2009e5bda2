/* Saved runs in both forms: what is written is read again, and damaged archives are refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conformance/probe/wire/archive.h"
#include "conformance/probe/wire/store.h"
#include "conformance/tests/support.h"

static const char *const forms[] = {"run", "run.jsonl"};

/* An exchange that ended, whose bodies have every byte. */
static void make_exchange(probe_exchange *x)
{
    char all[256];
    for (int i = 0; i < 256; i++) all[i] = (char)(unsigned char)i;
    probe_exchange_begin(x, "chat/every-byte", "/v1/chat/completions");
    ck_assert(buffer_append(&x->request, all, sizeof all));
    ck_assert(probe_exchange_arrive(x, all, 200, 0.125) && probe_exchange_arrive(x, all, sizeof all, 0.1));
    probe_exchange_end(x, PROBE_BROKEN_OFF, "why \"it\" ended");
    x->delay = 0.5;
    x->leave_after = 3;
    x->status = 200;
    x->began = 1.5e9;
    x->sent = 0.0625;
    (void)snprintf(x->content_type, sizeof x->content_type, "text/event-stream");
}

static void write_store(const char *path, const probe_exchange *x, size_t n)
{
    probe_store *store;
    assay_error err;
    ck_assert_msg(probe_store_create(path, "http://h:1", 7, &store, &err) == ASSAY_OK, "%s", err.text);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(probe_store_write(store, &x[i], &err) == ASSAY_OK, "%s", err.text);
    probe_store_close(store);
}

static probe_store *open_store(const char *path)
{
    probe_store *store;
    char *url = NULL;
    uint32_t number = 0;
    assay_error err;
    ck_assert_msg(probe_store_open(path, &store, &url, &number, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_str_eq(url, "http://h:1");
    ck_assert_uint_eq(number, 7);
    free(url);
    return store;
}

static void assert_same_answer(const probe_exchange *a, const probe_exchange *b)
{
    ck_assert_int_eq(a->end, b->end);
    ck_assert_int_eq(a->status, b->status);
    ck_assert_str_eq(a->why, b->why);
    ck_assert_str_eq(a->content_type, b->content_type);
    ck_assert(a->began == b->began && a->sent == b->sent && a->first == b->first && a->last == b->last);
    ck_assert_uint_eq(a->body.n, b->body.n);
    ck_assert(a->body.n == 0 || memcmp(a->body.data, b->body.data, a->body.n) == 0);
    ck_assert_uint_eq(a->n_arrivals, b->n_arrivals);
    for (size_t i = 0; i < a->n_arrivals; i++)
        ck_assert(a->arrivals[i].n_bytes == b->arrivals[i].n_bytes &&
                  a->arrivals[i].seconds == b->arrivals[i].seconds);
}

START_TEST(saved_exchange_is_read_again_byte_for_byte)
{
    probe_exchange x, again;
    assay_error err;
    make_exchange(&x);
    write_store(support_path("%s", forms[_i]), &x, 1);
    probe_store *store = open_store(support_path("%s", forms[_i]));
    probe_exchange_begin(&again, x.label, x.path);
    ck_assert(buffer_append(&again.request, x.request.data, x.request.n));
    ck_assert_int_eq(probe_store_read(store, &again, &err), ASSAY_OK);
    assert_same_answer(&x, &again);
    probe_exchange_free(&again);
    probe_exchange_begin(&again, x.label, x.path);
    ck_assert_int_eq(probe_store_read(store, &again, &err), ASSAY_OK);
    ck_assert_int_eq(again.end, PROBE_NOT_SAVED);
    assert_holds(again.why, "another request");
    probe_exchange_free(&again);
    probe_exchange_begin(&again, "chat/every", x.path);
    ck_assert_int_eq(probe_store_read(store, &again, &err), ASSAY_OK);
    ck_assert_int_eq(again.end, PROBE_NOT_SAVED);
    assert_holds(again.why, "no exchange of this label");
    probe_exchange_free(&again);
    probe_store_close(store);
    probe_exchange_free(&x);
}
END_TEST

START_TEST(archive_has_the_question_too)
{
    probe_exchange x[2], stored;
    probe_archive *archive;
    char *url = NULL;
    uint32_t number;
    assay_error err;
    make_exchange(&x[0]);
    probe_exchange_begin(&x[1], "a", "/v1/models");
    x[1].get = true;
    write_store(support_path("run.jsonl"), x, 2);
    ck_assert_int_eq(probe_archive_open(support_path("run.jsonl"), &archive, &url, &number, &err), ASSAY_OK);
    ck_assert_uint_eq(probe_archive_count(archive), 2);
    for (size_t i = 0; i < 2; i++) {
        const probe_exchange *from = &x[1 - i];
        ck_assert_int_eq(probe_archive_get(archive, i, &stored, &err), ASSAY_OK);
        ck_assert_str_eq(stored.label, from->label);
        ck_assert_str_eq(stored.path, from->path);
        ck_assert(stored.get == from->get && stored.delay == from->delay);
        ck_assert_uint_eq(stored.leave_after, from->leave_after);
        ck_assert_uint_eq(stored.request.n, from->request.n);
        ck_assert(stored.request.n == 0 ||
                  memcmp(stored.request.data, from->request.data, stored.request.n) == 0);
        assert_same_answer(&stored, from);
        probe_exchange_free(&stored);
    }
    probe_archive_close(archive);
    free(url);
    for (size_t i = 0; i < 2; i++) probe_exchange_free(&x[i]);
}
END_TEST

START_TEST(saved_run_is_not_overwritten)
{
    probe_store *store = NULL;
    assay_error err;
    write_store(support_path("%s", forms[_i]), NULL, 0);
    ck_assert_int_eq(probe_store_create(support_path("%s", forms[_i]), "u", 0, &store, &err), ASSAY_EIO);
    assert_holds(err.text, forms[_i]);
    assert_holds(err.text, "it exists already: expected a new ");
    ck_assert_ptr_null(store);
}
END_TEST

START_TEST(path_says_the_form)
{
    ck_assert(probe_store_is("x.jsonl") && probe_store_is_archive("a/b.jsonl"));
    ck_assert(!probe_store_is("http://h/x.jsonl") && !probe_store_is(".jsonl") && !probe_store_is("x.json"));
    char *archive = probe_store_observations("a/b.jsonl"), *directory = probe_store_observations("a/b");
    ck_assert_str_eq(archive, "a/b.observations");
    ck_assert_str_eq(directory, "a/b/observations");
    free(archive);
    free(directory);
}
END_TEST

/* Two exchanges, "a" in line 2 and "b" in line 3. */
START_TEST(damaged_archive_is_refused_by_file_line_and_member)
{
    static const struct {
        const char *edit, *reason;
    } cases[] = {
        {"sed 's/}$//'", ", line 1: "},
        {"sed '3s/,\"get\"/,,\"get\"/'", ", line 3: "},
        {"head -c -1", ", line 3: found the end of the file after "},
        {"head -c -40", ", line 3: found the end of the file after "},
        {"head -c 0", ", line 1: found the end of the file, expected the members of a saved run"},
        {"sed 1d", ", line 1: schema: is missing, expected a string"},
        {"sed '1s/exchanges/other/'",
         ", line 1: schema: found assay-probe-other/1, expected assay-probe-exchanges/1"},
        {"sed '1s/{/{\"colour\":1,/'", ", line 1: colour: is unknown to this version"},
        {"sed '2s/{/{\"colour\":1,/'", ", line 2: colour: is unknown to this version"},
        {"sed '2s/.*/[]/'", ", line 2: found an array, expected an object"},
        {"sed 2p", ", line 3: label: found a, which line 2 has, expected a new one"},
        {"sed '3s/\"label\":\"b\"/\"label\":\"\"/'", ", line 3: label: found 0 bytes, expected 1 to 127"},
        {"sed '3s/\"label\":\"b\",//'", ", line 3: label: is missing, expected a string"},
        {"sed '2s/\"get\":false/\"get\":0/'", ", line 2: get: found a whole number, expected a boolean"},
        {"sed '2s/\"status\":0/\"status\":\"x\"/'",
         ", line 2: status: found a string, expected a whole number"},
        {"sed '2s/\"end\":\"unsent\"/\"end\":\"perhaps\"/'",
         ", line 2: end: found perhaps, expected how an exchange ends"},
        {"sed '2s/\"arrivals\":\\[/\"arrivals\":[3/'",
         ", line 2: arrivals[0]: found another value, expected"},
        {"sed '2s/\"arrivals\":\\[/\"arrivals\":[[-1,0]/'",
         ", line 2: arrivals[0][0]: found -1, expected a whole number from 0"},
        {"sed '2s/\"arrivals\":\\[/\"arrivals\":[[1,\"\"]/'",
         ", line 2: arrivals[0][1]: found a string, expected a number"},
        {"sed '2s/\"response\":\"\"/\"response\":null/'",
         ", line 2: response: found null, expected a string"},
        {"sed '2s/\"request\":\"\"/\"request_base64\":\"A\"/'",
         ", line 2: request_base64: found 1 characters that are not base64"},
        {"sed '2s/\"request\":\"\",//'",
         ", line 2: found neither request nor request_base64, expected one of them"},
    };
    probe_exchange x[2];
    probe_exchange_begin(&x[0], "a", "/p");
    probe_exchange_begin(&x[1], "b", "/p");
    write_store(support_path("run.jsonl"), x, 2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[512];
        probe_store *store = NULL;
        char *url = NULL;
        uint32_t number;
        assay_error err;
        (void)snprintf(command, sizeof command, "%s run.jsonl > bad.jsonl; ! cmp -s run.jsonl bad.jsonl",
                       cases[i].edit);
        assert_code(support_shell(command), 0);
        ck_assert_msg(probe_store_open(support_path("bad.jsonl"), &store, &url, &number, &err) ==
                          ASSAY_EFORMAT,
                      "%s is read, or has status %d", cases[i].edit, err.status);
        ck_assert_msg(strstr(err.text, "bad.jsonl, line "), "%s", err.text);
        ck_assert_msg(strstr(err.text, cases[i].reason), "found %s, expected %s", err.text, cases[i].reason);
        ck_assert(!store && !url);
    }
}
END_TEST

START_TEST(archive_that_changes_while_it_is_read_is_refused)
{
    probe_exchange x;
    assay_error err;
    probe_exchange_begin(&x, "a", "/p");
    write_store(support_path("run.jsonl"), &x, 1);
    probe_store *store = open_store(support_path("run.jsonl"));
    assert_code(
        support_shell("sed 's/\"label\":\"a\"/\"label\":\"b\"/' run.jsonl > other && cat other > run.jsonl"),
        0);
    ck_assert_int_eq(probe_store_read(store, &x, &err), ASSAY_EIO);
    assert_holds(err.text, "found no exchange a in line 2, where it was: the file has changed");
    probe_store_close(store);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("store");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, support_setup, support_teardown);
    tcase_add_loop_test(c, saved_exchange_is_read_again_byte_for_byte, 0, 2);
    tcase_add_test(c, archive_has_the_question_too);
    tcase_add_loop_test(c, saved_run_is_not_overwritten, 0, 2);
    tcase_add_test(c, path_says_the_form);
    tcase_add_test(c, damaged_archive_is_refused_by_file_line_and_member);
    tcase_add_test(c, archive_that_changes_while_it_is_read_is_refused);
    Suite *suite = suite_create("probe/store");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
