/* The files of a bundle.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BUNDLE_FILES_H
#define CONFORMANCE_BUNDLE_FILES_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>

#include "conformance/support/strings.h"

#define CONF_BUNDLE_BYTES_MAX ((size_t)5000000) /* trackers refuse more */
#define CONF_BUNDLE_TEXT      ((size_t)100000)  /* of it, kept for ISSUE.md and checksums */

typedef struct conf_bundle_file {
    char *name; /* relative to the bundle */
    size_t bytes;
} conf_bundle_file;

/* dir: the bundle, borrowed. left_out: a line for each file that the bundle lacks, with the reason. */
typedef struct conf_bundle_files {
    const char *dir;
    conf_bundle_file *at; /* [n] */
    size_t n, bytes;
    conf_strings left_out;
} conf_bundle_files;

/* Whether so many more bytes leave enough for the texts. */
bool conf_bundle_fits(const conf_bundle_files *files, size_t bytes);

/* Writes text[n] to the new file `name`, and creates its directories. Fails with ASSAY_EIO, ASSAY_ENOMEM. */
assay_status conf_bundle_put(conf_bundle_files *files, const char *name, const char *text, size_t n,
                             assay_error *err);

/* Counts a file that stands in the bundle. The same failures. */
assay_status conf_bundle_count(conf_bundle_files *files, const char *name, size_t bytes, assay_error *err);

/* Adds a line to left_out; printf-formatted. Fails with ASSAY_ENOMEM. */
assay_status conf_bundle_leave_out(conf_bundle_files *files, assay_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void conf_bundle_files_free(conf_bundle_files *files);

#endif
