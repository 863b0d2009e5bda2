/* A file that is written atomically: under its name there is a complete file or none.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_OUTPUT_H
#define CONFORMANCE_REPORT_OUTPUT_H

#include <assay/status.h>

#include <stdio.h>

typedef struct conf_output {
    FILE *file;              /* NULL: not open */
    char *path, *unfinished; /* the file, and the one that becomes it; unfinished NULL: written in place */
} conf_output;

/* Opens a temporary file (".NAME.XXXXXX") in the directory of `path`, and removes the regular file `path` of
 * an earlier run. A symbolic link stays, and the file that it leads to is replaced; what is not a regular
 * file
 * (/dev/stderr, a FIFO) is written in place. Fails with ASSAY_EIO, ASSAY_ENOMEM. */
assay_status conf_output_open(const char *path, conf_output *out, assay_error *err);

/* Flushes the file to the disk and gives it its name; a file to which nothing was written is removed. Fails
 * with ASSAY_EIO if any write has failed: then there is no file of that name. Does nothing if it is not open.
 */
assay_status conf_output_close(conf_output *output, assay_error *err);

#endif
