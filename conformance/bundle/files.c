/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bundle/files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "conformance/support/directories.h"

bool conf_bundle_fits(const conf_bundle_files *files, size_t bytes)
{
    const size_t most = CONF_BUNDLE_BYTES_MAX - CONF_BUNDLE_TEXT;
    return files->bytes <= most && bytes <= most - files->bytes;
}

static assay_status write_file(const char *path, const char *text, size_t n, assay_error *err)
{
    assay_status rc = conf_directories_make(path, err);
    if (rc != ASSAY_OK) return rc;
    FILE *f = fopen(path, "wx");
    bool ok = f && fwrite(text, 1, n, f) == n;
    const int reason = errno;
    if (f && fclose(f) != 0 && ok) return assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(reason));
}

assay_status conf_bundle_count(conf_bundle_files *files, const char *name, size_t bytes, assay_error *err)
{
    conf_bundle_file *at = grow_by_one(files->at, files->n, sizeof *at);
    if (at) files->at = at;
    char *copy = at ? strdup(name) : NULL;
    if (!copy) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    at[files->n++] = (conf_bundle_file){copy, bytes};
    files->bytes += bytes;
    return ASSAY_OK;
}

assay_status conf_bundle_put(conf_bundle_files *files, const char *name, const char *text, size_t n,
                             assay_error *err)
{
    char *path;
    if (asprintf(&path, "%s/%s", files->dir, name) < 0)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    assay_status rc = write_file(path, text, n, err);
    if (rc == ASSAY_OK) rc = conf_bundle_count(files, name, n, err);
    free(path);
    return rc;
}

assay_status conf_bundle_leave_out(conf_bundle_files *files, assay_error *err, const char *format, ...)
{
    char *line;
    va_list args;
    va_start(args, format);
    const int n = vasprintf(&line, format, args);
    va_end(args);
    if (n >= 0 && conf_strings_take(&files->left_out, line)) return ASSAY_OK;
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", files->dir);
}

void conf_bundle_files_free(conf_bundle_files *files)
{
    for (size_t i = 0; i < files->n; i++) free(files->at[i].name);
    free(files->at);
    conf_strings_free(&files->left_out);
    *files = (conf_bundle_files){0};
}
