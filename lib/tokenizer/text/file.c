/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/text/file.h"

#include "base/error.h"
#include "base/json.h"
#include "gguf/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits of each small member. The largest published ones are a precompiled_charsmap of 500 KB and a
 * list of some thousand added tokens. */
static const json_limits SMALL = {.bytes = (size_t)16 << 20, .values = (size_t)1 << 20};

struct tokenizer_scan {
    const char *path;
    json_scan *scan;
    char *unescaped; /* capacity for the longest string of the span */
};

/* Advances *token to the last token of the value that it begins. */
static assay_status skip_value(json_scan *scan, json_scan_token *token, assay_error *err)
{
    size_t depth = 0;
    for (;;) {
        if (token->kind == JSON_SCAN_OBJECT || token->kind == JSON_SCAN_ARRAY) depth++;
        if (token->kind == JSON_SCAN_OBJECT_END || token->kind == JSON_SCAN_ARRAY_END) depth--;
        if (depth == 0) return ASSAY_OK;
        const assay_status rc = json_scan_next(scan, token, err);
        if (rc != ASSAY_OK) return rc;
    }
}

/* The start and the end of a token in the text, quotes included. */
static const char *begin_of(const json_scan_token *t)
{
    return t->kind == JSON_SCAN_STRING ? t->text - 1 : t->text;
}

static const char *end_of(const json_scan_token *t)
{
    return t->text + t->n + (t->kind == JSON_SCAN_STRING ? 1 : 0);
}

/* Stores the member: as span *spans[i] if its name is names[i], else as a parsed value in `into`. */
static assay_status store_member(const char *path, const json_scan_token *name, tokenizer_span value,
                                 json_object *into, const char *const *names, tokenizer_span *const *spans,
                                 assay_error *err)
{
    for (size_t i = 0; names[i]; i++)
        if (json_scan_equals(name, names[i])) {
            *spans[i] = value;
            return ASSAY_OK;
        }
    char text[64];
    if (name->n >= sizeof text)
        return ASSAY_OK; /* longer than any known name: ignored, as by Hugging Face's tokenizers */
    text[json_scan_unescape(text, name)] = '\0';
    json_object *parsed = NULL;
    const assay_status rc = json_parse_within(path, value.text, value.n, &SMALL, &parsed, err);
    if (rc == ASSAY_OK && json_object_object_add(into, text, parsed) != 0) {
        json_object_put(parsed);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    return rc;
}

/* Stores all members of the object in text (store_member); `what` is its name in messages. */
static assay_status store_members(const char *path, tokenizer_span text, const char *what, json_object *into,
                                  const char *const *names, tokenizer_span *const *spans, assay_error *err)
{
    json_scan *scan = NULL;
    json_scan_token token = {.kind = JSON_SCAN_NULL};
    assay_status rc = json_scan_open(path, text.text, text.n, &scan, err);
    if (rc == ASSAY_OK) rc = json_scan_next(scan, &token, err);
    if (rc == ASSAY_OK && token.kind != JSON_SCAN_OBJECT)
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: %s: found %s, expected an object", path, what,
                        json_scan_kind_name(token.kind));
    while (rc == ASSAY_OK) {
        rc = json_scan_next(scan, &token, err);
        if (rc != ASSAY_OK || token.kind != JSON_SCAN_NAME) break;
        const json_scan_token name = token;
        rc = json_scan_next(scan, &token, err);
        if (rc != ASSAY_OK) break;
        const char *begin = begin_of(&token);
        rc = skip_value(scan, &token, err);
        const tokenizer_span value = {begin, (size_t)(end_of(&token) - begin)};
        if (rc == ASSAY_OK) rc = store_member(path, &name, value, into, names, spans, err);
    }
    if (rc == ASSAY_OK) rc = json_scan_next(scan, &token, err); /* refuses text after the object */
    json_scan_free(scan);
    return rc;
}

static assay_status check_version(const tokenizer_file *f, assay_error *err)
{
    const tokenizer_place version = tokenizer_file_member(f, "version");
    const char *text;
    if (!version.value) return ASSAY_OK;
    const assay_status rc = tokenizer_place_word(&version, &text, err);
    if (rc != ASSAY_OK || strcmp(text, "1.0") == 0) return rc;
    return tokenizer_place_fail(&version, err, ASSAY_EUNSUPPORTED, "found \"%.*s\", expected \"1.0\"",
                                json_scan_clip(text, strlen(text), 40), text);
}

assay_status tokenizer_file_read(const char *checkpoint, tokenizer_file *out, assay_error *err)
{
    static const char *const TOP[] = {"model", NULL}, *const MODEL[] = {"vocab", "merges", NULL};
    gguf_document d;
    tokenizer_span model = {0};
    assay_status rc = gguf_document_require(checkpoint, "tokenizer.json", JSON_SIZE_MAX, &d, err);
    *out = (tokenizer_file){.path = d.label,
                            .text = d.text,
                            .document = json_object_new_object(),
                            .model = json_object_new_object()};
    if (rc == ASSAY_OK && (!out->document || !out->model))
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", checkpoint);
    if (rc == ASSAY_OK)
        rc = store_members(out->path, (tokenizer_span){d.text, d.n}, "the document", out->document, TOP,
                           (tokenizer_span *const[]){&model}, err);
    if (rc == ASSAY_OK && !model.text)
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: model: found nothing, expected an object", out->path);
    if (rc == ASSAY_OK)
        rc = store_members(out->path, model, "model", out->model, MODEL,
                           (tokenizer_span *const[]){&out->vocab, &out->merges}, err);
    if (rc == ASSAY_OK) rc = check_version(out, err);
    return rc;
}

void tokenizer_file_close(tokenizer_file *f)
{
    json_object_put(f->document);
    json_object_put(f->model);
    free(f->text);
    free(f->path);
    *f = (tokenizer_file){0};
}

tokenizer_place tokenizer_file_member(const tokenizer_file *f, const char *name)
{
    return (tokenizer_place){
        .path = f->path, .name = name, .value = json_object_object_get(f->document, name)};
}

tokenizer_place tokenizer_file_model(const tokenizer_file *f)
{
    return (tokenizer_place){.path = f->path, .name = "model", .value = f->model};
}

assay_status tokenizer_scan_open(const tokenizer_file *f, tokenizer_span span, tokenizer_scan **out,
                                 assay_error *err)
{
    tokenizer_scan *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", f->path);
    s->path = f->path;
    s->unescaped = malloc(span.n + 1);
    assay_status rc = s->unescaped ? json_scan_open(f->path, span.text, span.n, &s->scan, err)
                                   : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", f->path);
    if (rc == ASSAY_OK) *out = s;
    else tokenizer_scan_free(s);
    return rc;
}

void tokenizer_scan_free(tokenizer_scan *s)
{
    if (!s) return;
    json_scan_free(s->scan);
    free(s->unescaped);
    free(s);
}

assay_status tokenizer_scan_next(tokenizer_scan *s, tokenizer_token *out, assay_error *err)
{
    json_scan_token token;
    const assay_status rc = json_scan_next(s->scan, &token, err);
    if (rc != ASSAY_OK) return rc;
    *out = (tokenizer_token){.kind = token.kind, .text = token.text, .n = token.n};
    if (token.kind == JSON_SCAN_NAME || token.kind == JSON_SCAN_STRING) {
        out->n = json_scan_unescape(s->unescaped, &token);
        out->text = s->unescaped;
    }
    return ASSAY_OK;
}

/* Copies the number's text, terminated, into out[0..capacity). False if the token is no number or is
 * longer. */
static bool number_text(const tokenizer_token *token, char *out, size_t capacity)
{
    if (token->kind != JSON_SCAN_NUMBER || token->n >= capacity) return false;
    memcpy(out, token->text, token->n);
    out[token->n] = '\0';
    return true;
}

assay_status tokenizer_scan_id(const tokenizer_scan *s, const tokenizer_token *token, int32_t *out,
                               assay_error *err)
{
    char text[16];
    long value = -1;
    if (number_text(token, text, sizeof text) && strspn(text, "0123456789") == token->n)
        value = strtol(text, NULL, 10);
    if (value < 0 || value > INT32_MAX)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: model.vocab: found %.*s for an id, expected an integer of 0 to %d", s->path,
                          json_scan_clip(token->text, token->n, 40), token->text, INT32_MAX);
    *out = (int32_t)value;
    return ASSAY_OK;
}

assay_status tokenizer_scan_number(const tokenizer_scan *s, const tokenizer_token *token, double *out,
                                   assay_error *err)
{
    /* In the file, a character that continues no number follows each number. */
    const double value = token->kind == JSON_SCAN_NUMBER ? strtod(token->text, NULL) : NAN;
    if (!isfinite(value))
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: model.vocab: found %.*s for a score, expected a finite number", s->path,
                          json_scan_clip(token->text, token->n, 40), token->text);
    *out = value;
    return ASSAY_OK;
}
