/* An exchange as a page shows it: the request, and how the server answered, each cut to a few kilobytes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_RUN_EXCERPT_H
#define CONFORMANCE_PROBE_RUN_EXCERPT_H

#include "conformance/probe/run/mark.h"
#include "conformance/probe/wire/exchange.h"

/* The most bytes of a body that are shown. */
#define PROBE_EXCERPT_MAX ((size_t)3000)

#define PROBE_MARK_BEGIN ">>>"
#define PROBE_MARK_END   "<<<"

/* Lines with the method and the path, the request's body, the status or why there is none, and the answer's
 * body. mark: what is wrong in that body: it is between PROBE_MARK_BEGIN and _END, and the part that is shown
 * contains its beginning. Characters are in the form of base/shown.h, except ends of lines. NULL if out of
 * memory. The caller frees it. */
char *probe_excerpt(const probe_exchange *x, probe_mark mark);

#endif
