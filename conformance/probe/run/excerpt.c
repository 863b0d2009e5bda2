/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/run/excerpt.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/shown.h"
#include "conformance/support/text.h"

enum { BEFORE_MARK = 800 }; /* bytes of a body that are shown before the mark, where not all of it is shown */

/* The first byte of a body that is shown: 0, or the beginning of a character some way before the mark. */
static size_t begin_of(const buffer *body, probe_mark mark)
{
    size_t from = mark.from > PROBE_EXCERPT_MAX / 2 ? mark.from - BEFORE_MARK : 0;
    while (from < mark.from && ((unsigned char)body->data[from] & 0xC0) == 0x80) from++;
    return from;
}

static void print_body(FILE *out, const buffer *body, probe_mark mark)
{
    const char *text = (const char *)body->data;
    const size_t from = begin_of(body, mark);
    const size_t most = body->n - from < PROBE_EXCERPT_MAX ? body->n : from + PROBE_EXCERPT_MAX;
    bool is_open = false;
    if (from > 0) (void)fprintf(out, "[%zu bytes before]\n", from);
    for (size_t i = from; i < most;) {
        char shown[SHOWN_CHARACTER_MAX];
        const bool is_marked = i >= mark.from && i < mark.to;
        if (is_marked != is_open) (void)fputs(is_marked ? PROBE_MARK_BEGIN : PROBE_MARK_END, out);
        is_open = is_marked;
        if (text[i] == '\n') {
            (void)fputc(text[i++], out);
            continue;
        }
        i += shown_character(text + i, body->n - i, shown);
        (void)fputs(shown, out);
    }
    if (is_open) (void)fputs(PROBE_MARK_END, out);
    if (most < body->n) (void)fprintf(out, "\n[%zu bytes in all]", body->n);
    if (body->n) (void)fputc('\n', out);
}

static void print_remark(FILE *out, const char *text)
{
    if (!text[0]) return;
    (void)fputs(", ", out);
    conf_text_print_clean(out, text);
}

char *probe_excerpt(const probe_exchange *x, probe_mark mark)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    (void)fprintf(out, "%s %s\n", x->get ? "GET" : "POST", x->path);
    print_body(out, &x->request, (probe_mark){0, 0});
    (void)fprintf(out, "\n%s", probe_end_name(x->end));
    if (x->status) (void)fprintf(out, ", status %d", x->status);
    print_remark(out, x->content_type);
    print_remark(out, x->why);
    if (mark.from < mark.to)
        (void)fputs("; what is wrong is between " PROBE_MARK_BEGIN " and " PROBE_MARK_END, out);
    (void)fputc('\n', out);
    print_body(out, &x->body, mark);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
