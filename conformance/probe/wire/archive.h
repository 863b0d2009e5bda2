/* A saved run as one file of JSON lines (base/json_lines.h): the run, then an exchange with its bodies in
 * each line (record.h). An archive is untrusted input.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_WIRE_ARCHIVE_H
#define CONFORMANCE_PROBE_WIRE_ARCHIVE_H

#include "conformance/probe/wire/exchange.h"

typedef struct probe_archive probe_archive;

/* Creates the file, for probe_archive_write. Fails with ASSAY_EIO, also if it exists, or ASSAY_ENOMEM. */
assay_status probe_archive_create(const char *path, const char *url, uint32_t number, probe_archive **out,
                                  assay_error *err);

/* Checks every line, for probe_archive_get and probe_archive_read; the caller frees *url. *number: 0 if there
 * is none. Fails as json_lines_next does, and with ASSAY_EFORMAT for a line that is no exchange or whose
 * label an earlier line has; the text names the file, the line and the member. */
assay_status probe_archive_open(const char *path, probe_archive **out, char **url, uint32_t *number,
                                assay_error *err);
void probe_archive_close(probe_archive *archive);

/* Appends an exchange, whose label is a new one. Fails with ASSAY_EIO, naming the file, or ASSAY_ENOMEM. */
assay_status probe_archive_write(probe_archive *archive, const probe_exchange *x, assay_error *err);

/* How many exchanges are stored, and exchange i of them in the order of their labels, which the caller frees
 * also after a failure. Fails as probe_archive_open does, if the file has changed. */
size_t probe_archive_count(const probe_archive *archive);
assay_status probe_archive_get(probe_archive *archive, size_t i, probe_exchange *x, assay_error *err);

/* As probe_store_read; it fails as probe_archive_get does. */
assay_status probe_archive_read(probe_archive *archive, probe_exchange *x, assay_error *err);

#endif
