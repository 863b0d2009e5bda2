/* A saved run: what --save writes, and what is judged again without a server. Its path says its form: an
 * archive (archive.h) if it ends in ".jsonl", otherwise a directory (directory.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_WIRE_STORE_H
#define CONFORMANCE_PROBE_WIRE_STORE_H

#include "conformance/probe/wire/exchange.h"

typedef struct probe_store probe_store;

/* Whether the path is that of an archive: a URL is not. */
bool probe_store_is_archive(const char *path);

/* Whether the path is that of an archive, or of a directory with a saved run. */
bool probe_store_is(const char *path);

/* Fails as probe_archive_create and probe_directory_create do. */
assay_status probe_store_create(const char *path, const char *url, uint32_t number, probe_store **out,
                                assay_error *err);

/* The caller frees *url. *number: 0 if there is none. Fails as probe_archive_open and probe_directory_open
 * do. */
assay_status probe_store_open(const char *path, probe_store **out, char **url, uint32_t *number,
                              assay_error *err);
void probe_store_close(probe_store *store);

/* Adds an exchange to a store that was created. Fails with ASSAY_EIO, naming the file, or ASSAY_ENOMEM. */
assay_status probe_store_write(probe_store *store, const probe_exchange *x, assay_error *err);

/* Fills in the answer of the exchange that has this label in a store that was opened. It ends with
 * PROBE_NOT_SAVED if none is stored, or one with another request. Fails as probe_archive_read and
 * probe_directory_read do. */
assay_status probe_store_read(probe_store *store, probe_exchange *x, assay_error *err);

/* The directory of the observations of a run that is saved at this path: "DIR/observations", or
 * "FILE.observations" of "FILE.jsonl". The caller frees it; NULL if out of memory. */
char *probe_store_observations(const char *path);

#endif
