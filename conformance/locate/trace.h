/* Callbacks that compare the tensors of a walk, one at a time. T: tokens of the sample, V: vocabulary.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_TRACE_H
#define CONFORMANCE_LOCATE_TRACE_H

#include "conformance/locate/walker.h"

/* Receives a tensor of an engine: as assay_tap_fn, but cannot stop the step. */
typedef void conf_walker_fn(conf_walker *w, size_t sample, const assay_tensor *tensor, void *data);

/* Notes the first failure of the harness: w->err says which. Nothing is compared after it. */
void conf_walker_fail(conf_walker *w, assay_status rc);

/* The row with that name; NULL if there is none. */
conf_walk_row *conf_walker_row(conf_walker *w, const char *name);

/* Gets a golden tensor with its values; the caller frees out->value. False if w->failed. */
bool conf_walker_golden(conf_walker *w, const conf_trace *trace, conf_trace *out);

/* Compares the tensors that the engine computes from its own inputs, and stores them in
 * w->found if that is not NULL. */
conf_walker_fn conf_trace_engine;

/* Replaces the engine's tensors, so that it continues from golden inputs. */
conf_walker_fn conf_override_engine;

/* Compares the tensors of the reference with the golden ones. The first divergence goes
 * to walk->reference, which marks the result as doubtful. Also judges the observation's tensors, so
 * that their rows are in the order of evaluation. */
conf_walker_fn conf_check_reference;

/* The reference's tensors become the golden ones. */
conf_walker_fn conf_store_reference;

/* Replaces the reference's tensors, so that it continues from the candidate's. A
 * difference then originates after the previous tensor. */
conf_walker_fn conf_override_reference;

/* Compares the tensor of an observation that has the name of a golden tensor. */
void conf_walker_judge_observed(conf_walker *w, const conf_trace *golden);

/* The last row of the table. truth, found: [T, V], or NULL where not known. own: which of the two errors. */
void conf_walker_judge_last(conf_walker *w, const double *truth, const double *found, bool own);

#endif
