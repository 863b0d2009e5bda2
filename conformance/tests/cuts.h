/* The bundled goldens of replies, cut in every way, for the tests of parsers: all cuts must give the same
 * fields, exactly.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_CUTS_H
#define CONFORMANCE_TESTS_CUTS_H

#include "conformance/support/fields.h"

/* A vector, whose document it borrows. */
typedef struct cuts_golden {
    const char *parser;
    json_object *input, *expect;
    buffer text; /* the deltas joined */
} cuts_golden;

/* A parser under test. One reading is under way at a time. */
typedef struct cuts_parser {
    const char *directory; /* of its goldens, below fixtures/serving */
    void (*begin)(const cuts_golden *g);
    void (*feed)(const char *text, size_t n, const assay_sink *sink);
    void (*end)(const cuts_golden *g, const conf_fields *fields, const assay_sink *sink);
    void (*judge)(const cuts_golden *g, const conf_fields *fields); /* the reading in one piece */
} cuts_parser;

/* Reads each golden of DIRECTORY/file in one piece, in two at every place, in bytes, and in pieces that are
 * drawn. Returns how many there are. */
size_t cuts_judge(const cuts_parser *parser, const char *file);

/* A field that is expected, and how it differs. */
void cuts_expect_field(const cuts_golden *g, const char *name, const buffer *found);

#endif
