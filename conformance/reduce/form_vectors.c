/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "conformance/reduce/attempt_texts.h"
#include "conformance/reduce/form.h"
#include "conformance/reduce/texts/write.h"

static bool takes(const conf_kind_info *kind)
{
    return kind->vectors.check != NULL;
}

/* The reduced case is not compressed. */
static assay_status open_form(conf_reducing *r, const char *name, assay_error *err)
{
    static const char compressed[] = ".gz";
    r->name = strdup(name);
    if (!r->name) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    if (string_ends_with(name, compressed)) r->name[strlen(name) - strlen(compressed)] = '\0';
    return conf_texts_open(r->c, &r->texts, err);
}

static void close_form(conf_reducing *r)
{
    conf_texts_free(r->texts);
}

/* The vector that fails, alone; the whole case if it does not fail then. Its vectors do not depend on each
 * other, but an engine's state may. */
static bool write_first(conf_reducing *r, conf_verdict *v)
{
    conf_texts *texts = r->texts;
    char why[CONF_TEXT_MAX];
    for (size_t i = 0; i < texts->n; i++) {
        char name[CONF_VECTOR_NAME_MAX];
        conf_vector_print_name(name, &texts->c->vectors.at[i]);
        texts->trial.kept[i] = texts->best.kept[i] && strcmp(name, r->symptom.vector) == 0;
    }
    if (!conf_attempt_texts_run(r, v)) return false;
    if (conf_attempt_is_same(&r->symptom, false, v, why, sizeof why)) {
        conf_texts_copy(texts, &texts->best, &texts->trial);
        return true;
    }
    conf_texts_copy(texts, &texts->trial, &texts->best);
    return conf_attempt_texts_run(r, v);
}

static void print_size(const conf_reducing *r, conf_state state, char *text, size_t size)
{
    conf_texts *whole = NULL;
    assay_error err;
    if (state == CONF_OF_WHOLE && conf_texts_open(r->c, &whole, &err) != ASSAY_OK) return;
    conf_texts_print(r->texts, whole ? &whole->best : &r->texts->best, text, size);
    conf_texts_free(whole);
}

static void describe(FILE *out, const conf_reducing *r)
{
    const conf_texts *texts = r->texts;
    const size_t n = conf_texts_changed(texts, &texts->best);
    const char *comma = "";
    (void)fputs("Kept: ", out);
    for (size_t i = 0; i < texts->n; i++) {
        char name[CONF_VECTOR_NAME_MAX];
        if (!texts->best.kept[i]) continue;
        conf_vector_print_name(name, &texts->c->vectors.at[i]);
        (void)fprintf(out, "%s%s", comma, name);
        comma = ", ";
    }
    (void)fputs(".\n", out);
    if (n) (void)fprintf(out, "Vectors with a shorter input: %zu.\n", n);
    (void)fprintf(out, "%s.\n", conf_texts_origin(texts, &texts->best));
}

static const conf_part *const parts[] = {&conf_part_vectors, &conf_part_prefixes, &conf_part_texts, NULL};

const conf_form conf_form_vectors = {.takes = takes,
                                     .open = open_form,
                                     .close = close_form,
                                     .write_first = write_first,
                                     .print_size = print_size,
                                     .describe = describe,
                                     .parts = parts};
