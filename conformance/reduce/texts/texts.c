/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/texts/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

static bool open_cut(conf_texts_cut *cut, size_t n)
{
    *cut = (conf_texts_cut){.kept = calloc(n, sizeof *cut->kept),
                            .changed = calloc(n, sizeof(json_object *)),
                            .computed = calloc(n, sizeof *cut->computed)};
    return cut->kept && cut->changed && cut->computed;
}

static void close_cut(conf_texts_cut *cut, size_t n)
{
    for (size_t i = 0; i < n && cut->changed; i++) (void)json_object_put(cut->changed[i]);
    free(cut->kept);
    free(cut->changed);
    free(cut->computed);
}

assay_status conf_texts_open(const conf_case *c, conf_texts **out, assay_error *err)
{
    conf_texts *texts = calloc(1, sizeof *texts);
    if (!texts) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", c->path);
    texts->c = c;
    texts->n = c->vectors.n;
    if (!open_cut(&texts->best, texts->n) || !open_cut(&texts->trial, texts->n)) {
        conf_texts_free(texts);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", c->path);
    }
    for (size_t i = 0; i < texts->n; i++) texts->best.kept[i] = !c->vectors.at[i].broken;
    conf_texts_copy(texts, &texts->trial, &texts->best);
    *out = texts;
    return ASSAY_OK;
}

void conf_texts_free(conf_texts *texts)
{
    if (!texts) return;
    close_cut(&texts->best, texts->n);
    close_cut(&texts->trial, texts->n);
    free(texts);
}

void conf_texts_copy(const conf_texts *texts, conf_texts_cut *to, const conf_texts_cut *from)
{
    memcpy(to->kept, from->kept, texts->n * sizeof *to->kept);
    for (size_t i = 0; i < texts->n; i++) conf_texts_change(to, i, from->changed[i], from->computed[i]);
}

void conf_texts_change(conf_texts_cut *cut, size_t i, json_object *vector, bool computed)
{
    json_object *before = cut->changed[i];
    cut->changed[i] = json_object_get(vector);
    cut->computed[i] = computed;
    (void)json_object_put(before);
}

json_object *conf_texts_vector(const conf_texts *texts, const conf_texts_cut *cut, size_t i)
{
    conf_vector_place place;
    if (cut->changed[i]) return cut->changed[i];
    return conf_vector_find(&texts->c->vectors, i, texts->c->path, &place)->value;
}

size_t conf_texts_count(const conf_texts *texts, const conf_texts_cut *cut)
{
    size_t n = 0;
    for (size_t i = 0; i < texts->n; i++) n += cut->kept[i];
    return n;
}

/* The input of a vector as JSON. */
static const char *input_of(const conf_texts *texts, const conf_texts_cut *cut, size_t i, size_t *n)
{
    json_object *input = json_object_object_get(conf_texts_vector(texts, cut, i), "input");
    const char *text = json_object_to_json_string_length(input, JSON_C_TO_STRING_PLAIN, n);
    if (!text) *n = 0;
    return text;
}

size_t conf_texts_bytes(const conf_texts *texts, const conf_texts_cut *cut)
{
    size_t n = 0, n_bytes = 0;
    for (size_t i = 0; i < texts->n; i++)
        if (cut->kept[i] && input_of(texts, cut, i, &n)) n_bytes += n;
    return n_bytes;
}

size_t conf_texts_changed(const conf_texts *texts, const conf_texts_cut *cut)
{
    size_t n = 0;
    for (size_t i = 0; i < texts->n; i++) n += cut->kept[i] && cut->changed[i];
    return n;
}

bool conf_texts_computed(const conf_texts *texts, const conf_texts_cut *cut)
{
    bool computed = false;
    for (size_t i = 0; i < texts->n; i++) computed = computed || (cut->kept[i] && cut->computed[i]);
    return computed;
}

uint64_t conf_texts_hash(const conf_texts *texts, const conf_texts_cut *cut)
{
    uint64_t hash = hash_bytes(cut->kept, texts->n * sizeof *cut->kept);
    for (size_t i = 0; i < texts->n; i++) {
        size_t n = 0;
        const char *text = cut->kept[i] && cut->changed[i] ? input_of(texts, cut, i, &n) : NULL;
        const uint64_t of_input = text ? hash_bytes(text, n) : 0;
        hash = hash_add(hash_add(hash, (uint32_t)of_input), (uint32_t)(of_input >> 32));
    }
    return hash;
}

void conf_texts_print(const conf_texts *texts, const conf_texts_cut *cut, char *text, size_t size)
{
    const size_t n = conf_texts_count(texts, cut);
    (void)snprintf(text, size, "%zu vector%s, %zu bytes of input", n, n == 1 ? "" : "s",
                   conf_texts_bytes(texts, cut));
}
