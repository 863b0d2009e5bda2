/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/weights.h"

#include "base/tests/support.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SINGLE "model.safetensors"
#define INDEX  "model.safetensors.index.json"

/* Writes a shard whose tensors are single bytes; names is a list of one-letter names, and the byte of a
 * tensor is its name. */
static void write_shard(const char *dir, const char *file, const char *names)
{
    char bytes[2000];
    size_t n = 8;
    for (size_t i = 0; names[i]; i++)
        n +=
            (size_t)sprintf(bytes + n, "%c\"%c\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%zu,%zu]}",
                            i == 0 ? '{' : ',', names[i], i, i + 1);
    bytes[n++] = '}';
    const uint64_t length = n - 8;
    memcpy(bytes, &length, sizeof length);
    memcpy(bytes + n, names, strlen(names));
    (void)support_write(dir, file, bytes, n + strlen(names));
}

static void write_index(const char *dir, const char *text)
{
    (void)support_write(dir, INDEX, text, strlen(text));
}

/* A new directory with two shards, x holding b and c, y holding a, and this index. */
static const char *sharded(const char *name, const char *index)
{
    const char *dir = support_mkdir(support_tmpdir(), name);
    write_shard(dir, "x.safetensors", "cb");
    write_shard(dir, "y.safetensors", "a");
    write_index(dir, index);
    return dir;
}

static void expect_status(const char *dir, assay_status status, const char *file, const char *member,
                          const char *found, const char *expected)
{
    weights *w = NULL;
    assay_error err;
    ck_assert_msg(weights_open(dir, &w, &err) != ASSAY_OK, "accepted: %s", dir);
    support_expect_error(&err, status, dir, file, member, found, expected, NULL);
    ck_assert_ptr_null(w);
    ck_assert_int_eq(weights_open(dir, &w, NULL), status);
}

static void expect_refused(const char *dir, const char *file, const char *member, const char *found,
                           const char *expected)
{
    expect_status(dir, ASSAY_EFORMAT, file, member, found, expected);
}

static void expect_index_refused(const char *index, const char *member, const char *found,
                                 const char *expected)
{
    expect_refused(sharded("index", index), "/" INDEX ": ", member, found, expected);
}

static weights *expect_open(const char *dir)
{
    weights *w = NULL;
    assay_error err = {ASSAY_OK, ""};
    ck_assert_msg(weights_open(dir, &w, &err) == ASSAY_OK, "%s", err.text);
    return w;
}

/* Checks that the tensors are those of `names`, in this order, each with its byte and findable by name. */
static void expect_tensors(const weights *w, const char *names)
{
    ck_assert_uint_eq(weights_count(w), strlen(names));
    for (size_t i = 0; names[i]; i++) {
        const char name[] = {names[i], '\0'};
        const assay_tensor *t = weights_at(w, i);
        ck_assert_str_eq(t->name, name);
        ck_assert_ptr_eq(weights_find(w, name), t);
        ck_assert_int_eq(*(const char *)t->data, names[i]);
    }
    ck_assert_ptr_null(weights_find(w, ""));
    ck_assert_ptr_null(weights_find(w, "aa"));
    ck_assert_ptr_null(weights_find(w, "~"));
}

START_TEST(a_single_file_is_read_sorted_by_name)
{
    const char *dir = support_mkdir(support_tmpdir(), "single");
    write_shard(dir, SINGLE, "qdaZzb");
    weights *w = expect_open(dir);
    expect_tensors(w, "Zabdqz");
    ck_assert(strstr(weights_file(w, 0), "/single/" SINGLE) != NULL);
    weights_free(w);
    weights_free(NULL);
}
END_TEST

START_TEST(a_single_file_without_tensors_is_read)
{
    const char *dir = support_mkdir(support_tmpdir(), "empty");
    (void)support_write(dir, SINGLE, "\2\0\0\0\0\0\0\0{}", 10);
    weights *w = expect_open(dir);
    expect_tensors(w, "");
    weights_free(w);
}
END_TEST

START_TEST(shards_are_read_as_the_index_lists_them)
{
    const char *dir =
        sharded("shards", "{\"metadata\":{\"total_size\":99},\"weight_map\":{\"c\":\"x.safetensors\","
                          "\"a\":\"y.safetensors\",\"\\u0062\":\"x.safetensors\"}}");
    weights *w = expect_open(dir);
    expect_tensors(w, "abc");
    ck_assert(strstr(weights_file(w, 0), "/shards/y.safetensors") != NULL);
    ck_assert(strstr(weights_file(w, 1), "/shards/x.safetensors") != NULL);
    ck_assert(strstr(weights_file(w, 2), "/shards/x.safetensors") != NULL);
    weights_free(w);
}
END_TEST

START_TEST(a_single_file_wins_over_an_index)
{
    const char *dir = sharded("both", "not even JSON");
    write_shard(dir, SINGLE, "s");
    weights *w = expect_open(dir);
    expect_tensors(w, "s");
    weights_free(w);
}
END_TEST

START_TEST(a_broken_single_file_is_refused_even_if_there_are_shards)
{
    const char *dir = sharded("broken", "{\"weight_map\":{\"a\":\"y.safetensors\"}}");
    (void)support_write(dir, SINGLE, "\2\0\0\0\0\0\0\0{", 9);
    expect_refused(dir, "/" SINGLE, "", "header of 2 bytes", "expected at most the 1");

    dir = support_mkdir(support_tmpdir(), "dangling");
    char link[4200];
    (void)snprintf(link, sizeof link, "%s/" SINGLE, dir);
    ck_assert_int_eq(symlink("blobs/gone", link), 0);
    expect_status(dir, ASSAY_EIO, "/" SINGLE, "", "No such file or directory", "");
}
END_TEST

START_TEST(directories_without_weights_are_refused)
{
    const char *dir = support_mkdir(support_tmpdir(), "none");
    expect_status(dir, ASSAY_EIO, "/none: ", "", "no weights found", "expected " SINGLE " or " INDEX);
    expect_status("/nonexistent", ASSAY_EIO, "", "", "no weights found", "expected " SINGLE);
}
END_TEST

START_TEST(weights_of_other_formats_are_refused_by_name)
{
    static const char *const NAMES[] = {"flax_model.msgpack", "tf_model.h5", "pytorch_model.bin.index.json",
                                        "pytorch_model.bin"};
    const char *dir = support_mkdir(support_tmpdir(), "pickle");
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        (void)support_write(dir, NAMES[i], "x", 1);
        expect_status(dir, ASSAY_EUNSUPPORTED, "/pickle: ", NAMES[i], "found ",
                      "expected the safetensors format");
    }
}
END_TEST

START_TEST(indices_without_a_weight_map_are_refused)
{
    expect_index_refused("{", "byte 1", "found the end", "expected a member name");
    expect_index_refused("[]", "", "found array", "expected an object");
    expect_index_refused("null", "", "found null", "expected an object");
    expect_index_refused("{}", "weight_map", "is missing", "expected an object");
    expect_index_refused("{\"weight_map\":[]}", "weight_map", "is of type array", "expected an object");
    expect_index_refused("{\"weight_map\":{}}", "weight_map", "is empty", "expected tensors");
    expect_index_refused("{\"weight_map\":{\"a\":\"y.safetensors\",\"a\":\"x.safetensors\"}}",
                         "member name 'a'", "again", "expected it once");
    expect_index_refused("{\"weight_map\":{\"a\":7}}", "weight_map['a']", "is of type int",
                         "expected a file name");
    expect_index_refused("{\"weight_map\":{\"a\":null}}", "weight_map['a']", "is of type null",
                         "a file name");
}
END_TEST

START_TEST(shards_outside_the_directory_are_refused)
{
    static const char *const NAMES[] = {
        "",   "..", ".",   "../index/y.safetensors", "/etc/passwd", "./y.safetensors",
        "a/", "/",  "a/b", "y.safetensors\\u0000"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        char index[200];
        (void)snprintf(index, sizeof index, "{\"weight_map\":{\"a\":\"%s\"}}", NAMES[i]);
        expect_index_refused(index, "weight_map['a']", "is '",
                             "expected the name of a .safetensors file in ");
    }
    expect_index_refused("{\"weight_map\":{\"a\":\"../x\"}}", "weight_map['a']", "is '../x'",
                         "the name of a .safetensors file in");
}
END_TEST

START_TEST(missing_shards_are_refused)
{
    expect_index_refused("{\"weight_map\":{\"a\":\"z.safetensors\"}}", "weight_map['a']",
                         "is 'z.safetensors'", "expected a file that exists");
}
END_TEST

START_TEST(broken_shards_are_refused)
{
    const char *dir = sharded("broken-shard", "{\"weight_map\":{\"a\":\"y.safetensors\"}}");
    (void)support_write(dir, "y.safetensors", "short", 5);
    expect_refused(dir, "/y.safetensors", "", "found 5 bytes", "expected at least 8");
}
END_TEST

START_TEST(tensors_that_the_index_does_not_list_are_refused)
{
    const char *dir =
        sharded("unlisted", "{\"weight_map\":{\"a\":\"y.safetensors\",\"b\":\"x.safetensors\"}}");
    expect_refused(dir, "/x.safetensors", "tensor 'c'", "found", "expected only what " INDEX " lists");
    dir = sharded("unlisted-first", "{\"weight_map\":{\"c\":\"x.safetensors\"}}");
    expect_refused(dir, "/x.safetensors", "tensor 'b'", "found", "expected only what " INDEX " lists");
}
END_TEST

START_TEST(tensors_missing_from_all_shards_are_refused)
{
    const char *dir = sharded("missing", "{\"weight_map\":{\"a\":\"y.safetensors\",\"b\":\"x.safetensors\","
                                         "\"c\":\"x.safetensors\",\"d\":\"y.safetensors\"}}");
    expect_refused(dir, "/y.safetensors", "tensor 'd'", "missing", INDEX " places it here");
    dir = sharded("missing-first", "{\"weight_map\":{\"a\":\"y.safetensors\",\"A\":\"x.safetensors\","
                                   "\"b\":\"x.safetensors\",\"c\":\"x.safetensors\"}}");
    expect_refused(dir, "/x.safetensors", "tensor 'A'", "missing", INDEX " places it here");
}
END_TEST

START_TEST(tensors_in_another_shard_than_listed_are_refused)
{
    const char *dir = sharded("elsewhere", "{\"weight_map\":{\"a\":\"y.safetensors\",\"b\":\"y.safetensors\","
                                           "\"c\":\"x.safetensors\"}}");
    expect_refused(dir, "/x.safetensors", "tensor 'b'", "found", "expected in 'y.safetensors'");
}
END_TEST

START_TEST(tensors_in_two_shards_are_refused)
{
    const char *dir = sharded("twice", "{\"weight_map\":{\"a\":\"y.safetensors\",\"b\":\"x.safetensors\","
                                       "\"c\":\"x.safetensors\"}}");
    write_shard(dir, "y.safetensors", "ca");
    expect_refused(dir, "/y.safetensors", "tensor 'c'", "found again", "/x.safetensors");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/weights");
    TCase *tc = tcase_create("weights");
    tcase_add_test(tc, a_single_file_is_read_sorted_by_name);
    tcase_add_test(tc, a_single_file_without_tensors_is_read);
    tcase_add_test(tc, shards_are_read_as_the_index_lists_them);
    tcase_add_test(tc, a_single_file_wins_over_an_index);
    tcase_add_test(tc, a_broken_single_file_is_refused_even_if_there_are_shards);
    tcase_add_test(tc, directories_without_weights_are_refused);
    tcase_add_test(tc, weights_of_other_formats_are_refused_by_name);
    tcase_add_test(tc, indices_without_a_weight_map_are_refused);
    tcase_add_test(tc, shards_outside_the_directory_are_refused);
    tcase_add_test(tc, missing_shards_are_refused);
    tcase_add_test(tc, broken_shards_are_refused);
    tcase_add_test(tc, tensors_that_the_index_does_not_list_are_refused);
    tcase_add_test(tc, tensors_missing_from_all_shards_are_refused);
    tcase_add_test(tc, tensors_in_another_shard_than_listed_are_refused);
    tcase_add_test(tc, tensors_in_two_shards_are_refused);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
