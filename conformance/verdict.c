/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "conformance/text.h"

const char *conf_stage_name(conf_stage stage)
{
    static const char *const names[] = {
        "loading the module", "reading", "model_open", "session_open", "prefill", "decode",
        "greedy decode",      "rope",    "judging",    "closing"};
    return names[stage];
}

void conf_verdict_set(conf_verdict *v, conf_outcome outcome, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(v->reason, sizeof v->reason, format, args);
    va_end(args);
    conf_text_clean(v->reason);
    v->outcome = outcome;
}

void conf_verdict_note(conf_verdict *v, const char *format, ...)
{
    size_t n = strlen(v->notes);
    if (n > 0 && n + 2 < sizeof v->notes) {
        memcpy(v->notes + n, "; ", 3);
        n += 2;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(v->notes + n, sizeof v->notes - n, format, args);
    va_end(args);
    conf_text_clean(v->notes);
}
