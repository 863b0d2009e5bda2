/* Input: an archive of exchanges. What can be read is written to another archive, and must be the same there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/probe/wire/archive.h"
#include "fuzz/fuzz.h"

static probe_archive *open_written(const char *path)
{
    probe_archive *a = NULL;
    char *url = NULL;
    uint32_t number;
    fuzz_require(probe_archive_open(path, &a, &url, &number, NULL) == ASSAY_OK,
                 "what is written can be read");
    free(url);
    return a;
}

static probe_exchange read_exchange(probe_archive *a, size_t i)
{
    probe_exchange x;
    fuzz_require(probe_archive_get(a, i, &x, NULL) == ASSAY_OK, "an exchange is read as it was checked");
    return x;
}

static bool have_same_bytes(const buffer *a, const buffer *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->data, b->data, a->n) == 0);
}

static void compare_archives(probe_archive *a, const char *path)
{
    probe_archive *b = open_written(path);
    fuzz_require(probe_archive_count(a) == probe_archive_count(b), "no exchange is lost");
    for (size_t i = 0; i < probe_archive_count(a); i++) {
        probe_exchange x = read_exchange(a, i), y = read_exchange(b, i);
        fuzz_require(strcmp(x.label, y.label) == 0 && x.end == y.end && x.status == y.status &&
                         x.n_arrivals == y.n_arrivals,
                     "an exchange is written as it is");
        fuzz_require(have_same_bytes(&x.request, &y.request) && have_same_bytes(&x.body, &y.body),
                     "bodies are written as they are");
        probe_exchange_free(&x);
        probe_exchange_free(&y);
    }
    probe_archive_close(b);
}

static void write_again(probe_archive *a, const char *url, uint32_t number)
{
    char path[4200];
    probe_archive *out = NULL;
    (void)snprintf(path, sizeof path, "%s/again.jsonl", fuzz_directory());
    (void)unlink(path);
    fuzz_require(probe_archive_create(path, url, number, &out, NULL) == ASSAY_OK, "an archive can be made");
    for (size_t i = 0; i < probe_archive_count(a); i++) {
        probe_exchange x = read_exchange(a, i);
        fuzz_require(probe_archive_write(out, &x, NULL) == ASSAY_OK, "an exchange can be written");
        probe_exchange_free(&x);
    }
    probe_archive_close(out);
    compare_archives(a, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    probe_archive *a = NULL;
    char *url = NULL;
    uint32_t number = 0;
    assay_error err = {0};
    const assay_status rc = probe_archive_open(fuzz_write("run.jsonl", data, size), &a, &url, &number, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, !a && !url);
        return 0;
    }
    write_again(a, url, number);
    probe_archive_close(a);
    free(url);
    return 0;
}
