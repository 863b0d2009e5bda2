/* The runs of the current choice of a response: receives the pieces of a parsed reply, or unparsed text, and
 * has the form write them. Failed allocations are recorded in the response.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_RESPONSE_RUNS_H
#define DIALOGUE_RESPONSE_RUNS_H

#include "dialogue/response/form.h"

/* The function `take` of an assay_sink whose context is the response. */
void serve_runs_receive(void *context, assay_part part, const char *text, size_t n);

/* Adds text to the one run of a raw form. */
void serve_runs_receive_raw(assay_response *r, assay_text text);

/* Passes on text that was withheld because it might have become a special token. */
void serve_runs_end(assay_response *r);

/* Closes the open run, if there is one. */
void serve_runs_close(assay_response *r);

void serve_runs_free(serve_choice *c);

#endif
