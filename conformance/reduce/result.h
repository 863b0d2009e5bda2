/* What a reduction has come to: printed, and written as a bundle.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_RESULT_H
#define CONFORMANCE_REDUCE_RESULT_H

#include "conformance/reduce/subject.h"

/* Prints what is kept of the case, and writes the smallest case as a bundle into task->directory. seconds:
 * how long the reduction took. Fails as conf_bundle_write does. */
assay_status conf_reduced_write(conf_subject *s, double seconds, assay_error *err);

#endif
