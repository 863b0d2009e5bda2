/* What a server counts, and its text for Prometheus (text format 0.0.4).
 *
 * Thread-safe and lock-free; a reader may see one of two counts that belong together before the other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_JOB_METRICS_H
#define SERVER_JOB_METRICS_H

#include "base/buffer.h"

typedef struct server_metrics server_metrics;

/* Counters only grow; a gauge is the present value. */
typedef enum server_count {
    SERVER_COUNT_PROMPT_TOKENS,     /* evaluated tokens of prompts */
    SERVER_COUNT_COMPLETION_TOKENS, /* generated tokens */
    SERVER_COUNT_STEPS,             /* calls of the engine's step that succeeded */
    SERVER_COUNT_STEP_SAMPLES,      /* samples in them, summed */
    SERVER_COUNT_BATCHED_STEPS,     /* of them, those with two samples or more */
    SERVER_COUNT_ABANDONED,         /* jobs whose client had gone */
    SERVER_COUNT_FAILED,            /* samples that the engine failed */
    SERVER_GAUGE_RUNNING,           /* samples that are evaluated */
    SERVER_GAUGE_QUEUED,            /* jobs that wait */
    SERVER_GAUGE_CONNECTIONS,       /* open connections */
    SERVER_N_COUNTS
} server_count;

typedef enum server_time {
    SERVER_TIME_FIRST_TOKEN, /* from the request to its first generated token */
    SERVER_TIME_REQUEST,     /* from the request to the end of its answer */
    SERVER_TIME_STEP,        /* one call of the engine's step */
    SERVER_N_TIMES
} server_time;

/* NULL if out of memory. */
server_metrics *server_metrics_new(void);
void server_metrics_free(server_metrics *m);

/* delta may be negative for gauges only. */
void server_metrics_add(server_metrics *m, server_count count, int64_t delta);
int64_t server_metrics_get(server_metrics *m, server_count count);
void server_metrics_observe(server_metrics *m, server_time time, double seconds);
/* Counts an answered request. path: of the request; one that is not served counts as "other". */
void server_metrics_answered(server_metrics *m, const char *path, int status);

/* Appends the text. False if out of memory. */
bool server_metrics_write(server_metrics *m, buffer *out);

#endif
