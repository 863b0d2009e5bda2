/* Files of JSON lines, bytes in them, and base64.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"
#include "base/json_bytes.h"
#include "base/json_lines.h"

#include "base/tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static void write_file(const char *text, size_t n)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
}

static void setup(void)
{
    (void)snprintf(path, sizeof path, "/tmp/assay-lines.XXXXXX");
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(close(fd), 0);
}

static void teardown(void)
{
    (void)unlink(path);
}

START_TEST(lines_come_in_order_and_again_after_a_seek)
{
    static const json_limits limits = {100, 100};
    json_lines *lines;
    json_object *value;
    json_lines_at second;
    bool more;
    assay_error err;
    static const char text[] = "[1]\n{\"a\": \"\\n\"}\nnull\n";
    write_file(text, strlen(text));
    ck_assert_int_eq(json_lines_open(path, &limits, &lines, &err), ASSAY_OK);
    for (int round = 0; round < 2; round++) {
        if (round == 0) {
            ck_assert_int_eq(json_lines_next(lines, &value, &more, &err), ASSAY_OK);
            ck_assert(more && json_object_is_type(value, json_type_array));
            json_object_put(value);
            second = json_lines_tell(lines);
            ck_assert_uint_eq(second.number, 2);
        } else json_lines_seek(lines, second);
        ck_assert_int_eq(json_lines_next(lines, &value, &more, &err), ASSAY_OK);
        ck_assert(more && json_object_is_type(value, json_type_object));
        ck_assert_ptr_nonnull(strstr(json_lines_place(lines), ", line 2"));
        json_object_put(value);
        ck_assert_int_eq(json_lines_next(lines, &value, &more, &err), ASSAY_OK);
        ck_assert(more && !value);
        ck_assert_int_eq(json_lines_next(lines, &value, &more, &err), ASSAY_OK);
        ck_assert(!more);
    }
    json_lines_close(lines);
}
END_TEST

START_TEST(damaged_line_is_refused_by_file_and_line)
{
    static const json_limits limits = {20, 5};
    static const struct {
        const char *text, *reason;
        assay_status status;
    } cases[] = {
        {"[]\n{\n", ", line 2: ", ASSAY_EFORMAT},
        {"[]\n\n", ", line 2: ", ASSAY_EFORMAT},
        {"[]\n[]", ", line 2: found the end of the file after 2 bytes, expected a line feed", ASSAY_EFORMAT},
        {"[]\n[] []\n", ", line 2: ", ASSAY_EFORMAT},
        {"[]\n\"\xff\"\n", ", line 2: ", ASSAY_EFORMAT},
        {"[]\n\"12345678901234567890\"\n", ", line 2: found more than 20 bytes, expected no more",
         ASSAY_EUNSUPPORTED},
        {"[]\n\"1234567890123456789012", ", line 2: found more than 20 bytes", ASSAY_EUNSUPPORTED},
        {"[]\n[1,2,3,4,5]\n", ", line 2: found more than 5 values", ASSAY_EUNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_lines *lines;
        json_object *value = NULL;
        bool more;
        assay_error err;
        write_file(cases[i].text, strlen(cases[i].text));
        ck_assert_int_eq(json_lines_open(path, &limits, &lines, &err), ASSAY_OK);
        ck_assert_int_eq(json_lines_next(lines, &value, &more, &err), ASSAY_OK);
        json_object_put(value);
        ck_assert_int_eq(json_lines_next(lines, &value, &more, &err), cases[i].status);
        ck_assert_msg(strncmp(err.text, path, strlen(path)) == 0 && strstr(err.text, cases[i].reason), "%s",
                      err.text);
        json_lines_close(lines);
    }
}
END_TEST

/* A sparse file of a terabyte, which has no line feed. */
START_TEST(endless_line_is_not_held_in_memory)
{
    static const json_limits limits = {1000, 5};
    json_lines *lines;
    json_object *value;
    bool more;
    assay_error err;
    if (truncate(path, (off_t)1 << 40) != 0) return;
    ck_assert_int_eq(json_lines_open(path, &limits, &lines, &err), ASSAY_OK);
    ck_assert_int_eq(json_lines_next(lines, &value, &more, &err), ASSAY_EUNSUPPORTED);
    json_lines_close(lines);
}
END_TEST

START_TEST(bytes_survive_as_text_or_as_base64)
{
    char all[256];
    for (int i = 0; i < 256; i++) all[i] = (char)(unsigned char)i;
    const struct {
        const char *bytes;
        size_t n;
        bool is_text;
    } cases[] = {{NULL, 0, true},
                 {"", 0, true},
                 {"a\0\n\"\\/\x7f", 7, true},
                 {"\xf0\x9f\x98\x80\xe2\x80\xa8", 7, true},
                 {"\xff", 1, false},
                 {"a\xc3", 2, false},
                 {"\xed\xa0\x80", 3, false},
                 {all, 256, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assay_error err;
        json_object *object = json_object_new_object(), *back;
        buffer read = {0};
        ck_assert(json_bytes_add(object, "body", cases[i].bytes, cases[i].n));
        ck_assert_int_eq(json_object_object_get_ex(object, "body", NULL), cases[i].is_text);
        const char *line = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
        ck_assert_ptr_null(strchr(line, '\n'));
        ck_assert_int_eq(json_parse("p", line, strlen(line), &back, &err), ASSAY_OK);
        ck_assert_int_eq(json_bytes_read("p", back, "body", &read, &err), ASSAY_OK);
        ck_assert_uint_eq(read.n, cases[i].n);
        ck_assert(read.n == 0 || memcmp(read.data, cases[i].bytes, read.n) == 0);
        buffer_free(&read);
        json_object_put(back);
        json_object_put(object);
    }
}
END_TEST

START_TEST(bytes_of_another_form_are_refused_by_member)
{
    static const char *const cases[][2] = {
        {"{}", "p: found neither body nor body_base64, expected one of them"},
        {"{\"body\": \"\", \"body_base64\": \"\"}",
         "p: found both body and body_base64, expected one of them"},
        {"{\"body\": 3}", "p: body: found int, expected a string"},
        {"{\"body_base64\": null}", "p: body_base64: found null, expected a string"},
        {"{\"body_base64\": \"AA\"}", "p: body_base64: found 2 characters that are not base64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assay_error err;
        json_object *object;
        buffer read = {0};
        ck_assert_int_eq(json_parse("p", cases[i][0], strlen(cases[i][0]), &object, &err), ASSAY_OK);
        ck_assert_int_eq(json_bytes_read("p", object, "body", &read, &err), ASSAY_EFORMAT);
        ck_assert_msg(strncmp(err.text, cases[i][1], strlen(cases[i][1])) == 0, "%s", err.text);
        ck_assert_uint_eq(read.n, 0);
        buffer_free(&read);
        json_object_put(object);
    }
}
END_TEST

/* RFC 4648, section 10. */
START_TEST(base64_is_that_of_the_rfc)
{
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        buffer text = {0}, bytes = {0};
        ck_assert(base64_append(&text, pairs[i][0], strlen(pairs[i][0])));
        ck_assert_uint_eq(text.n, strlen(pairs[i][1]));
        ck_assert(text.n == 0 || memcmp(text.data, pairs[i][1], text.n) == 0);
        ck_assert_int_eq(base64_decode(pairs[i][1], strlen(pairs[i][1]), &bytes), ASSAY_OK);
        ck_assert_uint_eq(bytes.n, strlen(pairs[i][0]));
        ck_assert(bytes.n == 0 || memcmp(bytes.data, pairs[i][0], bytes.n) == 0);
        buffer_free(&text);
        buffer_free(&bytes);
    }
    static const char *const others[] = {
        "Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "Z===", "Zm 9", "Zm9v\n", "Zg==Zg=="};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        buffer bytes = {0};
        ck_assert_msg(base64_decode(others[i], strlen(others[i]), &bytes) == ASSAY_EINVAL, "%s", others[i]);
        ck_assert_uint_eq(bytes.n, 0);
        buffer_free(&bytes);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/json_lines");
    TCase *files = tcase_create("files"), *members = tcase_create("members");
    tcase_add_checked_fixture(files, setup, teardown);
    tcase_add_test(files, lines_come_in_order_and_again_after_a_seek);
    tcase_add_test(files, damaged_line_is_refused_by_file_and_line);
    tcase_add_test(files, endless_line_is_not_held_in_memory);
    tcase_add_test(members, bytes_survive_as_text_or_as_base64);
    tcase_add_test(members, bytes_of_another_form_are_refused_by_member);
    tcase_add_test(members, base64_is_that_of_the_rfc);
    suite_add_tcase(suite, files);
    suite_add_tcase(suite, members);
    return support_run(suite);
}
