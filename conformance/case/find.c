/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/find.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/hash.h"
#include "conformance/support/text.h"
#include "model/source.h"

bool conf_case_is_named(const char *path, size_t *stem)
{
    static const char *const extensions[] = {".h5", ".json", ".json.gz"};
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t n = strlen(base);
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        size_t k = strlen(extensions[i]);
        if (n <= k || strcmp(base + n - k, extensions[i]) != 0) continue;
        if (stem) *stem = (size_t)(base - path) + n - k;
        return true;
    }
    return false;
}

#define DEPTH_MAX 32

static assay_status add_found(conf_found_list *list, const char *path, size_t id_from, bool scanned,
                              assay_error *err)
{
    size_t stem;
    if (!conf_case_is_named(path, &stem)) return ASSAY_OK;
    conf_found *grown = grow_by_one(list->at, list->n, sizeof *grown);
    if (grown) list->at = grown;
    char *id = grown ? strndup(path + id_from, stem - id_from) : NULL;
    conf_found found = {
        .id = id ? conf_text_cleaned(id) : NULL, .path = grown ? strdup(path) : NULL, .scanned = scanned};
    free(id);
    if (!found.id || !found.path) {
        free(found.id);
        free(found.path);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    list->at[list->n++] = found;
    return ASSAY_OK;
}

static assay_status scan_directory(const char *dir, size_t id_from, int depth, conf_found_list *list,
                                   assay_error *err);

static assay_status scan_entry(const char *dir, const char *name, size_t id_from, int depth,
                               conf_found_list *list, assay_error *err)
{
    char *path;
    struct stat s, target;
    size_t n = strlen(dir);
    if (asprintf(&path, "%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name) < 0)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = ASSAY_OK;
    if (lstat(path, &s) != 0) rc = assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    else if (S_ISDIR(s.st_mode))
        rc = strcmp(name, "model") == 0 || source_is_checkpoint(path)
                 ? ASSAY_OK
                 : scan_directory(path, id_from, depth + 1, list, err);
    else if (!S_ISLNK(s.st_mode) || stat(path, &target) != 0 || !S_ISDIR(target.st_mode))
        rc = add_found(list, path, id_from, true, err);
    free(path);
    return rc;
}

static assay_status scan_directory(const char *dir, size_t id_from, int depth, conf_found_list *list,
                                   assay_error *err)
{
    if (depth > DEPTH_MAX)
        return assay_fail(err, ASSAY_EIO, "%s: more than %d directories deep", dir, DEPTH_MAX);
    DIR *stream = opendir(dir);
    if (!stream) return assay_fail(err, ASSAY_EIO, "%s: %s", dir, strerror(errno));
    assay_status rc = ASSAY_OK;
    struct dirent *entry;
    while (rc == ASSAY_OK && (entry = readdir(stream)))
        if (entry->d_name[0] != '.') rc = scan_entry(dir, entry->d_name, id_from, depth, list, err);
    (void)closedir(stream);
    return rc;
}

static int compare_found(const void *a, const void *b)
{
    const conf_found *x = a, *y = b;
    int order = strcmp(x->id, y->id);
    return order ? order : strcmp(x->path, y->path);
}

/* Adds every case below a directory; their ids begin at byte `id_from` of their paths. */
static assay_status find_below(const char *dir, size_t id_from, conf_found_list *list, assay_error *err)
{
    size_t before = list->n;
    assay_status rc = scan_directory(dir, id_from, 0, list, err);
    if (list->n > before) qsort(list->at + before, list->n - before, sizeof *list->at, compare_found);
    return rc;
}

/* Length of the leading "./" components of a path, in bytes. */
static size_t dot_prefix(const char *path)
{
    size_t n = 0;
    while (path[n] == '.' && path[n + 1] == '/') n += 2 + strspn(path + n + 2, "/");
    return n;
}

/* A directory name as used in ids: without leading "./" and trailing '/'; "." becomes empty.
 * Borrowed. */
typedef struct named_directory {
    const char *name;
    size_t n;
} named_directory;

static named_directory directory_of(const char *argument)
{
    named_directory d = {.name = argument + dot_prefix(argument)};
    d.n = strlen(d.name);
    while (d.n > 0 && d.name[d.n - 1] == '/') d.n--;
    if (d.n == 1 && d.name[0] == '.') d.n = 0;
    return d;
}

/* Length in bytes of the common prefix of a and b, in whole components. */
static size_t common_prefix(named_directory a, named_directory b)
{
    size_t whole = 0, i = 0;
    for (; i < a.n && i < b.n && a.name[i] == b.name[i]; i++)
        if (a.name[i] == '/') whole = i;
    bool ends = (i == a.n || a.name[i] == '/') && (i == b.n || b.name[i] == '/');
    return ends ? i : whole;
}

/* The offset in the paths of a directory's cases at which their ids begin. shared: length of the prefix
 * that all directory arguments have in common. */
static size_t id_start(const char *argument, size_t shared)
{
    const named_directory d = directory_of(argument);
    const size_t n = strlen(argument);
    if (shared >= d.n) return n + (argument[n - 1] != '/');
    const size_t at = (size_t)(d.name - argument) + shared;
    return shared ? at + strspn(argument + at, "/") : at;
}

/* Fails unless the argument is a directory or has a case's file name. *is: whether it is a
 * directory. */
static assay_status check_argument(const char *argument, bool *is, assay_error *err)
{
    struct stat s;
    if (stat(argument, &s) != 0) return assay_fail(err, ASSAY_EIO, "%s: %s", argument, strerror(errno));
    *is = S_ISDIR(s.st_mode);
    if (!*is && !conf_case_is_named(argument, NULL))
        return assay_fail(err, ASSAY_EINVAL,
                          "%s: a case is a directory or a file named .h5, .json or .json.gz", argument);
    return ASSAY_OK;
}

assay_status conf_find_all(const char *const *arguments, size_t n, conf_found_list *list, assay_error *err)
{
    named_directory first = {0};
    size_t shared = SIZE_MAX;
    bool is_directory;
    for (size_t i = 0; i < n; i++) {
        assay_status rc = check_argument(arguments[i], &is_directory, err);
        if (rc != ASSAY_OK) return rc;
        if (!is_directory) continue;
        const named_directory d = directory_of(arguments[i]);
        const size_t common = first.name ? common_prefix(first, d) : d.n;
        if (!first.name) first = d;
        if (common < shared) shared = common;
    }
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        rc = check_argument(arguments[i], &is_directory, err);
        if (rc != ASSAY_OK) break;
        if (is_directory) rc = find_below(arguments[i], id_start(arguments[i], shared), list, err);
        else rc = add_found(list, arguments[i], strncmp(arguments[i], "./", 2) == 0 ? 2 : 0, false, err);
    }
    return rc;
}

assay_status conf_find(const char *argument, conf_found_list *list, assay_error *err)
{
    return conf_find_all(&argument, 1, list, err);
}

/* context: the pattern. */
static bool id_matches(size_t i, const conf_found *found, const void *context)
{
    const char *pattern = context, *id = found->id;
    (void)i;
    return strpbrk(pattern, "*?[") ? fnmatch(pattern, id, 0) == 0 : strstr(id, pattern) != NULL;
}

void conf_found_keep(conf_found_list *list,
                     bool (*keep)(size_t i, const conf_found *found, const void *context),
                     const void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (keep(i, &list->at[i], context)) {
            list->at[kept++] = list->at[i];
        } else {
            free(list->at[i].id);
            free(list->at[i].path);
        }
    }
    list->n = kept;
}

void conf_find_filter(conf_found_list *list, const char *pattern)
{
    conf_found_keep(list, id_matches, pattern);
}

uint64_t conf_find_hash(const char *id)
{
    return hash_bytes(id, strlen(id));
}

void conf_found_free(conf_found_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->at[i].id);
        free(list->at[i].path);
    }
    free(list->at);
    list->at = NULL;
    list->n = 0;
}
