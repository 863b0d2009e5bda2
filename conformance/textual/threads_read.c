/* Reading the program of a vector.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/threads_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/textual/threads_order.h"
#include "conformance/textual/threads_outcome.h"

#define DEVICE_INDEX_MAX 1000

/* The members of a step other than thread and op. */
typedef enum member { AS, DEVICE, STREAM, OF, FN, SCOPE, LENGTH, N_MEMBERS } member;
static const char *const member_names[N_MEMBERS] = {"as", "device", "stream", "of", "fn", "scope", "n"};
#define BIT(member) (1U << (member))

typedef struct op_form {
    unsigned needs, takes; /* required and optional members, as bits */
} op_form;

/* The members of each operation. check_operands checks the operands of each function. */
static const op_form forms[CONF_THREADS_N_OPS] = {
    [CONF_THREADS_ASYNC_EVAL] = {.needs = BIT(OF)},
    [CONF_THREADS_DEFAULT_STREAM] = {.takes = BIT(AS) | BIT(DEVICE)},
    [CONF_THREADS_ENTER_SCOPE] = {.needs = BIT(STREAM)},
    [CONF_THREADS_EVAL] = {.needs = BIT(OF)},
    [CONF_THREADS_MAKE] = {.needs = BIT(AS) | BIT(FN),
                           .takes = BIT(OF) | BIT(LENGTH) | BIT(STREAM) | BIT(SCOPE)},
    [CONF_THREADS_NEW_STREAM] = {.needs = BIT(AS), .takes = BIT(DEVICE)},
    [CONF_THREADS_NEW_THREAD_LOCAL_STREAM] = {.needs = BIT(AS), .takes = BIT(DEVICE)},
    [CONF_THREADS_NEW_THREAD_UNSAFE_STREAM] = {.needs = BIT(AS), .takes = BIT(DEVICE)},
    [CONF_THREADS_READ] = {.needs = BIT(OF)},
    [CONF_THREADS_SET_DEFAULT_STREAM] = {.needs = BIT(STREAM)},
    [CONF_THREADS_SYNCHRONIZE] = {.takes = BIT(STREAM)},
};

/* A program while it is read. */
typedef struct reading {
    conf_threads_program program;
    size_t i; /* index of the current step */
    conf_threads_step *step;
    assay_error *err;
} reading;

static assay_status note_unknown(const conf_json_at *at, const op_form *form, conf_strings *unknown,
                                 assay_error *err)
{
    const char *known[N_MEMBERS + 3] = {"thread", "op"};
    size_t n = 2;
    for (member m = 0; m < N_MEMBERS; m++)
        if ((form->needs | form->takes) & BIT(m)) known[n++] = member_names[m];
    return conf_json_note_unknown(at, known, unknown, err);
}

/* "cpu", "gpu", or either with ":N". */
static assay_status read_device(const reading *r, const conf_json_at *at)
{
    static const char *const names[] = {[ASSAY_CPU] = "cpu", [ASSAY_GPU] = "gpu"};
    const char *text;
    assay_status rc = conf_json_text(at, &text, r->err);
    for (size_t i = 0; rc == ASSAY_OK && i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(text, names[i], n) != 0 || (text[n] && text[n] != ':')) continue;
        const char *digits = text[n] ? text + n + 1 : "0";
        size_t n_digits = strspn(digits, "0123456789");
        long index = n_digits > 0 && n_digits < 5 && !digits[n_digits] ? strtol(digits, NULL, 10) : -1;
        if (index < 0 || index > DEVICE_INDEX_MAX) break;
        r->step->device = (assay_device){.type = (assay_device_type)i, .index = (int32_t)index};
        return ASSAY_OK;
    }
    if (rc != ASSAY_OK) return rc;
    return conf_json_fail(at, r->err,
                          "found \"%.40s\", expected cpu or gpu, or one of them with an index (cpu:1)", text);
}

static assay_status read_operand(const reading *r, const conf_json_at *at)
{
    return conf_threads_resolve(at, &r->program, r->i, CONF_THREADS_AN_ARRAY, &r->step->of[r->step->n_of++],
                                r->err);
}

/* One name, or an array of names. */
static assay_status read_operands(const reading *r, const conf_json_at *at)
{
    bool single = json_object_is_type(at->value, json_type_string);
    assay_status rc = single ? ASSAY_OK : conf_json_expect(at, json_type_array, r->err);
    if (rc != ASSAY_OK) return rc;
    size_t n = single ? 1 : json_object_array_length(at->value);
    if (n < 1 || n > CONF_THREADS_OPERANDS_MAX)
        return conf_json_fail(at, r->err, "found %zu names, expected 1 to %d", n, CONF_THREADS_OPERANDS_MAX);
    r->step->of = calloc(n, sizeof *r->step->of);
    if (!r->step->of) return assay_fail(r->err, ASSAY_ENOMEM, "out of memory");
    if (single) return read_operand(r, at);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        const conf_json_at operand = conf_json_element(at, i);
        rc = read_operand(r, &operand);
    }
    return rc;
}

static assay_status read_length(const reading *r, const conf_json_at *at)
{
    int64_t n = 0;
    assay_status rc = conf_json_whole(at, 0, CONF_THREADS_LENGTH_MAX, &n, r->err);
    r->step->length = (size_t)n;
    return rc;
}

static assay_status read_fn(const reading *r, const conf_json_at *at)
{
    static const char *const names[] = {
        [ASSAY_ARRAY_ARANGE] = "arange", [ASSAY_ARRAY_SQUARE] = "square", [ASSAY_ARRAY_NEGATIVE] = "negative",
        [ASSAY_ARRAY_ABS] = "abs",       [ASSAY_ARRAY_ADD] = "add",       [ASSAY_ARRAY_INVERSE] = "inverse"};
    size_t fn = 0;
    assay_status rc = conf_json_choose(at, names, sizeof names / sizeof *names, &fn, r->err);
    r->step->fn = (assay_array_fn)fn;
    return rc;
}

static assay_status read_stream(const reading *r, const conf_json_at *at, size_t *out)
{
    return conf_threads_resolve(at, &r->program, r->i, CONF_THREADS_A_STREAM, out, r->err);
}

static assay_status read_member(const reading *r, member m, const conf_json_at *at)
{
    switch (m) {
    case AS: return conf_json_text(at, &r->step->as, r->err);
    case DEVICE: return read_device(r, at);
    case STREAM: return read_stream(r, at, &r->step->stream);
    case SCOPE: return read_stream(r, at, &r->step->scope);
    case OF: return read_operands(r, at);
    case FN: return read_fn(r, at);
    case LENGTH: return read_length(r, at);
    case N_MEMBERS: break;
    }
    return ASSAY_OK;
}

/* Checks the operands of a make or read: arange takes a length, add two arrays, any other one array. */
static assay_status check_operands(const reading *r, const conf_json_at *at)
{
    const conf_threads_step *s = r->step;
    bool makes = s->op == CONF_THREADS_MAKE;
    size_t n_of = makes && s->fn == ASSAY_ARRAY_ARANGE ? 0 : makes && s->fn == ASSAY_ARRAY_ADD ? 2 : 1;
    conf_json_at given = {.above = at, .name = "n"};
    bool has_length = makes && conf_json_find(at, "n", &given);
    if (has_length != (n_of == 0))
        return conf_json_fail(&given, r->err, "%s", has_length ? "belongs to arange only" : "is missing");
    given.name = "of";
    if (s->n_of != n_of)
        return conf_json_fail(&given, r->err, "found %zu arrays, expected %zu", s->n_of, n_of);
    return ASSAY_OK;
}

static assay_status read_step(reading *r, const conf_json_at *at, conf_strings *unknown)
{
    conf_json_at op;
    int64_t thread = 0;
    size_t which = 0;
    assay_status rc = conf_json_member_whole(at, "thread", 0, CONF_THREADS_MAX - 1, &thread, r->err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "op", json_type_string, &op, r->err);
    if (rc == ASSAY_OK) rc = conf_json_choose(&op, conf_threads_ops, CONF_THREADS_N_OPS, &which, r->err);
    if (rc == ASSAY_OK) rc = note_unknown(at, &forms[which], unknown, r->err);
    if (rc != ASSAY_OK) return rc;
    r->step->thread = (size_t)thread;
    r->step->op = (conf_threads_op)which;
    if (r->step->thread >= r->program.n_threads) r->program.n_threads = r->step->thread + 1;
    for (member m = 0; rc == ASSAY_OK && m < N_MEMBERS; m++) {
        conf_json_at found = {.above = at, .name = member_names[m]};
        if (!((forms[which].needs | forms[which].takes) & BIT(m))) continue;
        if (conf_json_find(at, member_names[m], &found)) rc = read_member(r, m, &found);
        else if (forms[which].needs & BIT(m))
            rc = conf_json_fail(&found, r->err, "is missing, expected for %s", conf_threads_ops[which]);
    }
    bool counted = which == CONF_THREADS_MAKE || which == CONF_THREADS_READ;
    return rc == ASSAY_OK && counted ? check_operands(r, at) : rc;
}

/* Reads each step with its outcome, in order: later steps may refer to the stream or array that it
 * makes. */
static assay_status read_steps(reading *r, const conf_json_at *steps, const conf_json_at *outcomes,
                               conf_strings *unknown)
{
    assay_status rc = ASSAY_OK;
    for (r->i = 0; rc == ASSAY_OK && r->i < r->program.n_steps; r->i++) {
        const conf_json_at step = conf_json_element(steps, r->i);
        const conf_json_at outcome = conf_json_element(outcomes, r->i);
        r->step = &r->program.steps[r->i];
        *r->step = (conf_threads_step){.stream = CONF_THREADS_NONE, .scope = CONF_THREADS_NONE};
        rc = read_step(r, &step, unknown);
        if (rc == ASSAY_OK)
            rc = conf_threads_outcome_read(&outcome, r->step->op, &r->step->expect, unknown, r->err);
    }
    return rc == ASSAY_OK ? conf_threads_order_check(steps, &r->program, r->err) : rc;
}

static assay_status find_steps(const conf_json_at *input, const conf_json_at *expect, conf_json_at *steps,
                               conf_json_at *outcomes, conf_strings *unknown, assay_error *err)
{
    assay_status rc = conf_json_note_unknown(input, (const char *const[]){"program", NULL}, unknown, err);
    if (rc == ASSAY_OK)
        rc = conf_json_note_unknown(expect, (const char *const[]){"outcome", NULL}, unknown, err);
    if (rc == ASSAY_OK) rc = conf_json_member(input, "program", json_type_array, steps, err);
    if (rc == ASSAY_OK) rc = conf_json_member(expect, "outcome", json_type_array, outcomes, err);
    if (rc != ASSAY_OK) return rc;
    size_t n = json_object_array_length(steps->value), m = json_object_array_length(outcomes->value);
    if (n < 1 || n > CONF_THREADS_STEPS_MAX)
        return conf_json_fail(steps, err, "found %zu steps, expected 1 to %d", n, CONF_THREADS_STEPS_MAX);
    if (n != m) return conf_json_fail(outcomes, err, "found %zu, expected one for each of %zu steps", m, n);
    return ASSAY_OK;
}

assay_status conf_threads_program_read(const conf_json_at *at, conf_threads_program *out,
                                       conf_strings *unknown, assay_error *err)
{
    conf_json_at input, expect, steps, outcomes;
    assay_status rc = conf_json_member(at, "input", json_type_object, &input, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "expect", json_type_object, &expect, err);
    if (rc == ASSAY_OK) rc = find_steps(&input, &expect, &steps, &outcomes, unknown, err);
    if (rc != ASSAY_OK) return rc;
    reading r = {.err = err};
    r.program.n_steps = json_object_array_length(steps.value);
    r.program.steps = calloc(r.program.n_steps, sizeof *r.program.steps);
    rc = r.program.steps ? read_steps(&r, &steps, &outcomes, unknown)
                         : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (rc != ASSAY_OK) conf_threads_program_free(&r.program);
    else *out = r.program;
    return rc;
}

void conf_threads_program_free(conf_threads_program *program)
{
    for (size_t i = 0; program->steps && i < program->n_steps; i++) {
        free(program->steps[i].of);
        free(program->steps[i].expect.value);
    }
    free(program->steps);
    *program = (conf_threads_program){0};
}

assay_status conf_threads_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                assay_error *err)
{
    conf_threads_program program;
    const conf_json_at verdict = {.above = at, .name = "verdict"};
    if (vector->rule == CONF_VECTOR_REJECT)
        return conf_json_fail(&verdict, err,
                              "found \"reject\", expected \"match\" or \"either\": each outcome says itself "
                              "whether its step is refused");
    assay_status rc = conf_threads_program_read(at, &program, unknown, err);
    if (rc == ASSAY_OK) conf_threads_program_free(&program);
    return rc;
}
