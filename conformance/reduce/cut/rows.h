/* The rows and tokens of a reduced case: where those of the whole one are in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_CUT_ROWS_H
#define CONFORMANCE_REDUCE_CUT_ROWS_H

#include "conformance/reduce/cut/cut.h"

/* The number of a kept sample in the reduced case. */
size_t conf_cut_sample(const conf_cut *cut, size_t sample);

/* The kept tokens of a sample, prompt first: tokens [conf_cut_tokens]. */
void conf_cut_sequence(const conf_whole *whole, const conf_cut *cut, size_t sample, int32_t *tokens);

/* Whether the cut keeps the token after which row `row` of the whole is recorded; *out: the place of the row
 * in the reduced case. */
bool conf_cut_place(const conf_whole *whole, const conf_cut *cut, size_t row, conf_place *out);

/* Whether rows are recorded for every step of the reduced case, and for a token of its prompts. */
bool conf_cut_has_rows(const conf_whole *whole, const conf_cut *cut);

#endif
