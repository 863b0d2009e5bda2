/* A config being read from its text, for tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_TESTS_READING_H
#define MODEL_TESTS_READING_H

#include "model/checkpoint/config.h"

/* A document being read, from its text. */
typedef struct reading {
    json_object *document;
    config_notes notes;
    assay_error err;
    config c;
} reading;

void reading_start(reading *r, const char *text);
void reading_finish(reading *r);

/* Expects that reading failed so, and finishes it. */
void reading_expect(reading *r, assay_status status, const char *member, const char *found);

#endif
