/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tests/checkpoint.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/tests/support.h"
#include "model/loader.h"
#include "model/plan/print.h"

char *checkpoint_fixture(const char *name)
{
    const char *top = getenv("top_srcdir");
    char *path = NULL;
    ck_assert_int_ge(asprintf(&path, "%s/fixtures/%s/model", top ? top : ".", name), 0);
    char *full = realpath(path, NULL); /* links to its files lie elsewhere */
    if (!full) return path;
    free(path);
    return full;
}

static json_object *parse(const char *text)
{
    json_object *value = NULL;
    assay_error err = {0};
    ck_assert_msg(json_parse("test", text, strlen(text), &value, &err) == ASSAY_OK, "%s", err.text);
    return value;
}

/* Sets the member at a dotted path to a JSON value; NULL removes it. Where a head names no member, what
 * follows is one name, dots and all: the path of a module below `quantization`. */
static void set_member(json_object *object, const char *path, const char *value)
{
    const char *dot = strchr(path, '.');
    if (dot) {
        char *head = strndup(path, (size_t)(dot - path));
        json_object *inner = NULL;
        const bool descends = json_object_object_get_ex(object, head, &inner);
        free(head);
        if (descends) {
            set_member(inner, dot + 1, value);
            return;
        }
    }
    json_object_object_del(object, path);
    if (!value) return;
    json_object_object_add(object, path, parse(value));
}

/* Links every file of the directory `from` that holds weights or lists them. */
static void link_weights(const char *from, const char *to)
{
    DIR *listing = opendir(from);
    ck_assert_ptr_nonnull(listing);
    for (struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        char *old = NULL, *new = NULL;
        if (!strstr(entry->d_name, ".safetensors")) continue;
        ck_assert_int_ge(asprintf(&old, "%s/%s", from, entry->d_name), 0);
        ck_assert_int_ge(asprintf(&new, "%s/%s", to, entry->d_name), 0);
        ck_assert_int_eq(symlink(old, new), 0);
        free(old);
        free(new);
    }
    (void)closedir(listing);
}

const char *checkpoint_changed(const char *name, const char *path, const char *value)
{
    return checkpoint_changed_without(name, path, value, NULL);
}

/* The config of a fixture, which the caller frees. */
static json_object *read_config(const char *source)
{
    char *from = NULL;
    json_object *document = NULL;
    assay_error err;
    ck_assert_int_ge(asprintf(&from, "%s/config.json", source), 0);
    ck_assert_msg(json_read(from, &document, &err) == ASSAY_OK, "%s", err.text);
    free(from);
    return document;
}

/* A new checkpoint with this config, which it frees, and the weights of the source, linked. */
static const char *make_checkpoint(const char *source, json_object *document)
{
    static int count;
    char label[48];
    (void)snprintf(label, sizeof label, "%d-%d", (int)getpid(), count++);
    const char *dir = support_mkdir(support_tmpdir(), label);
    const char *text = json_object_to_json_string(document);
    (void)support_write(dir, "config.json", text, strlen(text));
    json_object_put(document);
    link_weights(source, dir);
    return dir;
}

/* Makes a checkpoint like the fixture, its config changed, its weights linked. */
const char *checkpoint_changed_without(const char *name, const char *path, const char *value,
                                       const char *without)
{
    char *source = checkpoint_fixture(name);
    json_object *document = read_config(source);
    if (path) set_member(document, path, value);
    if (without) set_member(document, without, NULL);
    const char *dir = make_checkpoint(source, document);
    free(source);
    return dir;
}

void checkpoint_expect_refusal(const char *name, const char *path, const char *value, assay_status status,
                               const char *text, const char *other)
{
    plan *p = NULL;
    assay_error err = {0};
    const char *dir = checkpoint_changed(name, path, value);
    ck_assert_msg(plan_open(dir, &p, &err) != ASSAY_OK, "accepted %s = %s", path, value ? value : "(absent)");
    support_expect_error(&err, status, dir, text, other, NULL);
    ck_assert_ptr_null(p);
}

const char *checkpoint_extended(const char *name, const char *inside, const char *members)
{
    char *source = checkpoint_fixture(name), *path = NULL;
    json_object *document = read_config(source), *added = parse(members);
    json_object_object_foreach(added, member, value)
    {
        ck_assert_int_ge(asprintf(&path, "%s%s%s", inside ? inside : "", inside ? "." : "", member), 0);
        set_member(document, path, json_object_to_json_string(value));
        free(path);
    }
    json_object_put(added);
    const char *dir = make_checkpoint(source, document);
    free(source);
    return dir;
}

const char *checkpoint_with_config(const char *name, json_object *config)
{
    char *source = checkpoint_fixture(name);
    const char *dir = make_checkpoint(source, json_object_get(config));
    free(source);
    return dir;
}

plan *checkpoint_open(const char *dir)
{
    plan *p = NULL;
    assay_error err = {0};
    ck_assert_msg(plan_open(dir, &p, &err) == ASSAY_OK, "%s", err.text);
    return p;
}

plan *checkpoint_open_fixture(const char *name)
{
    char *dir = checkpoint_fixture(name);
    plan *p = checkpoint_open(dir);
    free(dir);
    return p;
}

char *checkpoint_text(const plan *p)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    ck_assert_ptr_nonnull(f);
    plan_print(p, NULL, f);
    (void)fclose(f);
    char *rest = strdup(strchr(text, '\n') + 1);
    free(text);
    return rest;
}

/* Removes the prefix of the head's name in `text`, in which it is the only name. */
static void forget_prefix(char *text, const char *prefix)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%slm_head", prefix);
    char *at = strstr(text, name);
    if (at) memmove(at, at + strlen(prefix), strlen(at + strlen(prefix)) + 1);
}

void checkpoint_expect_plan(const plan *found, const plan *wanted, const char *before_head)
{
    char *found_text = checkpoint_text(found), *wanted_text = checkpoint_text(wanted);
    if (before_head) forget_prefix(found_text, before_head);
    ck_assert_str_eq(found_text, wanted_text);
    free(found_text);
    free(wanted_text);
}
