/* Parts of texts, as assay_text: borrowed, not terminated. White space is that of serve_text_space.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_SPAN_H
#define SERVING_SPAN_H

#include <assay/serving.h>

#include <stdbool.h>
#include <stddef.h>

#define SERVE_NOWHERE ((size_t)-1)

/* text from byte `from` on, or its bytes from..to. */
assay_text serve_span_from(assay_text text, size_t from);
assay_text serve_span_part(assay_text text, size_t from, size_t to);

bool serve_span_starts(assay_text text, const char *with);
bool serve_span_ends(assay_text text, const char *in);
bool serve_span_equals(assay_text text, const char *other);

/* Whether text is a beginning of `whole`, and shorter. */
bool serve_span_begins(assay_text text, const char *whole);

/* Where `what` begins at or after `from`, or SERVE_NOWHERE. */
size_t serve_span_find(assay_text text, size_t from, const char *what);

/* The same for a text that grows: looks from *seen on, which comes behind what is found, or to where to go
 * on. */
size_t serve_span_find_next(assay_text text, size_t *seen, const char *what);

/* The first byte at or after `from` that is no white space; text.n where there is none. */
size_t serve_span_skip(assay_text text, size_t from);

/* Without white space at both ends, or at the end. */
assay_text serve_span_trim(assay_text text);
assay_text serve_span_trim_end(assay_text text);

/* Bytes of the letters, digits and underscores at the beginning of text; whatever is not ASCII counts as a
 * letter. */
size_t serve_span_word(assay_text text);

#endif
