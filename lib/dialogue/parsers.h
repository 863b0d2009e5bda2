/* Which parsers read the replies of a checkpoint: those that its tokenizer's markers belong to.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_PARSERS_H
#define DIALOGUE_PARSERS_H

#include <assay/serving.h>

/* *reasoning, *tools: names of parsers; NULL: is chosen by the markers that the tokenizer encodes as one
 * token, and stays NULL if it has none; "none": becomes NULL. Chosen names live as long as the program.
 * serving: has the part tokenizer. */
void serve_parsers_choose(const assay_serving *serving, const assay_tokenizer *tokenizer,
                          const char **reasoning, const char **tools);

#endif
