/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bundle/paths.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool add(conf_bundle_paths *paths, const char *path, const char *shown)
{
    for (size_t i = 0; i < paths->path.n; i++)
        if (strcmp(paths->path.at[i], path) == 0) return true;
    if (!conf_strings_add(&paths->path, path)) return false;
    if (conf_strings_add(&paths->shown, shown)) return true;
    free(paths->path.at[--paths->path.n]);
    return false;
}

assay_status conf_bundle_paths_add(conf_bundle_paths *paths, const char *path, const char *shown,
                                   assay_error *err)
{
    if (!path || strlen(path) < 2) return ASSAY_OK;
    char *real = realpath(path, NULL), *slash = NULL;
    const size_t n = strlen(path);
    bool ok = strcmp(path, "./") == 0 || add(paths, path, shown);
    if (real && path[n - 1] == '/') { /* realpath drops it */
        ok = ok && asprintf(&slash, "%s/", real) >= 0 && add(paths, slash, shown);
        free(slash);
    } else if (real) {
        ok = ok && add(paths, real, shown);
    }
    free(real);
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
}

assay_status conf_bundle_paths_add_parent(conf_bundle_paths *paths, const char *path, assay_error *err)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!slash) return ASSAY_OK;
    char *parent = strndup(path, (size_t)(slash - path) + 1);
    if (!parent) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    const assay_status rc = conf_bundle_paths_add(paths, parent, "", err);
    free(parent);
    return rc;
}

/* Whether a relative path can begin after this character. */
static bool can_precede(char c)
{
    return !isalnum((unsigned char)c) && !strchr("/._-", c);
}

/* The longest path with which text[n] begins; SIZE_MAX: none. */
static size_t find_at(const conf_bundle_paths *paths, bool absolute, const char *text, size_t n, char before)
{
    size_t best = SIZE_MAX, longest = 0;
    for (size_t i = 0; i < paths->path.n; i++) {
        const char *path = paths->path.at[i];
        const size_t length = strlen(path);
        if (length <= longest || length > n || memcmp(text, path, length) != 0) continue;
        if (path[0] != '/' && (absolute || (before && !can_precede(before)))) continue;
        best = i;
        longest = length;
    }
    return best;
}

char *conf_bundle_paths_replace(const conf_bundle_paths *paths, bool absolute, const char *text, size_t n,
                                size_t *size)
{
    char *all = NULL;
    FILE *out = open_memstream(&all, size);
    if (!out) return NULL;
    for (size_t i = 0; i < n;) {
        const size_t at = find_at(paths, absolute, text + i, n - i, i ? text[i - 1] : '\0');
        if (at == SIZE_MAX) {
            (void)fputc(text[i++], out);
        } else {
            (void)fputs(paths->shown.at[at], out);
            i += strlen(paths->path.at[at]);
        }
    }
    if (fclose(out) == 0) return all;
    free(all);
    return NULL;
}

bool conf_bundle_paths_stand_in(const conf_bundle_paths *paths, const char *text, size_t n)
{
    for (size_t i = 0; i < paths->path.n; i++)
        if (paths->path.at[i][0] == '/' && memmem(text, n, paths->path.at[i], strlen(paths->path.at[i])))
            return true;
    return false;
}

void conf_bundle_paths_free(conf_bundle_paths *paths)
{
    conf_strings_free(&paths->path);
    conf_strings_free(&paths->shown);
}
