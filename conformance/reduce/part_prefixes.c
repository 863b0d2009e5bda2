/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/kinds/kinds.h"
#include "conformance/reduce/attempt_texts.h"
#include "conformance/reduce/parts.h"
#include "conformance/support/delta.h"

/* Tries shorter arrays of one vector. */
typedef struct search {
    conf_reducing *r;
    const conf_textual_prefix *prefix;
    size_t i; /* the vector */
} search;

/* The array of a vector; NULL: it has none. */
static json_object *array_of(json_object *vector, const char *of, const char *name)
{
    json_object *array = json_object_object_get(json_object_object_get(vector, of), name);
    return json_object_is_type(array, json_type_array) ? array : NULL;
}

static bool cut_array(json_object *array, size_t n)
{
    const size_t all = json_object_array_length(array);
    return all <= n || json_object_array_del_idx(array, n, all - n) == 0;
}

static bool stays(void *context, size_t n)
{
    const search *s = context;
    conf_texts *texts = s->r->texts;
    json_object *vector = NULL;
    conf_texts_copy(texts, &texts->trial, &texts->best);
    if (json_object_deep_copy(conf_texts_vector(texts, &texts->best, s->i), &vector, NULL) != 0) return false;
    if (s->prefix->no_more)
        json_object_object_del(json_object_object_get(vector, "expect"), s->prefix->no_more);
    const bool ok = cut_array(array_of(vector, "input", s->prefix->input), n) &&
                    cut_array(array_of(vector, "expect", s->prefix->expect), n);
    conf_texts_change(&texts->trial, s->i, vector, texts->best.computed[s->i]);
    (void)json_object_put(vector);
    return ok && conf_attempt_texts(s->r, conf_part_prefixes.name);
}

static bool reduce(conf_reducing *r)
{
    const conf_textual_prefix *prefix = conf_kind_of(r->c->kind)->vectors.prefix;
    bool any = false;
    for (size_t i = 0; i < r->texts->n && prefix; i++) {
        json_object *vector = conf_texts_vector(r->texts, &r->texts->best, i);
        json_object *input = array_of(vector, "input", prefix->input);
        search s = {r, prefix, i};
        if (!r->texts->best.kept[i] || !input || !array_of(vector, "expect", prefix->expect)) continue;
        const size_t n = json_object_array_length(input);
        any = conf_delta_count(1, n, stays, &s) < n || any;
    }
    return any;
}

const conf_part conf_part_prefixes = {"ends", reduce};
