/* The broken checkpoints of broken.json, each refused with the recorded words, which are also those of the
 * recorder (scripts/tests/own_broken.py). A row changes a copy of a bundled checkpoint:
 *   remove        files
 *   text, hex     the contents of files, as text or as hexadecimal digits
 *   set           members of a document
 *   safetensors   files with this header, and as many bytes of zeros as data
 *   message       what the loader says; DIR stands for the directory
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/loader.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/tests/support.h"
#include "model/plan/plan.h"

static json_object *rows;

/* Also called outside tests, where assertions cannot fail. */
static char *path_below_top(const char *name)
{
    const char *top = getenv("top_srcdir");
    char *path = NULL;
    if (asprintf(&path, "%s/%s", top ? top : ".", name) < 0) abort();
    return path;
}

static json_object *read_json(const char *path)
{
    json_object *value = NULL;
    assay_error err = {0};
    ck_assert_msg(json_read(path, &value, &err) == ASSAY_OK, "%s", err.text);
    return value;
}

static void write_hex(const char *dir, const char *name, json_object *value)
{
    const char *digits = json_object_get_string(value);
    const size_t n = strlen(digits) / 2;
    unsigned char bytes[256];
    ck_assert_uint_le(n, sizeof bytes);
    for (size_t i = 0; i < n; i++) {
        const char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    (void)support_write(dir, name, bytes, n);
}

static void write_text(const char *dir, const char *name, json_object *value)
{
    (void)support_write(dir, name, json_object_get_string(value), (size_t)json_object_get_string_len(value));
}

static void set_members(const char *dir, const char *name, json_object *members)
{
    char *path = NULL;
    ck_assert_int_ge(asprintf(&path, "%s/%s", dir, name), 0);
    json_object *document = read_json(path);
    json_object_object_foreach(members, member, value)
    {
        json_object_object_add(document, member, json_object_get(value));
    }
    const char *text = json_object_to_json_string(document);
    (void)support_write(dir, name, text, strlen(text));
    json_object_put(document);
    free(path);
}

static void write_safetensors(const char *dir, const char *name, json_object *value)
{
    char bytes[1024] = {0};
    const char *header = json_object_get_string(json_object_object_get(value, "header"));
    const size_t n = strlen(header),
                 n_data = (size_t)json_object_get_int(json_object_object_get(value, "data"));
    ck_assert_uint_le(8 + n + n_data, sizeof bytes);
    bytes[0] = (char)(n & 0xff);
    bytes[1] = (char)(n >> 8);
    memcpy(bytes + 8, header, n);
    (void)support_write(dir, name, bytes, 8 + n + n_data);
}

/* Copies the bundled checkpoint: its documents, and a link to its weights. */
static const char *copy_base(int number)
{
    static const char *const DOCUMENTS[] = {"config.json", "generation_config.json"};
    char label[32], *base = path_below_top("fixtures/llama/base/model"), *from = NULL, *to = NULL;
    (void)snprintf(label, sizeof label, "broken-%d", number);
    const char *dir = support_mkdir(support_tmpdir(), label);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_ge(asprintf(&from, "%s/%s", base, DOCUMENTS[i]), 0);
        json_object *document = read_json(from);
        const char *text = json_object_to_json_string(document);
        (void)support_write(dir, DOCUMENTS[i], text, strlen(text));
        json_object_put(document);
        free(from);
    }
    ck_assert_int_ge(asprintf(&from, "%s/model.safetensors", base), 0);
    ck_assert_int_ge(asprintf(&to, "%s/model.safetensors", dir), 0);
    char *target = realpath(from, NULL);
    ck_assert_ptr_nonnull(target);
    ck_assert_int_eq(symlink(target, to), 0);
    free(target);
    free(from);
    free(to);
    free(base);
    return dir;
}

static void remove_files(const char *dir, json_object *names)
{
    for (size_t i = 0; i < json_object_array_length(names); i++) {
        char *path = NULL;
        ck_assert_int_ge(
            asprintf(&path, "%s/%s", dir, json_object_get_string(json_object_array_get_idx(names, i))), 0);
        ck_assert_int_eq(unlink(path), 0);
        free(path);
    }
}

/* Writes over a link would change the bundled file. */
static void replace_file(const char *dir, const char *name)
{
    char *path = NULL;
    ck_assert_int_ge(asprintf(&path, "%s/%s", dir, name), 0);
    (void)unlink(path);
    free(path);
}

static const char *make_row(json_object *row, int number)
{
    static const struct {
        const char *name;
        bool replaces;
        void (*change)(const char *dir, const char *name, json_object *value);
    } CHANGES[] = {{"text", true, write_text},
                   {"hex", true, write_hex},
                   {"set", false, set_members},
                   {"safetensors", true, write_safetensors}};
    const char *dir = copy_base(number);
    json_object *removed = json_object_object_get(row, "remove");
    if (removed) remove_files(dir, removed);
    for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++) {
        json_object *files = json_object_object_get(row, CHANGES[i].name);
        if (!files) continue;
        json_object_object_foreach(files, name, value)
        {
            if (CHANGES[i].replaces) replace_file(dir, name);
            CHANGES[i].change(dir, name, value);
        }
    }
    return dir;
}

/* The row's message, with the directory in place of each DIR; the caller frees it. */
static char *message_of(json_object *row, const char *dir)
{
    const char *at = json_object_get_string(json_object_object_get(row, "message")), *found;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(f);
    for (; (found = strstr(at, "DIR")); at = found + 3)
        (void)fprintf(f, "%.*s%s", (int)(found - at), at, dir);
    (void)fputs(at, f);
    ck_assert_int_eq(fclose(f), 0);
    return text;
}

START_TEST(a_broken_checkpoint_is_refused_with_these_words)
{
    json_object *row = json_object_array_get_idx(rows, (size_t)_i);
    const char *dir = make_row(row, _i);
    char *expected = message_of(row, dir);
    plan *p = NULL;
    assay_error err = {0};
    const assay_status rc = plan_open(dir, &p, &err);
    ck_assert_msg(rc != ASSAY_OK, "accepted: %s",
                  json_object_get_string(json_object_object_get(row, "name")));
    ck_assert_str_eq(err.text, expected);
    free(expected);
}
END_TEST

int main(void)
{
    char *path = path_below_top("lib/model/checkpoint/tests/broken.json");
    assay_error err = {0};
    if (json_read(path, &rows, &err) != ASSAY_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        return EXIT_FAILURE;
    }
    free(path);
    Suite *suite = suite_create("model/checkpoint/broken");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, a_broken_checkpoint_is_refused_with_these_words, 0,
                        (int)json_object_array_length(rows));
    suite_add_tcase(suite, all);
    const int status = support_run(suite);
    json_object_put(rows);
    return status;
}
