/* Checksums of a recorded checkpoint. A weight or a config member that was changed by accident is read by the
 * loader like any other: without its checksum, the engine would be blamed for other results.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_CHECKSUMS_H
#define CONFORMANCE_SUPPORT_CHECKSUMS_H

#include <assay/status.h>

#include <stdbool.h>
#include <stdint.h>

#define CONF_CHECKSUMS_SUFFIX ".crc32" /* of the list, after the name of the checkpoint */

/* Compares the files of the checkpoint `dir` with "`dir`.crc32", which has a line for each file: its CRC-32
 * in 8 hexadecimal digits, two spaces, its name. ASSAY_OK if there is no such list. Fails with ASSAY_EFORMAT
 * if a file has another checksum, the list is malformed, or it has no line for a file from which engines read
 * weights, settings or texts, which the suffix tells (scripts/record/support/checksums.py, SUFFIXES); with
 * ASSAY_EIO if a file cannot be read, or with ASSAY_ENOMEM. Of a checkpoint that is a file, the list, its
 * own or that of its directory, names files beside it, and must name the file. */
assay_status conf_checksums_check(const char *dir, assay_error *err);

/* The same with the list at `path`, which must exist. */
assay_status conf_checksums_compare(const char *checkpoint, const char *path, assay_error *err);

/* Whether a list must have a line for a file of this name. */
bool conf_checksums_cover(const char *name);

/* The CRC-32 of a file. Fails with ASSAY_EIO. */
assay_status conf_checksums_sum(const char *path, uint32_t *sum, assay_error *err);

#endif
