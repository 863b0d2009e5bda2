/* Feeds the bundled goldens of replies to a parser in many different pieces: all cuts must give
 * exactly the same fields.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_CUTS_H
#define CONFORMANCE_TESTS_CUTS_H

#include "conformance/support/fields.h"

/* A vector; borrows its JSON document. */
typedef struct cuts_golden {
    const char *parser;
    json_object *input, *expect;
    assay_text request; /* the text of the input's member, if there is one */
    buffer text;        /* the deltas joined */
} cuts_golden;

/* A parser under test. Only one text is parsed at a time. begin, feed and end are called for each cut, and do
 * not use ck_assert where it holds: it writes to a file. */
typedef struct cuts_parser {
    const char *directory; /* of its goldens, below fixtures/serving */
    void (*begin)(const cuts_golden *g);
    void (*feed)(const char *text, size_t n, const assay_sink *sink);
    void (*end)(const cuts_golden *g, const conf_fields *fields, const assay_sink *sink);
    void (*judge)(const cuts_golden *g,
                  const conf_fields *fields); /* judges the fields of the text in one piece */
} cuts_parser;

/* Parses each golden of DIRECTORY/file in one piece, in two pieces cut at every offset, byte by byte,
 * and in random pieces. Returns the number of goldens. */
size_t cuts_judge(const cuts_parser *parser, const char *file);

/* Asserts that a field has the golden's value. */
void cuts_expect_field(const cuts_golden *g, const char *name, const buffer *found);

#endif
