/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/run/excerpt.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/shown.h"

static void print_body(FILE *out, const buffer *body)
{
    const char *text = (const char *)body->data;
    const size_t most = body->n < PROBE_EXCERPT_MAX ? body->n : PROBE_EXCERPT_MAX;
    for (size_t i = 0; i < most;) {
        char shown[SHOWN_CHARACTER_MAX];
        if (text[i] == '\n') {
            (void)fputc(text[i++], out);
            continue;
        }
        i += shown_character(text + i, body->n - i, shown);
        (void)fputs(shown, out);
    }
    if (most < body->n) (void)fprintf(out, "\n[%zu bytes in all]", body->n);
    if (body->n) (void)fputc('\n', out);
}

char *probe_excerpt(const probe_exchange *x)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    (void)fprintf(out, "%s %s\n", x->get ? "GET" : "POST", x->path);
    print_body(out, &x->request);
    (void)fprintf(out, "\n%s", probe_end_name(x->end));
    if (x->status) (void)fprintf(out, ", status %d", x->status);
    if (x->content_type[0]) (void)fprintf(out, ", %s", x->content_type);
    if (x->why[0]) (void)fprintf(out, ", %s", x->why);
    (void)fputc('\n', out);
    print_body(out, &x->body);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
