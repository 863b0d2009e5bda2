/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/wire/wire.h"

#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "conformance/probe/wire/http.h"
#include "conformance/probe/wire/store.h"
#include "conformance/support/clock.h"

struct probe_wire {
    probe_http *http;   /* NULL: a saved run */
    char *url;          /* of a saved run */
    probe_store *store; /* where exchanges are saved, or are read; NULL: nowhere */
    double end;         /* on conf_clock, when the probe's time is over; 0: never */
    uint32_t number;
    size_t n, n_calls;
    probe_wire_watch *watch; /* NULL: none */
    void *context;
    probe_wire_keep *keep; /* NULL: all are kept */
    void *keep_context;
};

static assay_status open_saved(probe_wire *w, const char *target, const char *save, assay_error *err)
{
    if (save)
        return assay_fail(err, ASSAY_EINVAL, "option --save: found the saved run %s, expected a server",
                          target);
    return probe_store_open(target, &w->store, &w->url, &w->number, err);
}

/* Seconds since 1970 on the client's clock. */
static double date(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static assay_status open_live(probe_wire *w, const char *target, const char *key, const char *save,
                              double seconds, assay_error *err)
{
    assay_status rc = probe_http_open(target, key, seconds, &w->http, err);
    w->number = (uint32_t)(uint64_t)(date() * 1000);
    if (rc != ASSAY_OK || !save) return rc;
    return probe_store_create(save, probe_http_base(w->http), w->number, &w->store, err);
}

assay_status probe_wire_open(const char *target, const char *key, const char *save, double seconds,
                             probe_wire **out, assay_error *err)
{
    probe_wire *w = calloc(1, sizeof *w);
    if (!w) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    assay_status rc = probe_store_is(target) ? open_saved(w, target, save, err)
                                             : open_live(w, target, key, save, seconds, err);
    if (rc != ASSAY_OK) probe_wire_close(w);
    else *out = w;
    return rc;
}

void probe_wire_close(probe_wire *wire)
{
    if (!wire) return;
    probe_http_close(wire->http);
    free(wire->url);
    probe_store_close(wire->store);
    free(wire);
}

const char *probe_wire_url(const probe_wire *wire)
{
    return wire->http ? probe_http_base(wire->http) : wire->url;
}

uint32_t probe_wire_number(const probe_wire *wire)
{
    return wire->number;
}

bool probe_wire_is_saved(const probe_wire *wire)
{
    return !wire->http;
}

void probe_wire_limit(probe_wire *wire, double seconds)
{
    wire->end = conf_clock() + seconds;
}

static void end_out_of_time(probe_exchange *x)
{
    probe_exchange_end(x, PROBE_OUT_OF_TIME, "the time of the probe was over before");
}

/* Makes exchanges in the time that is left. */
static assay_status run_limited(probe_wire *wire, probe_exchange *const *exchanges, size_t n,
                                assay_error *err)
{
    const double left = wire->end - conf_clock();
    for (size_t i = 0; i < n; i++) {
        if (left <= 0) end_out_of_time(exchanges[i]);
        else if (exchanges[i]->seconds <= 0 || exchanges[i]->seconds > left) exchanges[i]->seconds = left;
    }
    if (left <= 0) return ASSAY_OK;
    const assay_status rc = probe_http_run(wire->http, exchanges, n, err);
    for (size_t i = 0; i < n; i++)
        if (exchanges[i]->end == PROBE_TIMEOUT && exchanges[i]->seconds == left)
            end_out_of_time(exchanges[i]);
    return rc;
}

static assay_status run_live(probe_wire *wire, probe_exchange *const *exchanges, size_t n, assay_error *err)
{
    const double began = date();
    if (n == 0) return ASSAY_OK;
    for (size_t i = 0; i < n; i++) exchanges[i]->began = began;
    return wire->end > 0 ? run_limited(wire, exchanges, n, err)
                         : probe_http_run(wire->http, exchanges, n, err);
}

/* Asks the server for those that are kept. */
static assay_status run_kept(probe_wire *wire, probe_exchange *const *exchanges, size_t n, assay_error *err)
{
    size_t n_kept = 0;
    if (!wire->keep) return run_live(wire, exchanges, n, err);
    probe_exchange **kept = calloc(n + 1, sizeof(probe_exchange *));
    if (!kept) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        if (wire->keep(wire->keep_context, exchanges[i], wire->n_calls)) kept[n_kept++] = exchanges[i];
        else probe_exchange_end(exchanges[i], PROBE_NOT_SAVED, PROBE_LEFT_OUT);
    }
    const assay_status rc = run_live(wire, kept, n_kept, err);
    free(kept);
    return rc;
}

assay_status probe_wire_run(probe_wire *wire, probe_exchange *const *exchanges, size_t n, assay_error *err)
{
    assay_status rc = wire->http ? run_kept(wire, exchanges, n, err) : ASSAY_OK;
    wire->n_calls++;
    for (size_t i = 0; i < n && rc == ASSAY_OK && wire->store; i++)
        rc = wire->http ? probe_store_write(wire->store, exchanges[i], err)
                        : probe_store_read(wire->store, exchanges[i], err);
    wire->n += n;
    for (size_t i = 0; i < n && rc == ASSAY_OK && wire->watch; i++) wire->watch(wire->context, exchanges[i]);
    return rc;
}

void probe_wire_set_watch(probe_wire *wire, probe_wire_watch *watch, void *context)
{
    wire->watch = watch;
    wire->context = context;
}

void probe_wire_set_keep(probe_wire *wire, probe_wire_keep *keep, void *context)
{
    wire->keep = keep;
    wire->keep_context = context;
}

size_t probe_wire_count(const probe_wire *wire)
{
    return wire->n;
}
