/* The answer that the truth's tokens make, in the fields of an endpoint.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_EXPECT_H
#define CONFORMANCE_PROBE_CHECKS_EXPECT_H

#include "conformance/probe/run/run.h"
#include "conformance/support/fields.h"

/* plain, special: the text without and with special tokens. fields: content, reasoning and calls, as the
 * parsers that the tokenizer's markers name read the text. n_tokens: of the text, without a stop id. */
typedef struct probe_expected {
    buffer plain, special;
    conf_fields fields;
    size_t n_tokens;
} probe_expected;

/* The answer of the first n_tokens tokens of a prompt's greedy answer. Fails with ASSAY_ENOMEM, or as the
 * tokenizer and the parsers do. Free *out with probe_expected_free, also after a failure. */
assay_status probe_expect(const probe_truth *truth, const probe_prompt *p, size_t n_tokens,
                          probe_expected *out, assay_error *err);
void probe_expected_free(probe_expected *e);

/* Compares an answer of an endpoint with it; white space at the ends of fields aside, except for completions.
 * False if they differ; the difference is then in text [size]. */
bool probe_expected_same(const probe_expected *e, probe_endpoint endpoint, const probe_answer *a, char *text,
                         size_t size);

/* Whether the reasoning of an answer is the expected one, white space at its ends aside. */
bool probe_expected_same_reasoning(const probe_expected *e, const probe_answer *a);

/* Whether an answer with these texts must have rows of log-probabilities: of completions, any text; elsewhere
 * content, since servers need not report the tokens of reasoning. */
bool probe_expected_has_rows(const probe_expected *e, probe_endpoint endpoint);

/* Finds the tokens of a prompt's answer that make the expected content: *first, and the one after the last,
 * *end. False if there is no content, or it is not in the text of the tokens as it is. */
bool probe_expected_find_content(const probe_truth *truth, const probe_prompt *p, const probe_expected *e,
                                 size_t *first, size_t *end);

/* Whether an answer is that of the first n_tokens tokens, whatever its usage says. */
bool probe_expected_begins(const probe_truth *truth, const probe_prompt *p, size_t n_tokens,
                           probe_endpoint endpoint, const probe_answer *a);

#endif
