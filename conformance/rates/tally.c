/* tally [COMPUTE]: reads lines "CASE<tab>OBSERVATION", judges each observation as `assay diff` does, and
 * prints a line "CASE<tab>PART<tab>N<tab>BIN:COUNT …" for the rows of its logits and one for its tensors: how
 * many there are, and how many of their errors are in which bin. Bin b holds the errors in units of the bound
 * from 2^(b/8) to below 2^((b+1)/8); "0" those that are zero, "inf" infinite ones. A case that has no run of
 * the compute type is left out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/diff/diff.h"
#include "conformance/judge/compute.h"

enum { BINS_PER_OCTAVE = 8, BIN_MIN = -400, BIN_MAX = 400, N_BINS = BIN_MAX - BIN_MIN + 1 };

typedef struct histogram {
    size_t n, zero, infinite, bins[N_BINS];
} histogram;

typedef struct tally {
    histogram rows, tensors;
} tally;

static void add(histogram *h, double multiple)
{
    h->n++;
    if (!(multiple < INFINITY)) h->infinite++;
    else if (multiple == 0) h->zero++;
    else {
        const double bin = floor(BINS_PER_OCTAVE * log2(multiple));
        h->bins[(size_t)(fmin(fmax(bin, BIN_MIN), BIN_MAX) - BIN_MIN)]++;
    }
}

static void add_row(void *context, const conf_diff_row *row)
{
    add(&((tally *)context)->rows, row->multiple);
}

static void add_tensor(void *context, const conf_diff_traced *tensor)
{
    if (tensor->has_noise) add(&((tally *)context)->tensors, tensor->multiple);
}

static void print(const char *path, const char *part, const histogram *h)
{
    if (h->n == 0) return;
    (void)printf("%s\t%s\t%zu\t", path, part, h->n);
    if (h->zero) (void)printf("0:%zu ", h->zero);
    for (size_t b = 0; b < N_BINS; b++)
        if (h->bins[b]) (void)printf("%d:%zu ", BIN_MIN + (int)b, h->bins[b]);
    if (h->infinite) (void)printf("inf:%zu", h->infinite);
    (void)putchar('\n');
}

/* Returns false, with a message, if the files cannot be judged. */
static bool judge(const char *golden, const char *observed, conf_compute compute)
{
    tally counts = {0};
    const conf_diff_watch watch = {.row = add_row, .tensor = add_tensor, .context = &counts};
    const conf_diff_task task = {.golden = golden,
                                 .observed = observed,
                                 .compute = compute,
                                 .parts = CONF_DIFF_LOGITS | CONF_DIFF_TRACES,
                                 .n_workers = 1,
                                 .watch = &watch};
    static conf_verdict v;
    conf_strings unknown = {0};
    assay_error err = {0};
    v = (conf_verdict){0};
    const assay_status rc = conf_diff(&task, &v, &unknown, &err);
    conf_strings_free(&unknown);
    if (rc != ASSAY_OK) (void)fprintf(stderr, "tally: %s: %s\n", observed, err.text);
    if (rc != ASSAY_OK || v.outcome == CONF_SKIPPED) return rc == ASSAY_OK;
    print(golden, "rows", &counts.rows);
    print(golden, "tensors", &counts.tensors);
    return true;
}

int main(int argc, char **argv)
{
    const conf_compute compute = argc == 2 ? conf_compute_of(argv[1]) : CONF_COMPUTE_NONE;
    if (argc > 2 || (argc == 2 && compute == CONF_COMPUTE_NONE)) {
        (void)fprintf(stderr, "usage: tally [COMPUTE]\n");
        return 2;
    }
    char *line = NULL;
    size_t size = 0;
    bool ok = true;
    while (getline(&line, &size, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *tab = strchr(line, '\t');
        if (tab) *tab = '\0';
        ok = tab && judge(line, tab + 1, compute) && ok;
    }
    free(line);
    return ok && !ferror(stdin) && fflush(stdout) == 0 ? 0 : 1;
}
