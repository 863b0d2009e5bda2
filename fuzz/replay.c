/* Runs a target with its seeds, without libFuzzer: an input that once broke a reader stays a test, for
 * any compiler.
 *
 *     replay_<target> [FILE…]    the target's seeds if no file is named
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return 1;
    }
    uint8_t *bytes = NULL;
    size_t n = 0, got;
    do {
        uint8_t *grown = realloc(bytes, n + 65536);
        if (!grown) abort();
        bytes = grown;
        got = fread(bytes + n, 1, 65536, f);
        n += got;
    } while (got > 0);
    (void)fclose(f);
    (void)fprintf(stderr, "%s\n", path); /* before it runs: the last line of the log names the failing file */
    (void)LLVMFuzzerTestOneInput(bytes, n);
    free(bytes);
    return 0;
}

static int is_seed(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_seeds(void)
{
    const char *top = getenv("top_srcdir");
    char dir[4096], path[8192];
    (void)snprintf(dir, sizeof dir, "%s/fuzz/seeds/%s", top && *top ? top : FUZZ_TOP, FUZZ_TARGET);
    struct dirent **entries;
    int n = scandir(dir, &entries, is_seed, alphasort), failed = n <= 0;
    if (failed) (void)fprintf(stderr, "%s: no seeds\n", dir);
    for (int i = 0; i < n; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
        failed |= replay_file(path);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++) failed |= replay_file(argv[i]);
    return argc > 1 ? failed : replay_seeds();
}
