/* Order and names of the steps of a threads program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/threads_order.h"

#include <stdio.h>
#include <string.h>

const char *const conf_threads_ops[CONF_THREADS_N_OPS] = {
    [CONF_THREADS_ASYNC_EVAL] = "async_eval",
    [CONF_THREADS_CLEAR_STREAMS] = "clear_streams",
    [CONF_THREADS_DEFAULT_STREAM] = "default_stream",
    [CONF_THREADS_ENTER_SCOPE] = "enter_scope",
    [CONF_THREADS_EVAL] = "eval",
    [CONF_THREADS_EXIT] = "exit",
    [CONF_THREADS_LEAVE_SCOPE] = "leave_scope",
    [CONF_THREADS_MAKE] = "make",
    [CONF_THREADS_NEW_STREAM] = "new_stream",
    [CONF_THREADS_NEW_THREAD_LOCAL_STREAM] = "new_thread_local_stream",
    [CONF_THREADS_NEW_THREAD_UNSAFE_STREAM] = "new_thread_unsafe_stream",
    [CONF_THREADS_READ] = "read",
    [CONF_THREADS_SET_DEFAULT_STREAM] = "set_default_stream",
    [CONF_THREADS_SYNCHRONIZE] = "synchronize",
};

static bool step_makes(const conf_threads_step *step, conf_threads_noun noun)
{
    switch (step->op) {
    case CONF_THREADS_NEW_STREAM:
    case CONF_THREADS_NEW_THREAD_LOCAL_STREAM:
    case CONF_THREADS_NEW_THREAD_UNSAFE_STREAM:
    case CONF_THREADS_DEFAULT_STREAM: return noun == CONF_THREADS_A_STREAM;
    case CONF_THREADS_MAKE: return noun == CONF_THREADS_AN_ARRAY;
    default: return false;
    }
}

/* The last step before `step` that gives this name; CONF_THREADS_NONE if there is none. */
static size_t find_name(const conf_threads_program *program, size_t step, const char *name)
{
    for (size_t i = step; i-- > 0;)
        if (program->steps[i].as && strcmp(program->steps[i].as, name) == 0) return i;
    return CONF_THREADS_NONE;
}

assay_status conf_threads_resolve(const conf_json_at *at, const conf_threads_program *program, size_t step,
                                  conf_threads_noun noun, size_t *out, assay_error *err)
{
    static const char *const nouns[] = {"a stream", "an array"};
    const char *name;
    assay_status rc = conf_json_text(at, &name, err);
    if (rc != ASSAY_OK) return rc;
    size_t i = find_name(program, step, name);
    if (i == CONF_THREADS_NONE)
        return conf_json_fail(at, err, "found \"%.40s\", expected the name of %s that an earlier step makes",
                              name, nouns[noun]);
    if (!step_makes(&program->steps[i], noun))
        return conf_json_fail(at, err, "found \"%.40s\", which step %zu (%s) makes, expected the name of %s",
                              name, i, conf_threads_ops[program->steps[i].op], nouns[noun]);
    if (program->steps[i].expect.result == CONF_THREADS_ERROR)
        return conf_json_fail(
            at, err, "found \"%.40s\", expected what there is: step %zu, which makes it, is expected to fail",
            name, i);
    *out = i;
    return ASSAY_OK;
}

static assay_status check_name(const conf_json_at *step, const conf_threads_program *program, size_t i,
                               assay_error *err)
{
    const char *name = program->steps[i].as;
    size_t before = name ? find_name(program, i, name) : CONF_THREADS_NONE;
    const conf_json_at as = {.above = step, .name = "as"};
    if (before == CONF_THREADS_NONE) return ASSAY_OK;
    return conf_json_fail(&as, err, "found \"%.40s\", which step %zu makes, expected a new name", name,
                          before);
}

assay_status conf_threads_order_check(const conf_json_at *steps, const conf_threads_program *program,
                                      assay_error *err)
{
    size_t n_scopes[CONF_THREADS_MAX] = {0};
    bool ended[CONF_THREADS_MAX] = {0};
    for (size_t i = 0; i < program->n_steps; i++) {
        const conf_threads_step *s = &program->steps[i];
        const conf_json_at at = conf_json_element(steps, i);
        bool succeeds = s->expect.result != CONF_THREADS_ERROR;
        if (ended[s->thread])
            return conf_json_fail(&at, err, "is a step of thread %zu, which has ended", s->thread);
        if (s->op == CONF_THREADS_LEAVE_SCOPE && n_scopes[s->thread] == 0)
            return conf_json_fail(&at, err, "leaves a scope, but thread %zu is in none", s->thread);
        if (s->op == CONF_THREADS_ENTER_SCOPE && succeeds) n_scopes[s->thread]++;
        if (s->op == CONF_THREADS_LEAVE_SCOPE) n_scopes[s->thread]--;
        if (s->op == CONF_THREADS_EXIT) ended[s->thread] = true;
        assay_status rc = check_name(&at, program, i, err);
        if (rc != ASSAY_OK) return rc;
    }
    return ASSAY_OK;
}

void conf_threads_step_print(char *text, size_t size, const conf_threads_program *program, size_t step)
{
    const conf_threads_step *s = &program->steps[step];
    size_t n =
        (size_t)snprintf(text, size, "step %zu (thread %zu, %s", step, s->thread, conf_threads_ops[s->op]);
    if (n < size && s->as) n += (size_t)snprintf(text + n, size - n, " %.40s", s->as);
    if (n < size && s->stream != CONF_THREADS_NONE)
        n += (size_t)snprintf(text + n, size - n, "%s %.40s", s->op == CONF_THREADS_MAKE ? " on" : "",
                              program->steps[s->stream].as);
    for (size_t i = 0; n < size && s->op != CONF_THREADS_MAKE && i < s->n_of; i++)
        n += (size_t)snprintf(text + n, size - n, " %.40s", program->steps[s->of[i]].as);
    if (n < size) (void)snprintf(text + n, size - n, ")");
}
