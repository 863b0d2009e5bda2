/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/rope.h"

#include <math.h>
#include <stdio.h>

#include "conformance/evaluate/fail.h"
#include "conformance/judge/noise.h"
#include "conformance/judge/tensor.h"

/* Elements that share a row of the case and its bound: a head of x, or a row of a table. */
typedef struct rope_part {
    const char *name;
    const double *truth, *found; /* [n] */
    size_t n, head;
    double bound;
} rope_part;

/* The largest magnitude of row p's position over the axes. */
static double largest_position(const conf_rope *rope, size_t p)
{
    double largest = 0;
    for (size_t a = 0; a < rope->n_axes; a++)
        largest =
            fmax(largest, fabs((double)((const int32_t *)rope->position.data)[a * rope->n_positions + p]));
    return largest;
}

/* Of a row: its heads, then cos, then sin. */
static size_t count_parts(const conf_rope *rope)
{
    return rope->n_heads + 2;
}

static rope_part part_of(const conf_replay *r, const conf_rope_answer *answer, size_t row, size_t part)
{
    const conf_rope *rope = &r->c->rope;
    const double pos = largest_position(rope, row);
    const double *x = rope->x.data, *truth = rope->truth.data;
    rope_part out;
    double max_abs;
    if (part < rope->n_heads) {
        const size_t at = (row * rope->n_heads + part) * rope->head_dim;
        out = (rope_part){"x", truth + at, answer->out + at, rope->head_dim, part, 0};
        max_abs = conf_max_abs(x + at, rope->head_dim);
    } else {
        const bool is_sin = part > rope->n_heads;
        const conf_array *table = is_sin ? &rope->sin : &rope->cos;
        out = (rope_part){is_sin ? "sin" : "cos",
                          (const double *)table->data + row * rope->table_dim,
                          (is_sin ? answer->sin : answer->cos) + row * answer->dim,
                          rope->table_dim,
                          0,
                          0};
        max_abs = conf_max_abs(table->data, table->n);
    }
    out.bound = r->verdict->float64 ? conf_rope_bound_float64(max_abs, pos, r->c->float64_bound)
                                    : conf_rope_bound_float32(max_abs, pos);
    return out;
}

/* The first element that is out of bounds. */
static void note_where(const conf_replay *r, const rope_part *part, size_t row, size_t element)
{
    conf_verdict *v = r->verdict;
    (void)snprintf(v->where, sizeof v->where,
                   "%s: row %zu (position %.0f), head %zu, element %zu: expected %.*g, found %.*g",
                   part->name, row, largest_position(&r->c->rope, row), part->head, element, CONF_DIGITS(v),
                   part->truth[element], CONF_DIGITS(v), part->found[element]);
}

void conf_evaluate_rope(const conf_replay *r, const conf_rope_answer *answer)
{
    const conf_rope *rope = &r->c->rope;
    conf_verdict *v = r->verdict;
    const double limit = conf_noise_limit(v->float64);
    double largest = 0;
    bool fails = false;
    for (size_t row = 0; row < rope->n_positions; row++)
        for (size_t i = 0; i < count_parts(rope); i++) {
            const rope_part part = part_of(r, answer, row, i);
            const conf_tensor_judgement j =
                conf_tensor_judge(part.truth, part.found, part.n, part.bound / limit);
            largest = fmax(largest, j.multiple);
            if (!fails && j.multiple > limit) note_where(r, &part, row, j.at);
            fails = fails || j.multiple > limit;
        }
    v->measured = true;
    v->multiple = largest;
    if (fails)
        (void)conf_evaluate_fail(v, CONF_CLASS_ROPE, "a rotated value is %.3g times its bound",
                                 largest / limit);
}

static void add_parts(const conf_rope *rope, conf_profile *p)
{
    char name[CONF_PROFILE_NAME_MAX];
    for (size_t i = 0; i < count_parts(rope); i++) {
        (void)snprintf(name, sizeof name, "x, head %zu", i);
        conf_profile_add(p->tensors, &p->n_tensors, CONF_PROFILE_TENSORS_MAX,
                         i < rope->n_heads    ? name
                         : i == rope->n_heads ? "cos"
                                              : "sin",
                         0);
    }
}

void conf_profile_rope(const conf_replay *r, const conf_rope_answer *answer, conf_profile *p)
{
    const conf_rope *rope = &r->c->rope;
    p->of = CONF_PROFILE_ROPE;
    add_parts(rope, p);
    for (size_t row = 0; row < rope->n_positions; row++) {
        double largest = 0;
        for (size_t i = 0; i < count_parts(rope); i++) {
            const rope_part part = part_of(r, answer, row, i);
            const conf_row truth = conf_row_of_double(part.truth), found = conf_row_of_double(part.found);
            const double multiple = conf_row_judge(&truth, &found, part.n, part.bound).multiple;
            conf_profile_count(&truth, &found, part.n, part.bound, p->found);
            largest = fmax(largest, multiple);
            if (i < p->n_tensors) p->tensors[i].multiple = fmax(p->tensors[i].multiple, multiple);
        }
        const double pos = fmin(largest_position(rope, row), UINT32_MAX);
        conf_profile_add_row(p, 0, (uint32_t)pos, largest);
    }
}
