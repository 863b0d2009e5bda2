/* SPDX-License-Identifier: Apache-2.0 */
#include "template/tests/rendering.h"

#include <string.h>

#include "base/buffer.h"
#include "template/template.h"

static const char variables[] =
    "{\"n\": 7, \"yes\": true, \"no\": false, \"xs\": [3, 1, 2], \"d\": {\"a\": 1, \"b\": \"two\"}, \"ms\": "
    "[{\"role\": \"user\", \"content\": \"hi\"}, {\"role\": \"assistant\", \"content\": \"yo\"}]}";

static void take(void *context, const char *bytes, size_t n)
{
    ck_assert(buffer_append(context, bytes, n));
}

static assay_status render(const char *source, buffer *out, assay_error *err)
{
    const assay_byte_sink sink = {take, out};
    const assay_template_options options = {.size = sizeof options,
                                            .source = {.at = source, .n = strlen(source)},
                                            .variables = {.at = variables, .n = strlen(variables)},
                                            .now = 1753600000};
    return template_render(&options, &sink, err);
}

void assert_renders(const char *source, const char *text)
{
    buffer out = {0};
    assay_error err = {0};
    ck_assert_msg(render(source, &out, &err) == ASSAY_OK, "%s: %s", source, err.text);
    ck_assert_msg(out.n == strlen(text) && (out.n == 0 || memcmp(out.data, text, out.n) == 0),
                  "%s: expected \"%s\", found \"%.*s\"", source, text, (int)out.n, out.data ? out.data : "");
    buffer_free(&out);
}

void assert_fails(const char *source, assay_status status, const char *text)
{
    buffer out = {0};
    assay_error err = {0};
    const assay_status rc = render(source, &out, &err);
    ck_assert_msg(rc == status, "%.99s: expected status %d, found %d: %s", source, (int)status, (int)rc,
                  err.text);
    ck_assert_msg(strstr(err.text, text) != NULL, "%.99s: expected \"%s\", found \"%s\"", source, text,
                  err.text);
    ck_assert_uint_eq(out.n, 0);
    buffer_free(&out);
}
