/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char directory[4096];

bool fuzz_is_replay;

const char *fuzz_top(void)
{
    const char *top = getenv("top_srcdir");
    return top && *top ? top : FUZZ_TOP;
}

void fuzz_require(bool holds, const char *property)
{
    if (holds) return;
    (void)fprintf(stderr, "property does not hold: %s\n", property);
    abort();
}

void fuzz_require_refusal(assay_status status, const assay_error *err, bool out_untouched)
{
    fuzz_require(out_untouched, "a failure leaves the out-parameter untouched");
    fuzz_require(err->status == status, "the error's status is the one returned");
    fuzz_require(status != ASSAY_EINTERNAL, "no file is a fault of the harness");
    fuzz_require(err->text[0] != '\0', "a failure has a text");
    fuzz_require(memchr(err->text, '\0', sizeof err->text) != NULL, "the text ends");
    for (const char *c = err->text; *c; c++)
        fuzz_require((unsigned char)*c >= 0x20 && *c != 0x7f, "the text is one line without controls");
}

static int remove_entry(const char *path, const struct stat *s, int flag, struct FTW *ftw)
{
    (void)s, (void)flag, (void)ftw;
    return remove(path);
}

static void remove_directory(void)
{
    (void)nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_directory(void)
{
    if (directory[0]) return directory;
    const char *base = getenv("TMPDIR");
    int n = snprintf(directory, sizeof directory, "%s/assay-fuzz.XXXXXX", base && *base ? base : "/tmp");
    fuzz_require(n > 0 && (size_t)n < sizeof directory && mkdtemp(directory), "a directory can be made");
    (void)atexit(remove_directory);
    return directory;
}

void fuzz_make_directory(const char *name)
{
    char path[4200];
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_directory(), name);
    fuzz_require(mkdir(path, 0777) == 0 || errno == EEXIST, "a directory can be made");
}

const char *fuzz_write(const char *name, const uint8_t *data, size_t size)
{
    static char path[4200];
    (void)snprintf(path, sizeof path, "%s/%s", fuzz_directory(), name);
    FILE *f = fopen(path, "wb");
    fuzz_require(f != NULL, "a file can be made");
    if (size > 0) fuzz_require(fwrite(data, 1, size, f) == size, "a file can be written");
    fuzz_require(fclose(f) == 0, "a file can be written");
    return path;
}
