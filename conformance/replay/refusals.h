/* Calls that assay/engine.h says an engine refuses, leaving the session as it was.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_REFUSALS_H
#define CONFORMANCE_REPLAY_REFUSALS_H

#include "conformance/replay/watch.h"

/* Tries variants of these steps, each invalid in one respect, and invalid calls of leave, rewind and fork.
 * Each must fail with the status that the header states. False, with the verdict set, if one does not. */
bool conf_refusals_try(conf_watch *w, const conf_sample_step *steps, size_t n, size_t padded_width);

#endif
