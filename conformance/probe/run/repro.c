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

char *probe_repro_timed(const char *url, const char *key_env, const probe_exchange *x)
{
    char *line = probe_repro(url, key_env, x), *timed = NULL, before[32] = "", after[32] = "";
    if (!line || (x->delay <= 0 && x->leave_after == 0)) return line;
    if (x->delay > 0) (void)snprintf(before, sizeof before, "sleep %.3g; ", x->delay);
    if (x->leave_after > 0) (void)snprintf(after, sizeof after, " | head -c %zu", x->leave_after);
    if (asprintf(&timed, "%s%s%s", before, line, after) < 0) timed = NULL;
    free(line);
    return timed;
}
