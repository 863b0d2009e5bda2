/* Answers to GET: /v1/models, /health, /metrics.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_ANSWERS_H
#define SERVER_ANSWERS_H

#include "server/job/metrics.h"
#include "server/job/model.h"

typedef struct server_answers {
    const server_model *model;
    server_metrics *metrics;
    bool stopping;
} server_answers;

/* As server_service.get. A failed allocation is recorded in the buffer. */
int server_answers_get(const server_answers *a, const char *path, const char **content_type, buffer *body);

#endif
