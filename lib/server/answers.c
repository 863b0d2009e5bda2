/* SPDX-License-Identifier: Apache-2.0 */
#include "server/answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json_escape.h"
#include "dialogue/text/span.h"
#include "server/request/refusal.h"

static const char models[] = "/v1/models";

static void write_model(const server_model *m, buffer *out)
{
    char numbers[96];
    (void)buffer_append_string(out, "{\"id\":");
    json_append_quoted(out, serve_text_of(m->name));
    (void)snprintf(numbers, sizeof numbers,
                   ",\"object\":\"model\",\"created\":%" PRId64 ",\"owned_by\":\"assay\"", m->created);
    (void)buffer_append_string(out, numbers);
    if (m->max_positions) {
        (void)snprintf(numbers, sizeof numbers, ",\"max_model_len\":%zu", m->max_positions);
        (void)buffer_append_string(out, numbers);
    }
    (void)buffer_append_string(out, "}");
}

static int list_models(const server_model *m, buffer *out)
{
    (void)buffer_append_string(out, "{\"object\":\"list\",\"data\":[");
    write_model(m, out);
    (void)buffer_append_string(out, "]}");
    return 200;
}

static int show_model(const server_model *m, const char *name, buffer *out)
{
    char text[512];
    if (strcmp(name, m->name) == 0) {
        write_model(m, out);
        return 200;
    }
    (void)snprintf(text, sizeof text, "model: found \"%.200s\", expected \"%.200s\"", name, m->name);
    (void)server_refusal_write(SERVE_CHAT, 404, "model", text, out);
    return 404;
}

int server_answers_get(const server_answers *a, const char *path, const char **content_type, buffer *body)
{
    const size_t n = sizeof models - 1;
    if (strcmp(path, "/metrics") == 0) {
        *content_type = "text/plain; version=0.0.4; charset=utf-8";
        (void)server_metrics_write(a->metrics, body);
        return 200;
    }
    *content_type = "application/json";
    if (strcmp(path, models) == 0) return list_models(a->model, body);
    if (strncmp(path, models, n) == 0) return show_model(a->model, path + n + 1, body);
    (void)buffer_append_string(body, a->stopping ? "{\"status\":\"stopping\"}" : "{\"status\":\"ok\"}");
    return a->stopping ? 503 : 200;
}
