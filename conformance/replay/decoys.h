/* The tokens of a fork that gets others than its origin.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_DECOYS_H
#define CONFORMANCE_REPLAY_DECOYS_H

#include <stddef.h>
#include <stdint.h>

#include "conformance/judge/verdict.h"

/* Writes the tokens before index `first`, then the others in reverse order, except placeholder tokens, which
 * stay where they are. tokens, decoys: [n], must not overlap. */
void conf_decoys_fill(const int32_t *tokens, size_t n, size_t first, const conf_placeholders *placeholders,
                      int32_t *decoys);

#endif
