/* The server of a probe: a live one, whose exchanges may be saved, or a saved run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_WIRE_WIRE_H
#define CONFORMANCE_PROBE_WIRE_WIRE_H

#include "conformance/probe/wire/exchange.h"

typedef struct probe_wire probe_wire;

/* target: a URL (probe_http_open), or the path of a saved run (probe_store_is). key: NULL: none. save: NULL:
 * nothing is saved. seconds: the time limit of an exchange. Fails as probe_http_open, probe_store_create and
 * probe_store_open do. */
assay_status probe_wire_open(const char *target, const char *key, const char *save, double seconds,
                             probe_wire **out, assay_error *err);
void probe_wire_close(probe_wire *wire);

/* From now on exchanges with a live server may take so many seconds in all; those after them end with
 * PROBE_OUT_OF_TIME. */
void probe_wire_limit(probe_wire *wire, double seconds);

/* The URL of the server, borrowed; of a saved run the one that it was made with. */
const char *probe_wire_url(const probe_wire *wire);

/* Whether the exchanges were saved earlier. */
bool probe_wire_is_saved(const probe_wire *wire);

/* A number that no earlier probe had, for prompts that no server can have seen; of a saved run that of its
 * probe. */
uint32_t probe_wire_number(const probe_wire *wire);

/* Makes and saves exchanges [n], or reads them. Fails as probe_http_run, probe_store_write and
 * probe_store_read do. */
assay_status probe_wire_run(probe_wire *wire, probe_exchange *const *exchanges, size_t n, assay_error *err);

/* watch: called with each exchange after it was made or read. */
typedef void probe_wire_watch(void *context, const probe_exchange *x);
void probe_wire_set_watch(probe_wire *wire, probe_wire_watch *watch, void *context);

/* keep: whether a live server is asked for an exchange. One that is left out ends with PROBE_NOT_SAVED, and
 * PROBE_LEFT_OUT as the reason. call: the number of the probe_wire_run in which it is made, with others at
 * once. */
#define PROBE_LEFT_OUT "left out, to find the fewest requests"
typedef bool probe_wire_keep(void *context, const probe_exchange *x, size_t call);
void probe_wire_set_keep(probe_wire *wire, probe_wire_keep *keep, void *context);

/* How many exchanges have been made. */
size_t probe_wire_count(const probe_wire *wire);

#endif
