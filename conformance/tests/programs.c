/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/programs.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* The text of conformance/tests/programs.json; the caller frees it. */
static char *read_programs(void)
{
    const char *top = getenv("top_srcdir");
    char path[4096], *text = NULL;
    size_t n = 0;
    (void)snprintf(path, sizeof path, "%s/conformance/tests/programs.json", top ? top : ".");
    FILE *in = fopen(path, "r"), *out = open_memstream(&text, &n);
    ck_assert_msg(in && out, "%s cannot be read", path);
    for (int c; (c = fgetc(in)) != EOF;) (void)fputc(c, out);
    (void)fclose(in);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

void programs_setup(void)
{
    char *text = read_programs();
    support_setup();
    support_mkdir(support_path("cases"));
    support_write_text(support_path("cases/all.json"), text);
    free(text);
}

const support_output *programs_run(const char *fault, const char *arguments)
{
    return support_run_module("streams", fault, arguments);
}
