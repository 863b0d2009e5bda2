/* The verdict on positions: exact, without padding.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_POSITIONS_H
#define CONFORMANCE_EVALUATE_POSITIONS_H

#include "conformance/replay/positions.h"

void conf_evaluate_positions(const conf_replay *r, const conf_positions_answer *answer);

#endif
