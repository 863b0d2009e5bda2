/* Rows of log-probabilities made from recorded truth.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TESTS_MADE_H
#define CONFORMANCE_PROBE_TESTS_MADE_H

#include "conformance/probe/answer/logprob.h"
#include "conformance/probe/truth/truth.h"

enum { MADE_TOP = 5 };

/* Between made_setup and made_teardown: a case, its first prompt, and the bound of its logits in float32. */
extern probe_truth made_truth;
extern const probe_prompt *made_prompt;
extern double made_bound;

/* A row with the truth's values of the k largest tokens, to which a test does something. */
typedef struct made {
    probe_rows rows;
    probe_row row;
    probe_entry entries[MADE_TOP + 1];
} made;

/* case_path: below fixtures. */
void made_open(const char *case_path);
void made_setup(void);
void made_teardown(void);

/* The truth's log-softmax [n_vocab] after n_before ids of the prompt; the caller frees it. */
double *made_log_softmax(size_t n_before);

/* Fills a row after n_before ids; it points into *m. */
void made_row(made *m, size_t n_before);

#endif
