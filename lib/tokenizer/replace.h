/* Replacing text in a buffer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_REPLACE_H
#define TOKENIZER_REPLACE_H

#include "base/buffer.h"

/* Both return false if out of memory; scratch is overwritten. */

/* Replaces what[0..n_what) in *b by with[0..n_with), from left to right. */
bool tokenizer_replace(buffer *b, buffer *scratch, const char *what, size_t n_what, const char *with,
                       size_t n_with);

/* Removes spaces before English punctuation and contractions, as "cleanup" does. */
bool tokenizer_clean_up(buffer *b, buffer *scratch);

#endif
