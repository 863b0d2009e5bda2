/* Directories for what is written.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_DIRECTORIES_H
#define CONFORMANCE_SUPPORT_DIRECTORIES_H

#include <assay/status.h>

/* Makes the directories that the file `path` is to lie in, where they are missing. Fails with ASSAY_EIO or
 * ASSAY_ENOMEM. */
assay_status conf_directories_make(const char *path, assay_error *err);

#endif
