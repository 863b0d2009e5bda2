/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "conformance/support/text.h"
#include "gguf/container.h"

static const char *root;

void conf_root_set(const char *dir)
{
    root = dir && *dir ? dir : NULL;
}

/* Whether `path` is relative and without "..". */
static bool stays_below(const char *path)
{
    if (!path[0] || path[0] == '/') return false;
    while (*path) {
        const size_t n = strcspn(path, "/");
        if (n == 2 && path[0] == '.' && path[1] == '.') return false;
        path += n + (path[n] == '/');
    }
    return true;
}

static assay_status check_checkpoint(const conf_case *c, const char *path, const char *joined,
                                     assay_error *err)
{
    struct stat s;
    const int reason = stat(joined, &s) != 0                        ? errno
                       : S_ISDIR(s.st_mode) || gguf_is_file(joined) ? 0
                                                                    : ENOTDIR;
    if (!reason) return ASSAY_OK;
    return assay_fail(err, ASSAY_EIO, "%s: checkpoint \"%s\": %s: %s, expected it below the checkpoint root",
                      c->path, path, joined, strerror(reason));
}

assay_status conf_root_find(conf_case *c, const char *path, assay_error *err)
{
    if (!stays_below(path))
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: checkpoint \"%s\", expected a path below the checkpoint root, without \"..\"",
                          c->path, path);
    if (!root)
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s: checkpoint \"%s\": found no checkpoint root, expected --checkpoint-root DIR or "
            "ASSAY_CHECKPOINT_ROOT to name the directory that has it",
            c->path, path);
    const char *slash = strrchr(c->path, '/');
    const int n = slash ? (int)(slash - c->path) + 1 : 0;
    char *joined = NULL, *checksums = NULL;
    assay_status rc = ASSAY_OK;
    if (asprintf(&joined, "%s/%s", root, path) < 0) joined = NULL;
    if (asprintf(&checksums, "%.*s%s", n, c->path, CONF_ROOTED_CHECKSUMS) < 0) checksums = NULL;
    if (!joined || !checksums) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", c->path);
    if (rc == ASSAY_OK) rc = check_checkpoint(c, path, joined, err);
    if (rc == ASSAY_OK) {
        c->model = joined;
        c->checksums = checksums;
        return ASSAY_OK;
    }
    free(joined);
    free(checksums);
    return rc;
}

const char *conf_root_part(const char *path)
{
    const size_t n = root ? strlen(root) : 0;
    return n && strncmp(path, root, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

void conf_root_print(FILE *out)
{
    if (!root) return;
    (void)fputs(" --checkpoint-root ", out);
    conf_text_print_quoted(out, root);
}
