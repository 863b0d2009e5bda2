/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/values/arguments.h"

#include "base/grow.h"
#include "base/json_escape.h"

#include <stdlib.h>
#include <string.h>

void serve_arguments_free(serve_arguments *a)
{
    buffer_free(&a->text);
    buffer_free(&a->json);
    free(a->each);
    *a = (serve_arguments){0};
}

void serve_arguments_name(serve_arguments *a, assay_text name)
{
    serve_argument *each = grow_by_one(a->each, a->n, sizeof *each);
    if (!each) {
        a->text.failed = true;
        return;
    }
    a->each = each;
    if (a->n > 0) a->each[a->n - 1].end = a->text.n;
    serve_argument *one = &a->each[a->n++];
    *one = (serve_argument){.begin = a->text.n};
    json_append_quoted(&a->text, name);
    one->name_end = a->text.n;
    buffer_append_string(&a->text, ": ");
}

void serve_arguments_forget(serve_arguments *a)
{
    if (a->text.failed) return;
    a->text.n = a->each[--a->n].begin;
}

/* Orders by name, and equal names by their position in the text. */
static int compare_members(const void *left, const void *right, void *context)
{
    const serve_argument *x = *(serve_argument *const *)left, *y = *(serve_argument *const *)right;
    const char *text = context;
    const size_t nx = x->name_end - x->begin, ny = y->name_end - y->begin;
    const int order = memcmp(text + x->begin, text + y->begin, nx < ny ? nx : ny);
    if (order != 0) return order;
    if (nx != ny) return nx < ny ? -1 : 1;
    return x->begin < y->begin ? -1 : 1;
}

static void mark_replaced(serve_arguments *a)
{
    serve_argument **sorted = malloc(a->n * sizeof(serve_argument *));
    if (!sorted) {
        a->json.failed = true;
        return;
    }
    for (size_t i = 0; i < a->n; i++) sorted[i] = &a->each[i];
    qsort_r(sorted, a->n, sizeof *sorted, compare_members, a->text.data);
    for (size_t i = 1; i < a->n; i++) {
        const serve_argument *x = sorted[i - 1], *y = sorted[i];
        const size_t n = x->name_end - x->begin;
        (a->first_counts ? sorted[i] : sorted[i - 1])->replaced =
            n == y->name_end - y->begin && memcmp(a->text.data + x->begin, a->text.data + y->begin, n) == 0;
    }
    free(sorted);
}

/* Closes all of the object but its brace, and resets a. */
static void join_members(serve_arguments *a)
{
    a->json.n = 0;
    if (a->n > 0) a->each[a->n - 1].end = a->text.n;
    buffer_append(&a->json, "{", 1);
    for (size_t i = 0; i < a->n && !a->text.failed; i++) {
        const serve_argument *one = &a->each[i];
        if (one->replaced) continue;
        if (a->json.n > 1) buffer_append_string(&a->json, ", ");
        buffer_append(&a->json, a->text.data + one->begin, one->end - one->begin);
    }
    a->text.n = 0;
    a->n = 0;
}

assay_text serve_arguments_object(serve_arguments *a)
{
    if (a->n > 0 && !a->text.failed) mark_replaced(a);
    join_members(a);
    buffer_append(&a->json, "}", 1);
    return buffer_text(&a->json);
}

assay_text serve_arguments_begun(serve_arguments *a)
{
    if (a->n == 0) return serve_arguments_object(a);
    join_members(a);
    return buffer_text(&a->json);
}
