/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tests/checkpoint.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/json.h"
#include "model/tests/support.h"

char *checkpoint_fixture(const char *name)
{
    const char *top = getenv("top_srcdir");
    char *path = NULL;
    ck_assert_int_ge(asprintf(&path, "%s/fixtures/%s/model", top ? top : ".", name), 0);
    return path;
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
    json_object *parsed = json_tokener_parse(value);
    json_object_object_add(object, path, parsed);
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

/* Makes a checkpoint like the fixture, its config changed, its weights linked. */
const char *checkpoint_changed_without(const char *name, const char *path, const char *value,
                                       const char *without)
{
    static int count;
    char label[48];
    char *source = checkpoint_fixture(name), *from = NULL;
    json_object *document = NULL;
    assay_error err;
    (void)snprintf(label, sizeof label, "%d-%d", (int)getpid(), count++);
    const char *dir = support_mkdir(support_tmpdir(), label);
    ck_assert_int_ge(asprintf(&from, "%s/config.json", source), 0);
    ck_assert_msg(json_read(from, &document, &err) == ASSAY_OK, "%s", err.text);
    free(from);
    if (path) set_member(document, path, value);
    if (without) set_member(document, without, NULL);
    const char *text = json_object_to_json_string(document);
    (void)support_write(dir, "config.json", text, strlen(text));
    json_object_put(document);
    link_weights(source, dir);
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
