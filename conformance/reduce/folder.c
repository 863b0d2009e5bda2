/* For nftw and mkdtemp. SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/folder.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "conformance/case/model_name.h"
#include "gguf/container.h"

assay_status conf_folder_make(const char *parent, char **dir, assay_error *err)
{
    char *path = NULL;
    if (asprintf(&path, "%s/assay-reduce-XXXXXX", parent && parent[0] ? parent : "/tmp") < 0)
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (!mkdtemp(path)) {
        const assay_status rc =
            assay_fail(err, ASSAY_EIO, "%s: cannot be created: %s", path, strerror(errno));
        free(path);
        return rc;
    }
    *dir = path;
    return ASSAY_OK;
}

/* nftw's callback. */
static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s;
    (void)type;
    (void)at;
    (void)remove(path);
    return 0;
}

void conf_folder_remove(char **dir)
{
    if (!*dir) return;
    (void)nftw(*dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(*dir);
    *dir = NULL;
}

static assay_status link_file(const char *target, const char *path, assay_error *err)
{
    if (symlink(target, path) == 0) return ASSAY_OK;
    return assay_fail(err, ASSAY_EIO, "%s: cannot be created: %s", path, strerror(errno));
}

static bool is_config_or_tensors(const char *name)
{
    return strcmp(name, "config.json") == 0 || string_ends_with(name, ".safetensors") ||
           string_ends_with(name, ".safetensors.index.json");
}

/* Links the entries of `from`, a path without links, in `to`. others: only those that conf_folder_link_others
 * links. */
static assay_status link_entries(const char *from, const char *to, bool others, assay_error *err)
{
    DIR *all = opendir(from);
    if (!all) return assay_fail(err, ASSAY_EIO, "%s: %s", from, strerror(errno));
    assay_status rc = ASSAY_OK;
    for (struct dirent *one; rc == ASSAY_OK && (one = readdir(all));) {
        char target[PATH_MAX], path[PATH_MAX];
        if (strcmp(one->d_name, ".") == 0 || strcmp(one->d_name, "..") == 0) continue;
        if (others && is_config_or_tensors(one->d_name)) continue;
        const int n = snprintf(target, sizeof target, "%s/%s", from, one->d_name);
        const int m = snprintf(path, sizeof path, "%s/%s", to, one->d_name);
        if (n < 0 || m < 0 || (size_t)n >= sizeof target || (size_t)m >= sizeof path)
            rc = assay_fail(err, ASSAY_EIO, "%s/%s: %s", from, one->d_name, strerror(ENAMETOOLONG));
        else rc = link_file(target, path, err);
    }
    (void)closedir(all);
    return rc;
}

/* Links the file at `path` in `dir` under its name. */
static assay_status link_part(const char *dir, const char *path, assay_error *err)
{
    char to[PATH_MAX];
    char *from = realpath(path, NULL);
    (void)snprintf(to, sizeof to, "%s/%s", dir, conf_model_name(path));
    const assay_status rc =
        from ? link_file(from, to, err) : assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    free(from);
    return rc;
}

static assay_status link_parts(const char *dir, const char *model, assay_error *err)
{
    gguf *f = NULL;
    assay_status rc = link_part(dir, model, err);
    if (rc == ASSAY_OK) rc = gguf_open(model, &f, err);
    for (size_t i = 1; rc == ASSAY_OK && i < gguf_n_parts(f); i++)
        rc = link_part(dir, gguf_part_path(f, i), err);
    gguf_free(f);
    return rc;
}

static assay_status link_directory(const char *to, const char *model, assay_error *err)
{
    char *from = realpath(model, NULL);
    assay_status rc = ASSAY_OK;
    if (!from || mkdir(to, 0700) != 0)
        rc = assay_fail(err, ASSAY_EIO, "%s: %s", from ? to : model, strerror(errno));
    if (rc == ASSAY_OK) rc = link_entries(from, to, false, err);
    free(from);
    return rc;
}

assay_status conf_folder_link(const char *dir, const char *model, const char *checksums, assay_error *err)
{
    char to[PATH_MAX];
    char *list = checksums ? realpath(checksums, NULL) : NULL;
    (void)snprintf(to, sizeof to, "%s/%s", dir, conf_model_name(model));
    assay_status rc = gguf_is_file(model) ? link_parts(dir, model, err) : link_directory(to, model, err);
    if (rc == ASSAY_OK && list) {
        (void)snprintf(to, sizeof to, "%s/%s.crc32", dir, conf_model_name(model));
        rc = link_file(list, to, err);
    }
    free(list);
    return rc;
}

assay_status conf_folder_link_others(const char *to, const char *model, assay_error *err)
{
    char *from = realpath(model, NULL);
    const assay_status rc = from ? link_entries(from, to, true, err)
                                 : assay_fail(err, ASSAY_EIO, "%s: %s", model, strerror(errno));
    free(from);
    return rc;
}
