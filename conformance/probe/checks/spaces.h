/* White space at the ends of fields.
 *
 * Where a field begins or ends with the text of the answer, its white space is that of the text. White space
 * beside a marker of reasoning or calls belongs to the markers as much as to the field: a server may leave
 * out any part of it on the side of the marker.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_SPACES_H
#define CONFORMANCE_PROBE_CHECKS_SPACES_H

#include "conformance/probe/checks/comparison.h"

/* Judges the white space of content and reasoning in a whole answer of an endpoint for chats. Does nothing
 * with a field whose text is another one. */
void probe_spaces_judge(const probe_comparison *c);

/* Whether the expected answer begins and ends with content, and with white space. */
bool probe_spaces_are_around(const probe_expected *expected);

#endif
