/* A sample of a case, evaluated by the reference engine. What it computes is no golden: it locates what the
 * recorded truth has shown to be wrong, where no tensor is recorded.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_REFERENCE_H
#define CONFORMANCE_EVALUATE_REFERENCE_H

#include "conformance/case/items.h"
#include "conformance/evaluate/sequence.h"
#include "conformance/evaluate/tensor_file.h"

/* A sequence, and the tensors of its n_tokens tokens. */
typedef struct conf_reference {
    conf_tensors *tensors;
    size_t n_tokens;
} conf_reference;

/* Evaluates the sequence in one step of the engine at `path`. False, with the reason in why [CONF_TEXT_MAX],
 * if that fails, or if the logits do not agree, within the case's bound of a float64 engine, with the rows
 * that the case records of the sequence from token `first` on. conf_reference_free in any case. */
bool conf_reference_run(const conf_case *c, const conf_items *items, const char *path, const conf_sequence *s,
                        size_t first, conf_reference *out, char *why);
void conf_reference_free(conf_reference *reference);

/* The largest error of the rows that the case records of the sequence from token `first` on, in multiples of
 * the bound of a float64 engine. logits: [n, V], of the sequence's tokens. *n_rows: how many are recorded. */
double conf_reference_error(const conf_case *c, const conf_sequence *s, size_t first, const double *logits,
                            size_t *n_rows);

#endif
