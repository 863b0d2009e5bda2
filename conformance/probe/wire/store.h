/* Exchanges in a directory: what --save writes, and what is judged again without a server.
 *
 *     DIR/probe.json          the server's URL, the schema, and the number that its prompts contain
 *     DIR/LABEL.request       the body of the request, as it was sent
 *     DIR/LABEL.response      the body of the answer, as it came
 *     DIR/LABEL.json          everything else: path, status, content type, end, times
 *
 * LABEL has slashes, which are directories. Keys and headers of requests are not stored. A saved directory
 * is untrusted input.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_WIRE_STORE_H
#define CONFORMANCE_PROBE_WIRE_STORE_H

#include "conformance/probe/wire/exchange.h"

#define PROBE_STORE_SCHEMA "assay-probe-exchanges/1"

/* Creates the directory and DIR/probe.json. Fails with ASSAY_EIO, also if the directory has one already. */
assay_status probe_store_create(const char *dir, const char *url, uint32_t number, assay_error *err);

/* Reads DIR/probe.json; the caller frees *url. *number: 0 if there is none. Fails as json_read does, and with
 * ASSAY_EFORMAT. */
assay_status probe_store_open(const char *dir, char **url, uint32_t *number, assay_error *err);

/* Whether DIR/probe.json exists. */
bool probe_store_is(const char *dir);

/* Fails with ASSAY_EIO, naming the file, or ASSAY_ENOMEM. */
assay_status probe_store_write(const char *dir, const probe_exchange *x, assay_error *err);

/* Fills in the answer of the exchange that has this label. It ends with PROBE_NOT_SAVED if none is stored, or
 * one with another request. Fails with ASSAY_EIO or ASSAY_EFORMAT, naming the file, for a stored one that
 * cannot be read, or ASSAY_ENOMEM. */
assay_status probe_store_read(const char *dir, probe_exchange *x, assay_error *err);

#endif
