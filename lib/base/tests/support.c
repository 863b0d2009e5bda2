/* For nftw and mkdtemp. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "base/tests/support.h"

#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/tests/suite.h"

static char tmpdir[4096];
static pid_t tmpdir_owner;

/* Paths that were returned to tests. Reachable to the end, so that leak checkers do not report them. */
typedef struct path_node {
    struct path_node *next;
    char text[];
} path_node;

static path_node *paths;

void support_mark(const char *file, int line)
{
    /* A forked test has a file of its own. */
    static _Thread_local struct {
        pid_t process;
        const char *file;
        int line;
    } last;
    const pid_t process = getpid();
    if (last.process == process && last.file == file && last.line == line) return;
    last.process = process;
    last.file = file;
    last.line = line;
    (_mark_point)(file, line);
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

static void remove_tmpdir(void)
{
    /* A forked test must not remove the directory, which later tests use. */
    if (tmpdir_owner == getpid()) (void)nftw(tmpdir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const assay_engine *support_load_engine(const char *module)
{
    char path[4096];
    const char *top = getenv("top_builddir");
    (void)snprintf(path, sizeof path, "%s/%s", top ? top : ".", module);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(handle != NULL, "%s", dlerror());
    assay_engine_fn *table;
    *(void **)&table = dlsym(handle, ASSAY_ENGINE_SYMBOL); /* POSIX: how a function is had from dlsym */
    ck_assert(table != NULL);
    return table();
}

const char *support_tmpdir(void)
{
    if (tmpdir[0] != '\0') return tmpdir;
    const char *base = getenv("TMPDIR");
    (void)snprintf(tmpdir, sizeof tmpdir, "%s/assay-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(tmpdir)) {
        perror(tmpdir);
        exit(EXIT_FAILURE);
    }
    tmpdir_owner = getpid();
    (void)atexit(remove_tmpdir);
    return tmpdir;
}

int support_run(Suite *suite)
{
    (void)support_tmpdir();
    return suite_run(suite, CK_ENV);
}

/* The path dir/name; equal paths have the same pointer. */
static const char *keep_path(const char *dir, const char *name)
{
    const size_t n = strlen(dir) + strlen(name) + 2;
    path_node *made = malloc(sizeof *made + n);
    ck_assert_ptr_nonnull(made);
    (void)snprintf(made->text, n, "%s/%s", dir, name);
    for (const path_node *node = paths; node; node = node->next) {
        if (strcmp(node->text, made->text) != 0) continue;
        free(made);
        return node->text;
    }
    made->next = paths;
    paths = made;
    return made->text;
}

const char *support_mkdir(const char *dir, const char *name)
{
    const char *path = keep_path(dir, name);
    ck_assert_msg(mkdir(path, 0700) == 0 || errno == EEXIST, "%s: %s", path, strerror(errno));
    return path;
}

const char *support_write(const char *dir, const char *name, const void *bytes, size_t n)
{
    const char *path = keep_path(dir, name);
    FILE *file = fopen(path, "wb");
    ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
    const bool written = fwrite(bytes, 1, n, file) == n;
    ck_assert_msg(fclose(file) == 0 && written, "%s: %s", path, strerror(errno));
    return path;
}

void support_expect_error(const assay_error *err, assay_status status, const char *fragment, ...)
{
    ck_assert_msg(err->status == status, "status %d, expected %d: %s", (int)err->status, (int)status,
                  err->text);
    ck_assert_msg(!strchr(err->text, '\n'), "more than one line: %s", err->text);
    va_list args;
    va_start(args, fragment);
    for (; fragment; fragment = va_arg(args, const char *))
        ck_assert_msg(strstr(err->text, fragment) != NULL, "'%s' is not in: %s", fragment, err->text);
    va_end(args);
}
