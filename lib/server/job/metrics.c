/* SPDX-License-Identifier: Apache-2.0 */
#include "server/job/metrics.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *name, *kind, *help;
} counts[SERVER_N_COUNTS] = {
    [SERVER_COUNT_PROMPT_TOKENS] = {"assay_prompt_tokens_total", "counter", "Evaluated tokens of prompts."},
    [SERVER_COUNT_COMPLETION_TOKENS] = {"assay_completion_tokens_total", "counter", "Generated tokens."},
    [SERVER_COUNT_STEPS] = {"assay_steps_total", "counter", "Steps of the engine."},
    [SERVER_COUNT_STEP_SAMPLES] = {"assay_step_samples_total", "counter", "Samples in steps, summed."},
    [SERVER_COUNT_BATCHED_STEPS] = {"assay_batched_steps_total", "counter",
                                    "Steps with two samples or more."},
    [SERVER_COUNT_ABANDONED] = {"assay_abandoned_total", "counter", "Requests whose client had gone."},
    [SERVER_COUNT_FAILED] = {"assay_failed_samples_total", "counter", "Samples that the engine failed."},
    [SERVER_GAUGE_RUNNING] = {"assay_running_samples", "gauge", "Samples that are evaluated."},
    [SERVER_GAUGE_QUEUED] = {"assay_queued_requests", "gauge", "Requests that wait."},
    [SERVER_GAUGE_CONNECTIONS] = {"assay_connections", "gauge", "Open connections."},
};

static const struct {
    const char *name, *help;
} times[SERVER_N_TIMES] = {
    [SERVER_TIME_FIRST_TOKEN] = {"assay_time_to_first_token_seconds",
                                 "From a request to its first generated token."},
    [SERVER_TIME_REQUEST] = {"assay_request_seconds", "From a request to the end of its answer."},
    [SERVER_TIME_STEP] = {"assay_step_seconds", "One step of the engine."},
};

/* Upper bounds of the buckets of times, in milliseconds; a further bucket has no bound. */
static const unsigned bounds[] = {1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000};
#define N_BOUNDS (sizeof bounds / sizeof *bounds)

static const char *const paths[] = {
    "/v1/chat/completions", "/v1/completions", "/v1/messages", "/v1/responses",
    "/v1/models",           "/health",         "/metrics",     "other"};
#define N_PATHS (sizeof paths / sizeof *paths)

static const int statuses[] = {200, 400, 401, 404, 405, 408, 411, 413, 429, 500, 503};
#define N_STATUSES (sizeof statuses / sizeof *statuses)

struct server_metrics {
    atomic_int_fast64_t counts[SERVER_N_COUNTS];
    struct {
        atomic_uint_fast64_t buckets[N_BOUNDS + 1];
        atomic_uint_fast64_t nanoseconds;
    } times[SERVER_N_TIMES];
    atomic_uint_fast64_t answered[N_PATHS][N_STATUSES + 1]; /* the last: any other status */
};

server_metrics *server_metrics_new(void)
{
    return calloc(1, sizeof(server_metrics));
}

void server_metrics_free(server_metrics *m)
{
    free(m);
}

void server_metrics_add(server_metrics *m, server_count count, int64_t delta)
{
    atomic_fetch_add_explicit(&m->counts[count], delta, memory_order_relaxed);
}

int64_t server_metrics_get(server_metrics *m, server_count count)
{
    return atomic_load_explicit(&m->counts[count], memory_order_relaxed);
}

void server_metrics_observe(server_metrics *m, server_time time, double seconds)
{
    size_t i = 0;
    while (i < N_BOUNDS && seconds * 1e3 > bounds[i]) i++;
    atomic_fetch_add_explicit(&m->times[time].buckets[i], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&m->times[time].nanoseconds, (uint64_t)(seconds > 0 ? seconds * 1e9 : 0),
                              memory_order_relaxed);
}

void server_metrics_answered(server_metrics *m, const char *path, int status)
{
    size_t i = 0, k = 0;
    while (i < N_PATHS - 1 && strcmp(paths[i], path) != 0) i++;
    while (k < N_STATUSES && statuses[k] != status) k++;
    atomic_fetch_add_explicit(&m->answered[i][k], 1, memory_order_relaxed);
}

static void write_counts(server_metrics *m, buffer *out)
{
    char line[512];
    for (size_t i = 0; i < SERVER_N_COUNTS; i++) {
        (void)snprintf(line, sizeof line, "# HELP %s %s\n# TYPE %s %s\n%s %" PRId64 "\n", counts[i].name,
                       counts[i].help, counts[i].name, counts[i].kind, counts[i].name,
                       server_metrics_get(m, (server_count)i));
        (void)buffer_append_string(out, line);
    }
}

static void write_times(server_metrics *m, buffer *out)
{
    char line[512];
    for (size_t i = 0; i < SERVER_N_TIMES; i++) {
        uint64_t n = 0;
        (void)snprintf(line, sizeof line, "# HELP %s %s\n# TYPE %s histogram\n", times[i].name, times[i].help,
                       times[i].name);
        (void)buffer_append_string(out, line);
        for (size_t k = 0; k <= N_BOUNDS; k++) {
            n += atomic_load_explicit(&m->times[i].buckets[k], memory_order_relaxed);
            if (k < N_BOUNDS)
                (void)snprintf(line, sizeof line, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", times[i].name,
                               bounds[k] * 1e-3, n);
            else (void)snprintf(line, sizeof line, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", times[i].name, n);
            (void)buffer_append_string(out, line);
        }
        const uint64_t sum = atomic_load_explicit(&m->times[i].nanoseconds, memory_order_relaxed);
        (void)snprintf(line, sizeof line, "%s_sum %.9f\n%s_count %" PRIu64 "\n", times[i].name,
                       (double)sum * 1e-9, times[i].name, n);
        (void)buffer_append_string(out, line);
    }
}

static void write_answered(server_metrics *m, buffer *out)
{
    char line[256];
    (void)buffer_append_string(out, "# HELP assay_requests_total Answered requests.\n"
                                    "# TYPE assay_requests_total counter\n");
    for (size_t i = 0; i < N_PATHS; i++)
        for (size_t k = 0; k <= N_STATUSES; k++) {
            const uint64_t n = atomic_load_explicit(&m->answered[i][k], memory_order_relaxed);
            char status[16] = "other";
            if (n == 0) continue;
            if (k < N_STATUSES) (void)snprintf(status, sizeof status, "%d", statuses[k]);
            (void)snprintf(line, sizeof line, "assay_requests_total{path=\"%s\",status=\"%s\"} %" PRIu64 "\n",
                           paths[i], status, n);
            (void)buffer_append_string(out, line);
        }
}

bool server_metrics_write(server_metrics *m, buffer *out)
{
    write_counts(m, out);
    write_times(m, out);
    write_answered(m, out);
    return !out->failed;
}
