/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* The modules of a build tree. */
#define BUILT_REF      ASSAY_BUILDDIR "/ref"
#define BUILT_FASTPATH ASSAY_BUILDDIR "/fastpath"

#define PROGRAM "assay"

static bool add_user_path(conf_strings *dirs, const char *path)
{
    while (path && *path) {
        size_t n = strcspn(path, ":");
        if (n && !conf_strings_take(dirs, strndup(path, n))) return false;
        path += n + (path[n] == ':');
    }
    return true;
}

/* The directory of the program; NULL if unknown. The caller frees it. */
static char *find_program_dir(void)
{
    /* The path that the kernel executed; unlike /proc/self/exe it is available in a chroot without
     * /proc. */
    char *path = realpath((const char *)getauxval(AT_EXECFN), NULL);
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash) *slash = '\0';
    return path;
}

static bool is_build_tree(const char *program_dir)
{
    char *built = realpath(ASSAY_BUILDDIR "/conformance", NULL);
    bool same = program_dir && built && strcmp(program_dir, built) == 0;
    free(built);
    return same;
}

/* "<program_dir>/<tail>", or NULL if out of memory. The caller frees it. */
static char *join_path(const char *program_dir, const char *tail)
{
    char *path;
    return asprintf(&path, "%s/%s", program_dir, tail) < 0 ? NULL : path;
}

static bool find_installed(const char *program_dir, conf_strings *engine_dirs, char **fixtures)
{
    if (program_dir) {
        if (!conf_strings_take(engine_dirs, join_path(program_dir, "../lib/assay"))) return false;
        *fixtures = join_path(program_dir, "../share/assay/fixtures");
        if (!*fixtures) return false;
    }
    if (!*fixtures || access(*fixtures, F_OK) != 0) {
        free(*fixtures);
        *fixtures = strdup(ASSAY_PKGDATADIR "/fixtures");
    }
    return *fixtures && conf_strings_take(engine_dirs, strdup(ASSAY_PKGLIBDIR));
}

bool conf_places_find(const char *user_path, conf_strings *engine_dirs, char **fixtures)
{
    char *program_dir = find_program_dir();
    bool ok = add_user_path(engine_dirs, user_path);
    if (ok && is_build_tree(program_dir)) {
        *fixtures = strdup(ASSAY_SOURCEDIR "/fixtures");
        ok = *fixtures && conf_strings_take(engine_dirs, strdup(BUILT_REF)) &&
             conf_strings_take(engine_dirs, strdup(BUILT_FASTPATH));
    } else if (ok) {
        ok = find_installed(program_dir, engine_dirs, fixtures);
    }
    free(program_dir);
    return ok;
}

/* Whether "<dir>/assay", dir of n bytes, can be executed. *same: whether it is the file `own`. */
static bool has_program(const char *dir, size_t n, const struct stat *own, bool *same)
{
    char *path;
    struct stat s;
    if (asprintf(&path, "%.*s/" PROGRAM, (int)n, dir) < 0) return false;
    const bool found = stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
    *same = found && s.st_dev == own->st_dev && s.st_ino == own->st_ino;
    free(path);
    return found;
}

const char *conf_places_program(const char *argv0, const char *path)
{
    struct stat own;
    bool same = false;
    if (!argv0) return PROGRAM;
    if (!strchr(argv0, '/') || stat(argv0, &own) != 0) return argv0;
    while (path && *path) {
        const size_t n = strcspn(path, ":");
        if (n && has_program(path, n, &own, &same)) break;
        path += n + (path[n] == ':');
    }
    return same ? PROGRAM : argv0;
}
