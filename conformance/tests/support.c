/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/support.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tests/suite.h"

static char directory[64];
static char paths[32][4096];
static size_t n_paths;

static const char *build_tree(void)
{
    static char here[4096];
    const char *named = getenv("top_builddir");
    if (!here[0] && !realpath(named ? named : ".", here)) ck_abort_msg("the build tree is not there");
    return here;
}

int support_run(Suite *suite)
{
    return suite_run(suite, CK_ENV);
}

void support_setup(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    (void)build_tree();
    (void)snprintf(directory, sizeof directory, "check-conformance.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    n_paths = 0;
}

static int remove_entry(const char *path, const struct stat *s, int flag, struct FTW *ftw)
{
    (void)s, (void)flag, (void)ftw;
    return remove(path);
}

void support_teardown(void)
{
    (void)nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *support_path(const char *format, ...)
{
    ck_assert_uint_lt(n_paths, sizeof paths / sizeof *paths);
    char *path = paths[n_paths++];
    int n = snprintf(path, sizeof *paths, "%s/", directory);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(path + n, sizeof *paths - (size_t)n, format, args);
    va_end(args);
    return path;
}

void support_mkdir(const char *path)
{
    if (mkdir(path, 0777) != 0) ck_assert_msg(access(path, F_OK) == 0, "mkdir %s", path);
}

void support_write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

const char *support_engine(const char *name)
{
    ck_assert_uint_lt(n_paths, sizeof paths / sizeof *paths);
    char *path = paths[n_paths++];
    (void)snprintf(path, sizeof *paths, "%s/conformance/tests/engines/%s.so", build_tree(), name);
    return path;
}

static void read_back(const char *path, char *into, size_t size)
{
    int fd = open(path, O_RDONLY);
    ck_assert_int_ge(fd, 0);
    ssize_t n = read(fd, into, size - 1);
    into[n > 0 ? n : 0] = '\0';
    (void)close(fd);
}

const support_output *support_shell(const char *command)
{
    static support_output output;
    const char *out = support_path("stdout"), *err = support_path("stderr");
    char *line;
    ck_assert_int_ge(
        asprintf(&line,
                 "ASSAY='%s/conformance/assay'; PATH='%s/conformance':$PATH; export PATH; cd '%s'; "
                 "exec >stdout 2>stderr </dev/null; %s",
                 build_tree(), build_tree(), directory, command),
        0);
    int status = system(line);
    free(line);
    ck_assert(WIFEXITED(status));
    output.code = WEXITSTATUS(status);
    read_back(out, output.out, sizeof output.out);
    read_back(err, output.err, sizeof output.err);
    n_paths -= 2;
    return &output;
}

const support_output *support_assay(const char *format, ...)
{
    char arguments[8192];
    va_list args;
    va_start(args, format);
    int n = snprintf(arguments, sizeof arguments, "\"$ASSAY\" ");
    (void)vsnprintf(arguments + n, sizeof arguments - (size_t)n, format, args);
    va_end(args);
    return support_shell(arguments);
}

const support_output *support_run_module(const char *module, const char *fault, const char *arguments)
{
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "MODULE_FAULT=%s ASSAY_ENGINE_PATH=$(dirname %s) \"$ASSAY\" run -e %s %s", fault,
                   support_engine(module), module, arguments);
    return support_shell(command);
}

void assert_code(const support_output *o, int code)
{
    ck_assert_msg(o->code == code, "exit %d instead of %d\n%s\n%s", o->code, code, o->out, o->err);
}

void assert_malformed(const char *module, const char *path, const char *text, const char *reason)
{
    support_write_text(support_path("%s", path), text);
    const support_output *o = support_run_module(module, "none", path);
    assert_code(o, 99);
    assert_holds(o->out, reason);
}

void assert_holds(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\"\n  does not hold \"%s\"", text, part);
}

void assert_lacks(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) == NULL, "\"%s\"\n  holds \"%s\"", text, part);
}
