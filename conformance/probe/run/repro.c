/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/run/repro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/support/text.h"

char *probe_repro(const char *url, const char *key_env, const probe_exchange *x)
{
    char *line = NULL, *body = NULL, *place = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out) return NULL;
    bool ok = asprintf(&place, "%s%s", url, x->path) >= 0;
    (void)fputs("curl -sN ", out);
    if (ok) conf_text_print_quoted(out, place);
    if (key_env) {
        const bool messages = strcmp(x->path, "/v1/messages") == 0;
        (void)fprintf(out, " -H \"%s$%s\"", messages ? "x-api-key: " : "Authorization: Bearer ", key_env);
    }
    if (ok && !x->get) {
        ok = (body = strndup(x->request.n ? x->request.data : "", x->request.n)) != NULL;
        (void)fputs(" -H 'Content-Type: application/json' -d ", out);
        if (ok) conf_text_print_quoted(out, body);
    }
    ok = fclose(out) == 0 && ok;
    free(place);
    free(body);
    if (ok) return line;
    free(line);
    return NULL;
}
