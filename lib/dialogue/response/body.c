/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/body.h"

#include "base/json_escape.h"

#include <inttypes.h>
#include <stdio.h>

void serve_put(assay_response *r, const char *literal)
{
    buffer_append_string(&r->out, literal);
}

void serve_put_text(assay_response *r, assay_text text)
{
    json_append_quoted(&r->out, text.at ? text : (assay_text){"", 0});
}

void serve_put_count(assay_response *r, int64_t n)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRId64, n);
    serve_put(r, text);
}

void serve_put_id(assay_response *r, const char *prefix)
{
    serve_put(r, "\"");
    serve_put(r, prefix);
    json_append_escaped(&r->out, serve_text_of(r->id.data));
    serve_put(r, "\"");
}

void serve_put_id_of(assay_response *r, const char *prefix, size_t index)
{
    serve_put_id(r, prefix);
    r->out.n--; /* removes the quote */
    serve_put(r, "_");
    serve_put_count(r, (int64_t)index);
    serve_put(r, "\"");
}

/* The choices of one prompt have its tokens in common. */
void serve_put_usage(assay_response *r)
{
    int64_t prompt = 0, completion = 0;
    for (size_t i = 0; i < r->request.n_choices; i++) {
        const serve_choice *c = &r->choices[i];
        if (i % r->request.n == 0) prompt += c->prompt_tokens;
        completion += c->completion_tokens;
    }
    serve_put(r, "\"usage\":{\"prompt_tokens\":");
    serve_put_count(r, prompt);
    serve_put(r, ",\"completion_tokens\":");
    serve_put_count(r, completion);
    serve_put(r, ",\"total_tokens\":");
    serve_put_count(r, prompt + completion);
    serve_put(r, "}");
}

void serve_put_list(assay_response *r, const char *head, buffer *elements)
{
    serve_put(r, head);
    serve_put(r, "[");
    buffer_append_text(&r->out, buffer_text(elements));
    serve_put(r, "]");
    elements->n = 0;
}

void serve_put_error(assay_response *r, const char *text)
{
    serve_put(r, "{\"error\":{\"message\":");
    serve_put_text(r, serve_text_of(text));
    serve_put(r, ",\"type\":\"server_error\",\"param\":null,\"code\":null}}");
}
