/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/recorded.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line of a record: name number … : number of bytes. */
static void parse_line(char *line, recorded *r)
{
    char *rest = line + strcspn(line, " ");
    *rest++ = '\0';
    (void)snprintf(r->name, sizeof r->name, "%s", line);
    r->n_numbers = 0;
    while (*rest != ':') {
        ck_assert_uint_lt(r->n_numbers, RECORDED_NUMBERS_MAX);
        r->numbers[r->n_numbers++] = strtol(rest, &rest, 10);
        rest += strspn(rest, " ");
    }
    r->n_bytes = strtoul(rest + 1, NULL, 10);
}

size_t recorded_each(const char *file, void (*fn)(const recorded *record))
{
    char path[4200], *line = NULL;
    size_t capacity = 0, n = 0;
    const char *directory = getenv("ASSAY_VECTORS"), *top = getenv("top_srcdir"), *name = strrchr(file, '/');
    if (directory && name) (void)snprintf(path, sizeof path, "%s%s", directory, name);
    else (void)snprintf(path, sizeof path, "%s/%s", top ? top : ".", file);
    FILE *in = fopen(path, "rb");
    ck_assert_msg(in != NULL, "%s cannot be opened", path);
    for (recorded r; getline(&line, &capacity, in) > 0; n++) {
        parse_line(line, &r);
        r.bytes = malloc(r.n_bytes + 1);
        ck_assert_ptr_nonnull(r.bytes);
        ck_assert_uint_eq(fread(r.bytes, 1, r.n_bytes, in), r.n_bytes);
        fn(&r);
        free(r.bytes);
    }
    free(line);
    (void)fclose(in);
    return n;
}
