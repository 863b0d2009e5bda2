/* Cases with the tensors of the test engine "layered".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_LAYERED_H
#define CONFORMANCE_TESTS_LAYERED_H

#include <stdbool.h>
#include <stddef.h>

#include "conformance/tests/engines/formula.h"

/* Writes <fault>.h5, a case of kind logits with a tensor [3, width] after each layer, and returns its path.
 * The name of its checkpoint states the size and the fault to the engine. fine: with a tensor after each
 * attention, too. */
const char *layered_write(size_t n_layers, size_t width, const char *fault, bool fine);

#endif
