/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/kinds/kinds.h"
#include "conformance/reduce/attempt_texts.h"
#include "conformance/reduce/parts.h"
#include "conformance/reduce/texts/value.h"
#include "conformance/support/delta.h"

/* Tries shorter values at one place of a vector's input. */
typedef struct search {
    conf_reducing *r;
    size_t i; /* the vector */
    conf_value_path path;
    json_object *value; /* as it was at first, owned */
} search;

/* Whether the failure stays with another value at that place. Takes ownership of `value`. */
static bool stays_with(search *s, json_object *value)
{
    conf_texts *texts = s->r->texts;
    json_object *vector = conf_texts_vector(texts, &texts->best, s->i);
    json_object *changed = value ? conf_value_replaced(vector, &s->path, value) : NULL;
    conf_texts_copy(texts, &texts->trial, &texts->best);
    conf_texts_change(&texts->trial, s->i, changed, true);
    (void)json_object_put(value);
    (void)json_object_put(changed);
    return changed && conf_attempt_texts(s->r, conf_part_texts.name);
}

static bool stays_with_units(void *context, const bool *kept, size_t n)
{
    search *s = context;
    (void)n;
    return stays_with(s, conf_value_keep(s->value, kept));
}

static bool stays_with_number(void *context, size_t n)
{
    return stays_with(context, json_object_new_int64((int64_t)n));
}

static bool reduce_units(search *s)
{
    const size_t n = conf_value_units(s->value);
    bool *kept = malloc(n + 1);
    if (!kept) return false;
    memset(kept, true, n);
    const bool any = conf_delta_units(kept, n, conf_attempt_least(s->r, kept, n), stays_with_units, s);
    free(kept);
    return any;
}

static bool reduce_number(search *s)
{
    const int64_t n = json_object_get_int64(s->value);
    return n > 0 && conf_delta_count(0, (size_t)n, stays_with_number, s) < (size_t)n;
}

/* The value at s->path, then what is left in it. */
static bool reduce_value(search *s)
{
    json_object *value = conf_value_at(conf_texts_vector(s->r->texts, &s->r->texts->best, s->i), &s->path);
    search here = {s->r, s->i, s->path, json_object_get(value)};
    bool any = json_object_is_type(value, json_type_int) ? reduce_number(&here) : reduce_units(&here);
    (void)json_object_put(here.value);
    value = conf_value_at(conf_texts_vector(s->r->texts, &s->r->texts->best, s->i), &s->path);
    const size_t n = s->path.n < CONF_VALUE_DEPTH_MAX ? conf_value_children(value) : 0;
    for (size_t k = 0; k < n; k++) {
        s->path.at[s->path.n++] = k;
        any = reduce_value(s) || any;
        s->path.n--;
    }
    return any;
}

/* The number of the member `input` of a vector. */
static size_t input_index(json_object *vector)
{
    size_t i = 0;
    json_object_object_foreach(vector, name, value)
    {
        (void)value;
        if (strcmp(name, "input") == 0) break;
        i++;
    }
    return i;
}

/* Other inputs have other expected values, which must be computed. */
static bool reduce(conf_reducing *r)
{
    bool any = false;
    if (!r->reference || !conf_kind_of(r->c->kind)->vectors.answer) return false;
    for (size_t i = 0; i < r->texts->n; i++) {
        if (!r->texts->best.kept[i]) continue;
        search s = {.r = r, .i = i, .path = {.n = 1}};
        s.path.at[0] = input_index(conf_texts_vector(r->texts, &r->texts->best, i));
        any = reduce_value(&s) || any;
    }
    return any;
}

const conf_part conf_part_texts = {"texts", reduce};
