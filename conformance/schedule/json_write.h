/* Writing programs to files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_JSON_WRITE_H
#define CONFORMANCE_SCHEDULE_JSON_WRITE_H

#include "conformance/schedule/json.h"

/* Writes the file, replacing an existing one. Fails with ASSAY_EIO or ASSAY_ENOMEM. */
assay_status conf_schedule_write(const char *path, const conf_schedule_file *file, assay_error *err);

#endif
