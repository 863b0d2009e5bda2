/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/refusal.h"

#include "base/json_escape.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

assay_status server_refuse(server_refusal *refusal, int status, const char *member, const char *format, ...)
{
    char text[sizeof refusal->text];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    refusal->status = status;
    (void)snprintf(refusal->member, sizeof refusal->member, "%s", member);
    (void)snprintf(refusal->text, sizeof refusal->text, "%.*s%s%.*s", 90, member, *member ? ": " : "",
                   (int)sizeof refusal->text - 100, text);
    return status == 500 ? ASSAY_ENOMEM : ASSAY_EINVAL;
}

/* The published names of kinds of errors. */
static const char *kind_of(serve_endpoint endpoint, int status)
{
    static const struct {
        int status;
        const char *openai, *anthropic;
    } kinds[] = {
        {401, "invalid_request_error", "authentication_error"},
        {403, "invalid_request_error", "permission_error"},
        {404, "invalid_request_error", "not_found_error"},
        {413, "invalid_request_error", "request_too_large"},
        {429, "rate_limit_error", "rate_limit_error"},
        {503, "server_error", "overloaded_error"},
    };
    const bool anthropic = endpoint == SERVE_MESSAGES;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].status == status) return anthropic ? kinds[i].anthropic : kinds[i].openai;
    if (status >= 500) return anthropic ? "api_error" : "server_error";
    return "invalid_request_error";
}

static void append(buffer *out, const char *literal, const char *text)
{
    buffer_append_string(out, literal);
    json_append_quoted(out, (assay_text){text, strlen(text)});
}

bool server_refusal_write(serve_endpoint endpoint, int status, const char *member, const char *text,
                          buffer *out)
{
    if (endpoint == SERVE_MESSAGES) {
        append(out, "{\"type\":\"error\",\"error\":{\"type\":", kind_of(endpoint, status));
        append(out, ",\"message\":", text);
    } else {
        append(out, "{\"error\":{\"message\":", text);
        append(out, ",\"type\":", kind_of(endpoint, status));
        if (*member) append(out, ",\"param\":", member);
        else buffer_append_string(out, ",\"param\":null");
        if (status == 404 && strcmp(member, "model") == 0) append(out, ",\"code\":", "model_not_found");
        else if (status == 401) append(out, ",\"code\":", "invalid_api_key");
        else buffer_append_string(out, ",\"code\":null");
    }
    buffer_append_string(out, "}}");
    return !out->failed;
}
