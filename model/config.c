/* SPDX-License-Identifier: Apache-2.0 */
#include "model/config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/error.h"

/* Members that every published config may carry and that change nothing which Assay computes. */
static const char *const NEUTRAL[] = {
    "_attn_implementation_autoset",
    "_name_or_path",
    "add_cross_attention",
    "architectures",
    "attention_dropout",
    "auto_map",
    "bos_token_id",
    "chunk_size_feed_forward",
    "cross_attention_hidden_size",
    "decoder_start_token_id",
    "dtype",
    "embd_pdrop",
    "eos_token_id",
    "finetuning_task",
    "id2label",
    "initializer_range",
    "is_decoder",
    "is_encoder_decoder",
    "label2id",
    "max_position_embeddings",
    "model_type",
    "output_attentions",
    "output_hidden_states",
    "output_router_logits",
    "pad_token_id",
    "prefix",
    "pretraining_tp",
    "problem_type",
    "resid_pdrop",
    "return_dict",
    "router_aux_loss_coef",
    "sep_token_id",
    "task_specific_params",
    "tf_legacy_loss",
    "tokenizer_class",
    "torch_dtype",
    "torchscript",
    "transformers_version",
    "use_bfloat16",
    "use_cache",
};

void config_begin(config *c, const char *path, const char *prefix, json_object *object, config_notes *notes,
                  assay_error *err)
{
    *c = (config){.path = path, .prefix = prefix, .object = object, .notes = notes, .err = err};
    c->used = json_object_new_object();
    if (!c->used) config_fail(c, ASSAY_ENOMEM, "out of memory");
    else if (!json_object_is_type(object, json_type_object))
        config_fail(c, ASSAY_EFORMAT, "expected an object, found %s",
                    json_type_to_name(json_object_get_type(object)));
}

/* Hands a failure to every reader around this one. */
static void fail_around(const config *c)
{
    for (config *p = c->parent; p && c->status != ASSAY_OK; p = p->parent) p->status = c->status;
}

void config_begin_inside(config *c, config *parent, const char *prefix, json_object *object)
{
    config_begin(c, parent->path, prefix, object, parent->notes, parent->err);
    c->parent = parent;
    fail_around(c);
}

void config_drop(config *c)
{
    json_object_put(c->used);
    c->used = NULL;
}

static bool is_neutral(const char *name)
{
    for (size_t i = 0; i < sizeof NEUTRAL / sizeof *NEUTRAL; i++)
        if (strcmp(name, NEUTRAL[i]) == 0) return true;
    return false;
}

const char *config_unused(const config *c, size_t index)
{
    struct json_object_iterator at = json_object_iter_begin(c->object), end = json_object_iter_end(c->object);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *name = json_object_iter_peek_name(&at);
        bool counts = json_object_iter_peek_value(&at) && !json_object_object_get_ex(c->used, name, NULL);
        if (counts && index-- == 0) return name;
    }
    return NULL;
}

void config_end(config *c)
{
    const char *name;
    for (size_t i = 0; c->status == ASSAY_OK && (name = config_unused(c, i)); i++)
        if (!is_neutral(name)) config_note(c->notes, "%s%s: not understood and not used", c->prefix, name);
    config_drop(c);
}

/* Takes over the parent's failure, if there is one. */
static bool has_failed(config *c)
{
    if (c->status == ASSAY_OK && c->parent) c->status = c->parent->status;
    return c->status != ASSAY_OK;
}

assay_status config_fail(config *c, assay_status status, const char *format, ...)
{
    if (has_failed(c)) return c->status;
    char reason[900];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    c->status = assay_fail(c->err, status, "%s: %s%s", c->path, c->prefix, reason);
    fail_around(c);
    return c->status;
}

void config_note(config_notes *notes, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    char **grown = length < 0 ? NULL : realloc(notes->line, (notes->n + 1) * sizeof *grown);
    if (!grown) {
        if (length >= 0) free(text);
        notes->incomplete = true;
        return;
    }
    notes->line = grown;
    notes->line[notes->n++] = text;
}

void config_notes_free(config_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++) free(notes->line[i]);
    free(notes->line);
    *notes = (config_notes){0};
}

json_object *config_member(config *c, const char *name)
{
    json_object *value = NULL;
    if (has_failed(c)) return NULL;
    json_object_object_add(c->used, name, NULL);
    return json_object_object_get_ex(c->object, name, &value) ? value : NULL;
}

bool config_has(config *c, const char *name)
{
    return config_member(c, name) != NULL;
}

bool config_is_null(config *c, const char *name)
{
    json_object *value = NULL;
    return c->status == ASSAY_OK && json_object_object_get_ex(c->object, name, &value) && !value;
}

/* What stands there, shortened, for a message. */
static const char *found(json_object *value)
{
    return json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
}

static void wrong(config *c, const char *name, json_object *value, const char *expected)
{
    config_fail(c, ASSAY_EFORMAT, "%s: found %.80s, expected %s", name, found(value), expected);
}

static bool is_integer(json_object *value, int64_t lowest)
{
    if (!json_object_is_type(value, json_type_int)) return false;
    int64_t v = json_object_get_int64(value);
    return v >= lowest && v <= INT32_MAX;
}

static bool is_real(json_object *value)
{
    return (json_object_is_type(value, json_type_double) || json_object_is_type(value, json_type_int)) &&
           isfinite(json_object_get_double(value));
}

static json_object *required(config *c, const char *name, const char *expected)
{
    json_object *value = config_member(c, name);
    if (!value) config_fail(c, ASSAY_EFORMAT, "%s: missing, expected %s", name, expected);
    return value;
}

static size_t integer(config *c, const char *name, json_object *value, int64_t lowest, const char *expected)
{
    if (!value) return 0;
    if (is_integer(value, lowest)) return (size_t)json_object_get_int64(value);
    wrong(c, name, value, expected);
    return 0;
}

static const char POSITIVE[] = "a positive integer";
static const char COUNT[] = "an integer of at least 0";
static const char NUMBER[] = "a finite number";
static const char TEXT[] = "a string";

size_t config_size(config *c, const char *name)
{
    return integer(c, name, required(c, name, POSITIVE), 1, POSITIVE);
}

static size_t integer_or(config *c, const char *name, size_t fallback, int64_t lowest, const char *expected)
{
    json_object *value = config_member(c, name);
    if (value) return integer(c, name, value, lowest, expected);
    if (c->status == ASSAY_OK)
        config_note(c->notes, "%s%s: absent, default %zu taken", c->prefix, name, fallback);
    return fallback;
}

size_t config_size_or(config *c, const char *name, size_t fallback)
{
    return integer_or(c, name, fallback, 1, POSITIVE);
}

size_t config_count_or(config *c, const char *name, size_t fallback)
{
    return integer_or(c, name, fallback, 0, COUNT);
}

double config_real(config *c, const char *name)
{
    json_object *value = required(c, name, NUMBER);
    if (!value) return 0;
    if (is_real(value)) return json_object_get_double(value);
    wrong(c, name, value, NUMBER);
    return 0;
}

double config_real_or(config *c, const char *name, double fallback)
{
    if (config_has(c, name)) return config_real(c, name);
    if (c->status == ASSAY_OK)
        config_note(c->notes, "%s%s: absent, default %g taken", c->prefix, name, fallback);
    return fallback;
}

bool config_flag_or(config *c, const char *name, bool fallback)
{
    json_object *value = config_member(c, name);
    if (!value) {
        if (c->status == ASSAY_OK)
            config_note(c->notes, "%s%s: absent, default %s taken", c->prefix, name,
                        fallback ? "true" : "false");
        return fallback;
    }
    if (json_object_is_type(value, json_type_boolean)) return json_object_get_boolean(value);
    wrong(c, name, value, "true or false");
    return fallback;
}

const char *config_text(config *c, const char *name)
{
    json_object *value = required(c, name, TEXT);
    if (!value) return "";
    if (json_object_is_type(value, json_type_string)) return json_object_get_string(value);
    wrong(c, name, value, TEXT);
    return "";
}

const char *config_text_or(config *c, const char *name, const char *fallback)
{
    if (config_has(c, name)) return config_text(c, name);
    if (c->status == ASSAY_OK)
        config_note(c->notes, "%s%s: absent, default %s taken", c->prefix, name, fallback);
    return fallback;
}

/* The i-th number of a list, or the scalar itself. */
static json_object *element(json_object *value, size_t i)
{
    return json_object_is_type(value, json_type_array) ? json_object_array_get_idx(value, i) : value;
}

/* The list (or scalar) at name, whose elements all satisfy the test; NULL where absent or wrong. */
static json_object *list(config *c, const char *name, bool scalar, size_t n, bool integers)
{
    json_object *value = config_member(c, name);
    if (!value) return NULL;
    bool is_list = json_object_is_type(value, json_type_array);
    if ((!is_list && !scalar) || (is_list && json_object_array_length(value) != n)) {
        char expected[80];
        (void)snprintf(expected, sizeof expected, "%sa list of %zu %s", scalar ? "one or " : "", n,
                       integers ? "positive integers" : "numbers");
        wrong(c, name, value, expected);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        json_object *e = element(value, i);
        if (e && (integers ? is_integer(e, 1) : is_real(e))) continue;
        wrong(c, name, value, integers ? "positive integers" : "finite numbers");
        return NULL;
    }
    return value;
}

bool config_reals(config *c, const char *name, bool scalar, double *out, size_t n)
{
    json_object *value = list(c, name, scalar, n, false);
    for (size_t i = 0; value && i < n; i++) out[i] = json_object_get_double(element(value, i));
    return value != NULL;
}

bool config_sizes(config *c, const char *name, bool scalar, size_t *out, size_t n)
{
    json_object *value = list(c, name, scalar, n, true);
    for (size_t i = 0; value && i < n; i++) out[i] = (size_t)json_object_get_int64(element(value, i));
    return value != NULL;
}

void config_refuse(config *c, const char *name)
{
    json_object *value = config_member(c, name);
    if (!value) return;
    bool nothing = (json_object_is_type(value, json_type_boolean) && !json_object_get_boolean(value)) ||
                   (is_real(value) && json_object_get_double(value) == 0) ||
                   (json_object_is_type(value, json_type_array) && json_object_array_length(value) == 0) ||
                   (json_object_is_type(value, json_type_object) && json_object_object_length(value) == 0);
    if (!nothing)
        config_fail(c, ASSAY_EUNSUPPORTED, "%s: found %.80s, which this family does not implement", name,
                    found(value));
}
