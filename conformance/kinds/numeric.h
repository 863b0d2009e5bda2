/* Reading cases that are stored as HDF5.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_KINDS_NUMERIC_H
#define CONFORMANCE_KINDS_NUMERIC_H

#include "conformance/case/case.h"

/* Whether an open file is an observation: it has /observed but no /expect. */
bool conf_case_is_observation(const conf_h5 *file);

/* Reads the header and, if the kind is replayed, the body. frame: read only the frame
 * (conf_case_read_frame). */
assay_status conf_numeric_read(const conf_h5 *file, conf_case *c, bool frame, assay_error *err);

#endif
