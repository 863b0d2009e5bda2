/* What a server gives for whole cases, as observations that `assay diff` and `assay locate` take.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_OBSERVE_H
#define CONFORMANCE_PROBE_CHECKS_OBSERVE_H

#include "conformance/probe/run/run.h"

/* Asks for the log-probabilities of whole vocabularies of every recorded token of each case, and writes
 * DIR/observations/CASE.h5. A row of logits is the log-probabilities plus the truth's log Z, so that what is
 * common to a row cancels as in the rule `difference` of truth/judge.h. Does nothing if the server does not
 * return whole vocabularies for prompts of token ids, or run->observations is NULL. Fails as probe_ask_send
 * and conf_h5_writer_close do. */
assay_status probe_observe(probe_run *r, assay_error *err);

#endif
