/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/wire/exchange.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static const char *const names[PROBE_N_ENDS] = {"unsent",     "answered",   "left",       "timeout",
                                                "redirected", "too long",   "broken off", "not reached",
                                                "not saved",  "out of time"};

const char *probe_end_name(probe_end end)
{
    return names[end];
}

probe_end probe_end_find(const char *name)
{
    probe_end end = 0;
    while (end < PROBE_N_ENDS && strcmp(names[end], name) != 0) end++;
    return end;
}

void probe_exchange_begin(probe_exchange *x, const char *label, const char *path)
{
    *x = (probe_exchange){.sent = -1, .first = -1, .last = -1};
    (void)snprintf(x->label, sizeof x->label, "%s", label);
    (void)snprintf(x->path, sizeof x->path, "%s", path);
}

void probe_exchange_free(probe_exchange *x)
{
    buffer_free(&x->request);
    buffer_free(&x->body);
    free(x->arrivals);
    *x = (probe_exchange){0};
}

bool probe_exchange_arrive(probe_exchange *x, const char *bytes, size_t n, double seconds)
{
    if (!buffer_append(&x->body, bytes, n)) return false;
    if (x->first < 0) x->first = seconds;
    x->last = seconds;
    if (x->n_arrivals == PROBE_ARRIVALS_MAX) {
        x->arrivals[x->n_arrivals - 1] = (probe_arrival){x->body.n, seconds};
        return true;
    }
    probe_arrival *arrivals = grow_by_one(x->arrivals, x->n_arrivals, sizeof *arrivals);
    if (!arrivals) return false;
    x->arrivals = arrivals;
    x->arrivals[x->n_arrivals++] = (probe_arrival){x->body.n, seconds};
    return true;
}

void probe_exchange_end(probe_exchange *x, probe_end end, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(x->why, sizeof x->why, format, args);
    va_end(args);
    x->end = end;
}

bool probe_exchange_succeeded(const probe_exchange *x)
{
    return x->end == PROBE_ANSWERED && x->status >= 200 && x->status < 300;
}

bool probe_exchange_is_missing(const probe_exchange *x)
{
    return x->end == PROBE_NOT_SAVED || x->end == PROBE_OUT_OF_TIME;
}

bool probe_exchange_refused(const probe_exchange *x)
{
    return x->end == PROBE_ANSWERED && x->status >= 400 && x->status < 500;
}
