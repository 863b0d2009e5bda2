/* Creates directories for output files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_DIRECTORIES_H
#define CONFORMANCE_SUPPORT_DIRECTORIES_H

#include <assay/status.h>

/* Creates the missing parent directories of the file `path`. Fails with ASSAY_EIO or ASSAY_ENOMEM. */
assay_status conf_directories_make(const char *path, assay_error *err);

#endif
