/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge/verdict.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/shown.h"

const char *conf_verdict_other_manner(const conf_verdict *v)
{
    return v->manner[0] && strcmp(v->manner, CONF_MANNER_WHOLE_NAME) != 0 ? v->manner : NULL;
}

const char *conf_verdict_lone_vector(const conf_verdict *v)
{
    return v->vector[0] && !v->needs_earlier ? v->vector : NULL;
}

const char *conf_stage_name(conf_stage stage)
{
    static const char *const names[CONF_N_STAGES] = {"loading the module",
                                                     "reading",
                                                     "model_open",
                                                     "session_open",
                                                     "traced prefill",
                                                     "prefill",
                                                     "decode",
                                                     "greedy decode",
                                                     "join",
                                                     "leave",
                                                     "rewind",
                                                     "fork",
                                                     "rope",
                                                     "positions",
                                                     "judging",
                                                     "the search of a tensor",
                                                     "closing",
                                                     "the sweep",
                                                     "a vector",
                                                     "a schedule",
                                                     "a reply"};
    return names[stage];
}

const char *conf_class_name(conf_class class)
{
    static const char *const names[CONF_N_CLASSES] = {
        "",        "mask",   "logits", "tokens", "tensor",       "rope",     "threads",
        "stops",   "text",   "image",  "events", "inconsistent", "contract", "shape",
        "refused", "memory", "crash",  "exit",   "hang",         "fixed"};
    return names[class];
}

conf_class conf_class_of(const char *name)
{
    for (conf_class class = CONF_CLASS_NONE + 1; class < CONF_N_CLASSES; class ++)
        if (strcmp(conf_class_name(class), name) == 0) return class;
    return CONF_CLASS_NONE;
}

static void set_outcome(conf_verdict *v, conf_outcome outcome, conf_class class, const char *format,
                        va_list args)
{
    (void)vsnprintf(v->reason, sizeof v->reason, format, args);
    shown_clean(v->reason, sizeof v->reason);
    v->outcome = outcome;
    v->class = class;
}

void conf_verdict_fail(conf_verdict *v, conf_class class, const char *format, ...)
{
    assert(class != CONF_CLASS_NONE);
    va_list args;
    va_start(args, format);
    set_outcome(v, CONF_FAILED, class, format, args);
    va_end(args);
}

void conf_verdict_set(conf_verdict *v, conf_outcome outcome, const char *format, ...)
{
    assert(outcome != CONF_FAILED);
    va_list args;
    va_start(args, format);
    set_outcome(v, outcome, CONF_CLASS_NONE, format, args);
    va_end(args);
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
    shown_clean(v->notes, sizeof v->notes);
}

void conf_verdict_leave_out(conf_verdict *v, const char *names, const char *reason)
{
    char clean[CONF_TEXT_MAX];
    const size_t n = strlen(v->left_out);
    (void)snprintf(clean, sizeof clean, "%s", reason);
    shown_clean(clean, sizeof clean); /* without tabs and newlines */
    const int length = snprintf(v->left_out + n, sizeof v->left_out - n, "%s\t%s\n", names, clean);
    if (length < 0 || (size_t)length >= sizeof v->left_out - n) v->left_out[n] = '\0';
}

bool conf_verdict_left_out(const conf_verdict *v, size_t *at, char names[CONF_MANNERS_TEXT_MAX],
                           char reason[CONF_TEXT_MAX])
{
    const char *line = v->left_out + *at;
    const size_t tab = strcspn(line, "\t"), end = strcspn(line, "\n");
    if (!line[0] || tab >= end) return false;
    (void)snprintf(names, CONF_MANNERS_TEXT_MAX, "%.*s", (int)tab, line);
    (void)snprintf(reason, CONF_TEXT_MAX, "%.*s", (int)(end - tab - 1), line + tab + 1);
    *at += end + (line[end] == '\n');
    return true;
}

bool conf_verdict_take_name(const char **names, char name[CONF_MANNER_NAME_MAX])
{
    const size_t n = strcspn(*names, ",");
    (void)snprintf(name, CONF_MANNER_NAME_MAX, "%.*s", (int)n, *names);
    *names += n + strspn(*names + n, ", ");
    return n > 0;
}

void conf_verdict_apply_checkpoint(conf_verdict *v)
{
    char said[CONF_TEXT_MAX];
    if (v->checkpoint.state != CONF_CHECKPOINT_BROKEN) return;
    if (v->outcome == CONF_PASSED)
        conf_verdict_note(v, "agrees, though the checkpoint is broken: %s", v->checkpoint.reason);
    if (v->outcome != CONF_FAILED && v->outcome != CONF_SKIPPED) return;
    (void)snprintf(said, sizeof said, "%s", v->reason);
    conf_verdict_set(v, CONF_BROKEN, "the checkpoint is broken: %s", v->checkpoint.reason);
    conf_verdict_note(v, "the engine: %s", said);
    v->measured = false;
    v->n_rows = v->n_same_best = 0;
    v->where[0] = v->trace[0] = v->tensor[0] = v->vector[0] = '\0';
}

void conf_verdict_list_unknown(conf_verdict *v, char *const *names, size_t n)
{
    size_t capacity = sizeof v->unknown - 32, at = 0;
    for (size_t i = 0; i < n; i++) {
        if (at + strlen(names[i]) + 2 > capacity) {
            (void)snprintf(v->unknown + at, sizeof v->unknown - at, "%s%zu more", i ? "\n" : "", n - i);
            return;
        }
        at += (size_t)sprintf(v->unknown + at, "%s%s", i ? "\n" : "", names[i]);
    }
}
