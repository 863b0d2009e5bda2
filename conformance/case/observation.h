/* Members of an observation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_OBSERVATION_H
#define CONFORMANCE_CASE_OBSERVATION_H

#include "conformance/hdf5/hdf5.h"

/* Adds to *unknown every unknown member and attribute of an observation, except traces: whether those are
 * known depends on the case. The names begin with the file's path. */
assay_status conf_observation_note_unknown(const conf_h5 *file, conf_strings *unknown, assay_error *err);

#endif
