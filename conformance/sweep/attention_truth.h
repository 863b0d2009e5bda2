/* The expected result of attention, computed in float64, and the bound of its error.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_ATTENTION_TRUTH_H
#define CONFORMANCE_SWEEP_ATTENTION_TRUTH_H

#include "conformance/sweep/parts.h"

/* The largest sizes, as of published models; pages of one call are at most SWEEP_ARRAY_MAX bytes. */
enum {
    SWEEP_MAX_ROWS = 512,
    SWEEP_MAX_HEADS = 128,
    SWEEP_MAX_HEAD_DIM = 512,
    SWEEP_MAX_KEYS = 131072,
    SWEEP_MAX_PAGES = SWEEP_MAX_KEYS / (int)ASSAY_PAGE
};

/* One call of an attention kernel, with its inputs. */
typedef struct sweep_attention {
    sweep *s;
    assay_attention_call call;
    assay_dtype dtype;
    bool rounds_shares; /* to bfloat16 */
    size_t n_pages;
    char *shared_pages; /* where they are one array: that of the keys or values that were made last */
    const void *k[SWEEP_MAX_PAGES], *v[SWEEP_MAX_PAGES];
    size_t first[SWEEP_MAX_ROWS], last[SWEEP_MAX_ROWS];
    float *q, *sinks;
    double *share, *off; /* [keys]: memory for the truth of one query */
    bool is_exact;       /* whole-number scores so far apart that only the largest count */
} sweep_attention;

/* One head of one row. */
typedef struct sweep_query {
    const sweep_attention *of;
    size_t row, head, first, last;
} sweep_query;

/* Element i of a page of keys or values. */
float sweep_page_number(const void *page, size_t i, assay_dtype dtype);

/* Whether a row sees the key at a position. */
bool sweep_attention_attends(const sweep_attention *a, size_t row, size_t position);

/* The largest score of one query, among those of its keys and of its head's sink. */
double sweep_attention_largest(const sweep_query *q);

/* Compares the output of one query with float64. */
void sweep_attention_judge(const sweep_query *q);

#endif
