/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/find.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conformance/case.h"
#include "model/error.h"

#define DEPTH_MAX 32

static assay_status add(conf_found_list *list, const char *path, size_t id_from, bool scanned,
                        assay_error *err)
{
    size_t stem;
    if (!conf_case_is_named(path, &stem)) return ASSAY_OK;
    conf_found *grown = realloc(list->at, (list->n + 1) * sizeof *grown);
    if (grown) list->at = grown;
    conf_found found = {.id = grown ? strndup(path + id_from, stem - id_from) : NULL,
                        .path = grown ? strdup(path) : NULL,
                        .scanned = scanned};
    if (!found.id || !found.path) {
        free(found.id);
        free(found.path);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    list->at[list->n++] = found;
    return ASSAY_OK;
}

bool conf_is_checkpoint(const char *dir)
{
    char *path;
    struct stat s;
    if (asprintf(&path, "%s/config.json", dir) < 0) return false;
    bool is = stat(path, &s) == 0 && S_ISREG(s.st_mode);
    free(path);
    return is;
}

static assay_status scan(const char *dir, size_t id_from, int depth, conf_found_list *list, assay_error *err);

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
        rc = strcmp(name, "model") == 0 || conf_is_checkpoint(path)
                 ? ASSAY_OK
                 : scan(path, id_from, depth + 1, list, err);
    else if (!S_ISLNK(s.st_mode) || stat(path, &target) != 0 || !S_ISDIR(target.st_mode))
        rc = add(list, path, id_from, true, err);
    free(path);
    return rc;
}

static assay_status scan(const char *dir, size_t id_from, int depth, conf_found_list *list, assay_error *err)
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

assay_status conf_find(const char *argument, conf_found_list *list, assay_error *err)
{
    struct stat s;
    if (stat(argument, &s) != 0) return assay_fail(err, ASSAY_EIO, "%s: %s", argument, strerror(errno));
    if (!S_ISDIR(s.st_mode)) {
        if (!conf_case_is_named(argument, NULL))
            return assay_fail(err, ASSAY_EINVAL,
                              "%s: a case is a directory or a file named .h5, .json or .json.gz", argument);
        return add(list, argument, strncmp(argument, "./", 2) == 0 ? 2 : 0, false, err);
    }
    size_t before = list->n, n = strlen(argument);
    assay_status rc = scan(argument, n + (argument[n - 1] != '/'), 0, list, err);
    if (list->n > before) qsort(list->at + before, list->n - before, sizeof *list->at, compare_found);
    return rc;
}

/* context: the pattern. */
static bool matches(const char *id, const void *context)
{
    const char *pattern = context;
    return strpbrk(pattern, "*?[") ? fnmatch(pattern, id, 0) == 0 : strstr(id, pattern) != NULL;
}

/* Keeps the cases that `keep` says. */
static void keep_cases(conf_found_list *list, bool (*keep)(const char *id, const void *context),
                       const void *context)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (keep(list->at[i].id, context)) {
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
    keep_cases(list, matches, pattern);
}

uint64_t conf_find_hash(const char *id)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (; *id; id++) hash = (hash ^ (unsigned char)*id) * 0x100000001b3U;
    return hash;
}

typedef struct shard {
    size_t index, n;
} shard;

static bool is_in_shard(const char *id, const void *context)
{
    const shard *s = context;
    return conf_find_hash(id) % s->n == s->index - 1;
}

void conf_find_shard(conf_found_list *list, size_t index, size_t n)
{
    keep_cases(list, is_in_shard, &(shard){index, n});
}

void conf_found_free(conf_found_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->at[i].id);
        free(list->at[i].path);
    }
    free(list->at);
    *list = (conf_found_list){0};
}
