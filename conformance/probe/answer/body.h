/* The members of answers, by endpoint: of whole bodies and of events. Used by answer.c only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_ANSWER_BODY_H
#define CONFORMANCE_PROBE_ANSWER_BODY_H

#include "conformance/probe/answer/form.h"

/* Adds what a whole body, or the data of an event, says. Returns false if out of memory. */
bool probe_body_read(probe_endpoint endpoint, json_object *body, probe_answer *a);
bool probe_event_read(probe_endpoint endpoint, json_object *event, probe_answer *a);

#endif
