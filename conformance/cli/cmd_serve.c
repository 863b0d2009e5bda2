/* assay serve: answers requests over HTTP with a checkpoint.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/abi/serving.h"
#include "conformance/cli/cmd.h"
#include "conformance/judge/compute.h"
#include "server/http/key.h"
#include "server/server.h"

#define USUAL_HOST  "127.0.0.1"
#define USUAL_PORT  8080
#define SPARE_FILES 256 /* descriptors besides those of connections */

static assay_status check_options(const conf_options *o, assay_error *err)
{
    struct stat status;
    if (!o->model)
        return assay_fail(err, ASSAY_EINVAL,
                          "option --model is missing: a directory with a config.json, or a GGUF file");
    if (o->n_engines > 1)
        return assay_fail(err, ASSAY_EINVAL, "found %zu engines, expected one", o->n_engines);
    if (o->n_arguments > 0)
        return assay_fail(err, ASSAY_EINVAL, "found %s, expected only options", o->arguments[0]);
    if (o->serve.files && (stat(o->serve.files, &status) != 0 || !S_ISDIR(status.st_mode)))
        return assay_fail(err, ASSAY_EINVAL, "option --files: %s: expected a directory", o->serve.files);
    return ASSAY_OK;
}

/* The key that clients must send; NULL: none. */
static assay_status find_key(const conf_options *o, const conf_context *context, const char **key,
                             assay_error *err)
{
    *key = NULL;
    if (!o->key_variable) return ASSAY_OK;
    const char *value = context->variable ? context->variable(o->key_variable) : NULL;
    if (!value || !*value)
        return assay_fail(err, ASSAY_EINVAL, "option --api-key-env: found no key in the variable %s",
                          o->key_variable);
    if (strlen(value) > SERVER_KEY_MAX)
        return assay_fail(err, ASSAY_EINVAL,
                          "option --api-key-env: found a key of %zu bytes, expected at most %d",
                          strlen(value), SERVER_KEY_MAX);
    *key = value;
    return ASSAY_OK;
}

static server_limits limits_of(const conf_serve_options *o)
{
    server_limits l = server_limits_default;
    if (o->n_samples) l.n_running = o->n_samples;
    if (o->n_queued) l.n_queued = o->n_queued;
    if (o->n_connections) l.n_connections = o->n_connections;
    if (o->body_mib) l.body_bytes = o->body_mib << 20;
    if (o->seconds > 0) {
        l.idle_seconds = o->seconds < 1 ? 1 : (unsigned)o->seconds;
        l.receive_seconds = 2 * o->seconds;
        l.stall_seconds = o->seconds;
    }
    return l;
}

/* Each connection takes a descriptor. Where the system allows fewer, it holds further connections back. */
static void raise_file_limit(size_t n_connections)
{
    struct rlimit limit;
    const rlim_t wanted = n_connections + SPARE_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static assay_status open_server(const conf_options *o, const conf_context *context, const char *engine,
                                server **out, assay_error *err)
{
    static const conf_serving_part parts[] = {CONF_SERVING_TOKENIZER, CONF_SERVING_COMPLETION,
                                              CONF_SERVING_REPLY,     CONF_SERVING_RESPONSE,
                                              CONF_SERVING_TEMPLATE,  CONF_SERVING_DETOKENIZER};
    server_options options = {
        .model = {.dir = o->model, .name = o->serve.name, .allow_unknown = o->allow_unknown},
        .host = o->serve.host ? o->serve.host : USUAL_HOST,
        .files = o->serve.files,
        .reasoning = o->reasoning,
        .tools = o->tools,
        .port = o->serve.has_port ? o->serve.port : USUAL_PORT,
        .max_tokens = o->generate.max_tokens,
        .limits = limits_of(&o->serve)};
    assay_model_options types = {.size = sizeof types};
    assay_status rc = find_key(o, context, &options.key, err);
    if (rc == ASSAY_OK) rc = conf_engine_open(engine, &options.model.engine, err);
    if (rc == ASSAY_OK) rc = conf_compute_demand(o->compute, options.model.engine, engine, &types, err);
    options.model.compute = types.compute;
    options.model.compute_name = types.compute_name;
    options.model.cache_name = types.cache_name;
    if (rc == ASSAY_OK)
        rc = conf_serving_choose(engine, parts, sizeof parts / sizeof *parts, &options.model.serving, err);
    raise_file_limit(options.limits.n_connections);
    return rc == ASSAY_OK ? server_open(&options, out, err) : rc;
}

/* Waits for a signal to stop, finishes what is in progress, and ends early at a second signal. */
static void wait_for_end(server *s, const sigset_t *signals, const conf_context *context)
{
    const struct timespec tick = {.tv_nsec = 20000000};
    int found;
    while (sigwait(signals, &found) != 0) continue;
    server_stop(s);
    /* The end of an answer that the client has read may not be noticed yet. */
    for (int i = 0; i < 5 && !server_is_idle(s); i++) (void)nanosleep(&tick, NULL);
    if (!server_is_idle(s)) {
        (void)fputs("assay: finishing the requests in progress\n", context->err);
        (void)fflush(context->err);
    }
    while (!server_is_idle(s))
        if (sigtimedwait(signals, NULL, &tick) >= 0) break;
}

static conf_exit serve(const conf_options *o, const conf_context *context, const char *engine,
                       assay_error *err)
{
    server *s = NULL;
    sigset_t signals, before;
    /* Threads inherit the mask: signals reach only the thread that waits for them. */
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, &signals, &before);
    const assay_status rc = open_server(o, context, engine, &s, err);
    if (rc == ASSAY_OK) {
        const char *host = o->serve.host ? o->serve.host : USUAL_HOST;
        (void)fprintf(context->out,
                      strchr(host, ':') ? "serving %s on http://[%s]:%u\n" : "serving %s on http://%s:%u\n",
                      server_name(s), host, (unsigned)server_port(s));
        (void)fflush(context->out);
        wait_for_end(s, &signals, context);
        server_free(s);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc == ASSAY_OK ? CONF_EXIT_AGREE : rc == ASSAY_EINVAL ? CONF_EXIT_USAGE : CONF_EXIT_ERROR;
}

conf_exit conf_cmd_serve(const conf_options *options, const conf_context *context)
{
    char *engine = NULL;
    assay_error err;
    conf_exit code = CONF_EXIT_USAGE;
    if (check_options(options, &err) == ASSAY_OK) {
        code = CONF_EXIT_ERROR;
        const char *name = options->n_engines ? options->engines[0] : "fastpath";
        if (conf_engine_find(name, &context->engine_dirs, &engine, &err) == ASSAY_OK)
            code = serve(options, context, engine, &err);
    }
    if (code != CONF_EXIT_AGREE) conf_cmd_print_error(context, "%s", err.text);
    free(engine);
    return code;
}
