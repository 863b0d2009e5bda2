/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t probe_evidence_switches(const probe_exchange *x, size_t n)
{
    size_t *at = calloc(n ? n : 1, sizeof *at), n_switches = 0, last = SIZE_MAX;
    if (!at) return 0;
    for (;;) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < n; i++)
            if (at[i] < x[i].n_arrivals &&
                (next == SIZE_MAX || x[i].arrivals[at[i]].seconds < x[next].arrivals[at[next]].seconds))
                next = i;
        if (next == SIZE_MAX) break;
        at[next]++;
        if (last != SIZE_MAX && next != last) n_switches++;
        last = next;
    }
    free(at);
    return n_switches >= n ? n_switches - (n - 1) : 0;
}

double probe_evidence_span(const probe_exchange *x, size_t n)
{
    double first = INFINITY, last = 0;
    for (size_t i = 0; i < n; i++) {
        if (x[i].sent >= 0) first = fmin(first, x[i].sent);
        last = fmax(last, x[i].last);
    }
    return isfinite(first) ? last - first : 0;
}

/* Calls `take` for each value of Prometheus' text format whose name contains `word`. */
static void read_metrics(const probe_exchange *metrics, const char *word,
                         void (*take)(double value, double *result), double *result)
{
    const char *at = metrics->body.data, *end = at ? at + metrics->body.n : at;
    while (at && at < end) {
        char line[256];
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t n = stop ? (size_t)(stop - at) : (size_t)(end - at);
        const size_t shown = n < sizeof line - 1 ? n : sizeof line - 1;
        memcpy(line, at, shown);
        line[shown] = '\0';
        at = stop ? stop + 1 : end;
        const size_t name = strcspn(line, "{ ");
        const char *value = strrchr(line, ' ');
        if (line[0] == '#' || !value || !memmem(line, name, word, strlen(word))) continue;
        take(strtod(value, NULL), result);
    }
}

static void take_largest(double value, double *result)
{
    *result = fmax(*result, value);
}

static void take_sum(double value, double *result)
{
    *result += value;
}

double probe_evidence_running(const probe_exchange *metrics)
{
    double most = -1;
    read_metrics(metrics, "running", take_largest, &most);
    return most;
}

double probe_evidence_batched(const probe_exchange *metrics)
{
    double sum = 0;
    read_metrics(metrics, "batched", take_sum, &sum);
    return sum;
}
