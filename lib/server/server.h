/* A server of one checkpoint over any engine: HTTP, requests, and evaluation, opened together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "server/job/model.h"

#include <stdbool.h>
#include <stdint.h>

/* The limits of a server; server_limits_default has those that are usual.
 * n_running:    samples that are evaluated at once.
 * n_queued:     requests that wait.
 * n_connections, body_bytes, idle_seconds, receive_seconds: as in server_http_options.
 * n_images, image_bytes, n_choices, n_logprobs: as in server_request_limits.
 * stall_seconds: as in server_scheduler_options. */
typedef struct server_limits {
    size_t n_running, n_queued, n_connections, body_bytes;
    size_t n_images, image_bytes, n_choices, n_logprobs;
    unsigned idle_seconds;
    double receive_seconds, stall_seconds;
} server_limits;

extern const server_limits server_limits_default;

/* model:     as for server_model_open.
 * host, port, key: as in server_http_options.
 * files:     the directory that requests may name image files in; NULL: none.
 * reasoning, tools: names of parsers; "none": no parser; NULL: by the tokens of the tokenizer.
 * max_tokens: of an answer whose request gives no limit; 0: as many as the model has positions for. */
typedef struct server_options {
    server_model_options model;
    const char *host, *key, *files, *reasoning, *tools;
    uint16_t port;
    size_t max_tokens;
    server_limits limits;
} server_options;

typedef struct server server;

/* Opens the checkpoint and listens. options: borrowed for the call, but model.engine, model.serving and the
 * strings until server_free. Fails as server_model_open, server_requests_open, server_scheduler_open and
 * server_http_open do. */
assay_status server_open(const server_options *options, server **out, assay_error *err);
const char *server_name(const server *s); /* what clients call the model */
uint16_t server_port(const server *s);
/* Refuses new requests with 503; those that were accepted are finished. */
void server_stop(server *s);
/* Whether no request is in progress. */
bool server_is_idle(server *s);
/* Ends what is in progress, closes all connections. NULL allowed. */
void server_free(server *s);

#endif
