/* Reading cases of kind rope.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_ROPE_H
#define CONFORMANCE_CASE_ROPE_H

#include "conformance/case/case.h"

/* Fills c->rope. After a failure conf_rope_free must still be called. */
assay_status conf_rope_read(const conf_h5 *file, conf_case *c, assay_error *err);
void conf_rope_free(conf_rope *r);

#endif
