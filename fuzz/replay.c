/* Runs a target with its seeds, without libFuzzer: an input that once broke a reader stays a test, for
 * any compiler.
 *
 *     fuzz_<target> [FILE…]    inputs, or archives of them (.jsonl); the target's seeds if no file is named
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "fuzz/fuzz.h"
#include "fuzz/seeds.h"

/* Counts the seeds. Names go to stderr before they run: the last line of the log names the failing one. */
static void replay_seed(void *context, const char *name, const uint8_t *bytes, size_t n)
{
    size_t *n_seeds = context;
    (void)fprintf(stderr, "%s\n", name);
    (void)LLVMFuzzerTestOneInput(bytes, n);
    ++*n_seeds;
}

static int replay_archive(const char *path)
{
    size_t n = 0;
    assay_error err;
    (void)fprintf(stderr, "%s\n", path);
    const assay_status rc = fuzz_seeds_read(path, replay_seed, &n, &err);
    if (rc != ASSAY_OK) (void)fprintf(stderr, "%s\n", err.text);
    else if (n == 0) (void)fprintf(stderr, "%s: found no seeds\n", path);
    return rc != ASSAY_OK || n == 0;
}

static int replay_file(const char *path)
{
    char *bytes = NULL;
    size_t n = 0, n_seeds = 0, length = strlen(path);
    assay_error err;
    if (length > 6 && strcmp(path + length - 6, ".jsonl") == 0) return replay_archive(path);
    if (file_read(path, (size_t)1 << 30, &bytes, &n, &err) != ASSAY_OK) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    replay_seed(&n_seeds, path, (const uint8_t *)bytes, n);
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    static const char prefix[] = "fuzz_";
    const char *target = strstr(program_invocation_short_name, prefix);
    int failed = 0;
    char archive[4200];
    fuzz_is_replay = true;
    for (int i = 1; i < argc; i++) failed |= replay_file(argv[i]);
    if (argc > 1) return failed;
    if (!target) {
        (void)fprintf(stderr, "%s: expected a program named %s<target>\n", program_invocation_short_name,
                      prefix);
        return 2;
    }
    fuzz_seeds_path(target + strlen(prefix), archive, sizeof archive);
    return replay_archive(archive);
}
