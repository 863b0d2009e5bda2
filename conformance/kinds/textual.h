/* Reading cases that are stored as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_KINDS_TEXTUAL_H
#define CONFORMANCE_KINDS_TEXTUAL_H

#include "conformance/case/case.h"

/* Reads the file c->path (.json or .json.gz): the header and, if the kind is replayed, all vectors. */
assay_status conf_textual_read(conf_case *c, assay_error *err);

#endif
