/* Encodes FILE with the tokenizer of DIR, and prints the best rate of ROUNDS rounds in megabytes per
 * second, and the number of ids:
 *
 *     bench_tokenizer DIR FILE ROUNDS
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "tokenizer/encode.h"
#include "tokenizer/tokenizer.h"

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    tokenizer *t = NULL;
    tokenizer_encoder *e = NULL;
    tokenizer_ids ids = {0};
    assay_error err = {0};
    char *text = NULL;
    size_t n = 0;
    double best = 0;
    if (argc != 4) return 2;
    assay_status rc = tokenizer_open(argv[1], &t, &err);
    if (rc == ASSAY_OK) rc = file_read(argv[2], (size_t)1 << 30, &text, &n, &err);
    for (long round = strtol(argv[3], NULL, 10); rc == ASSAY_OK && round > 0; round--) {
        rc = tokenizer_encoder_open(t, &e, &err); /* a new encoder: its cache is empty */
        const double begin = now();
        if (rc == ASSAY_OK) rc = tokenizer_encode_with(e, text, n, false, &ids, &err);
        const double rate = (double)n / 1e6 / (now() - begin);
        if (rate > best) best = rate;
        tokenizer_encoder_free(e);
        e = NULL;
    }
    if (rc == ASSAY_OK) (void)printf("%.3f %zu\n", best, ids.n);
    else (void)fprintf(stderr, "%s\n", err.text);
    tokenizer_ids_free(&ids);
    tokenizer_free(t);
    free(text);
    return rc != ASSAY_OK;
}
