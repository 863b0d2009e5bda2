/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/repeated.h"

#include "base/json.h"
#include "dialogue/text/span.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

static bool is_same_text(assay_text a, assay_text b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

/* A checksum that is equal for texts that are the same JSON: it omits the bytes in which notations of
 * numbers, white space and "\\/" can differ. 0 means unknown: text has \\uXXXX escapes. */
static uint64_t text_checksum(assay_text text)
{
    static const char IGNORED[] = " \t\n\r\\/+-.eE0123456789";
    uint64_t counts[UCHAR_MAX + 1] = {0}, sum = 1;
    if (serve_span_find(text, 0, "\\u") != SERVE_NOWHERE) return 0;
    for (size_t i = 0; i < text.n; i++) counts[(unsigned char)text.at[i]]++;
    for (const char *c = IGNORED; *c; c++) counts[(unsigned char)*c] = 0;
    for (size_t i = 0; i <= UCHAR_MAX; i++) sum += (i + 1) * counts[i];
    return sum;
}

/* Compares two JSON texts by value. */
static bool is_same_json(assay_text a, assay_text b, bool *failed)
{
    json_object *x = NULL, *y = NULL;
    assay_status rc = json_parse("", a.at, a.n, &x, NULL);
    if (rc == ASSAY_OK) rc = json_parse("", b.at, b.n, &y, NULL);
    const bool same = rc == ASSAY_OK && json_equals(x, y, JSON_BY_TYPE);
    *failed |= rc == ASSAY_ENOMEM;
    json_object_put(x);
    json_object_put(y);
    return same;
}

/* Header of a stored call; its name and arguments follow. */
typedef struct head {
    size_t n_name;
    uint64_t sum; /* of the arguments */
} head;

static bool is_same_call(assay_text previous, const head *of, assay_text name, assay_text arguments,
                         bool *failed)
{
    head before;
    if (previous.n == 0) return false;
    memcpy(&before, previous.at, sizeof before);
    const size_t at = sizeof before + before.n_name;
    if (!is_same_text(serve_span_part(previous, sizeof before, at), name)) return false;
    const assay_text other = serve_span_from(previous, at);
    if (is_same_text(other, arguments)) return true;
    if (before.sum > 0 && of->sum > 0 && before.sum != of->sum) return false;
    return is_same_json(other, arguments, failed);
}

bool serve_tools_is_repeated(buffer *previous, assay_text name, assay_text arguments)
{
    const head of = {.n_name = name.n, .sum = text_checksum(arguments)};
    if (is_same_call(buffer_text(previous), &of, name, arguments, &previous->failed)) return true;
    previous->n = 0;
    buffer_append(previous, (const char *)&of, sizeof of);
    buffer_append(previous, name.at, name.n);
    buffer_append(previous, arguments.at, arguments.n);
    return false;
}
