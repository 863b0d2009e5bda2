/* A saved run as a directory of files.
 *
 *     DIR/probe.json          the run (record.h)
 *     DIR/LABEL.request       the body of the request, as it was sent
 *     DIR/LABEL.response      the body of the answer, as it came
 *     DIR/LABEL.json          the exchange (record.h)
 *
 * LABEL has slashes, which are directories. A saved directory is untrusted input.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_WIRE_DIRECTORY_H
#define CONFORMANCE_PROBE_WIRE_DIRECTORY_H

#include "conformance/probe/wire/exchange.h"

/* Creates the directory and DIR/probe.json. Fails with ASSAY_EIO, also if the directory has one already. */
assay_status probe_directory_create(const char *dir, const char *url, uint32_t number, assay_error *err);

/* Reads DIR/probe.json; the caller frees *url. *number: 0 if there is none. Fails as json_read does, and with
 * ASSAY_EFORMAT. */
assay_status probe_directory_open(const char *dir, char **url, uint32_t *number, assay_error *err);

/* Whether DIR/probe.json exists. */
bool probe_directory_is(const char *dir);

/* Fails with ASSAY_EIO, naming the file, or ASSAY_ENOMEM. */
assay_status probe_directory_write(const char *dir, const probe_exchange *x, assay_error *err);

/* As probe_store_read; it fails with ASSAY_EIO or ASSAY_EFORMAT, naming the file, for a stored exchange that
 * cannot be read, or ASSAY_ENOMEM. */
assay_status probe_directory_read(const char *dir, probe_exchange *x, assay_error *err);

#endif
