/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/tokenizing.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "conformance/abi/serving.h"
#include "conformance/support/json_add.h"
#include "conformance/textual/answer.h"

#define SHOWN_MAX 200 /* bytes of a text in a message */

/* A parsed vector. Points into itself and to the vector's conf_json_at: must not be copied. */
typedef struct tokenizing {
    conf_json_at input, expect;
    conf_json_at text, ids; /* members of input: text if encodes, otherwise ids */
    conf_json_at ids_out, text_out, pieces_out;
    bool encodes, decodes, streams;
    bool special;     /* add_special_tokens or skip_special_tokens; default true, as published */
    int32_t *numbers; /* [n_numbers], the values of `ids` */
    size_t n_numbers;
} tokenizing;

static assay_status read_flag(const conf_json_at *object, const char *name, bool *out, assay_error *err)
{
    conf_json_at at;
    if (!conf_json_find(object, name, &at)) return ASSAY_OK;
    const assay_status rc = conf_json_expect(&at, json_type_boolean, err);
    if (rc == ASSAY_OK) *out = json_object_get_boolean(at.value);
    return rc;
}

static assay_status check_ids(const conf_json_at *ids, assay_error *err)
{
    int64_t id;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(ids->value); i++) {
        const conf_json_at at = conf_json_element(ids, i);
        rc = conf_json_whole(&at, 0, INT32_MAX, &id, err);
    }
    return rc;
}

/* Checks `pieces`: one for each id, and optionally the text that detokenizer_end emits. */
static assay_status check_pieces(const tokenizing *t, assay_error *err)
{
    assay_status rc = conf_json_expect(&t->pieces_out, json_type_array, err);
    if (rc != ASSAY_OK) return rc;
    const size_t n = json_object_array_length(t->pieces_out.value),
                 n_ids = json_object_array_length(t->ids.value);
    if (n != n_ids && n != n_ids + 1)
        rc = conf_json_fail(&t->pieces_out, err, "%zu pieces, expected %zu or %zu for %zu ids", n, n_ids,
                            n_ids + 1, n_ids);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        const conf_json_at at = conf_json_element(&t->pieces_out, i);
        rc = conf_json_expect(&at, json_type_string, err);
    }
    return rc;
}

static assay_status read_encoding(tokenizing *t, assay_error *err)
{
    assay_status rc = conf_json_member(&t->input, "text", json_type_string, &t->text, err);
    if (rc == ASSAY_OK) rc = read_flag(&t->input, "add_special_tokens", &t->special, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&t->expect, "ids", json_type_array, &t->ids_out, err);
    return rc == ASSAY_OK ? check_ids(&t->ids_out, err) : rc;
}

static assay_status read_decoding(tokenizing *t, assay_error *err)
{
    assay_status rc = conf_json_member(&t->input, "ids", json_type_array, &t->ids, err);
    if (rc == ASSAY_OK) rc = check_ids(&t->ids, err);
    if (rc == ASSAY_OK) rc = read_flag(&t->input, "skip_special_tokens", &t->special, err);
    if (rc != ASSAY_OK) return rc;
    t->streams = conf_json_find(&t->expect, "pieces", &t->pieces_out);
    t->decodes = !t->streams || conf_json_find(&t->expect, "text", &t->text_out);
    return t->decodes ? conf_json_member(&t->expect, "text", json_type_string, &t->text_out, err) : ASSAY_OK;
}

static assay_status read_vector(const conf_json_at *at, tokenizing *t, assay_error *err)
{
    conf_json_at place;
    *t = (tokenizing){.special = true};
    assay_status rc = conf_json_member(at, "input", json_type_object, &t->input, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "expect", json_type_object, &t->expect, err);
    if (rc != ASSAY_OK) return rc;
    t->encodes = conf_json_find(&t->input, "text", &place);
    return t->encodes ? read_encoding(t, err) : read_decoding(t, err);
}

assay_status conf_tokenizing_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                   assay_error *err)
{
    static const char *const encoding[] = {"text", "add_special_tokens", NULL}, *const ids[] = {"ids", NULL};
    static const char *const decoding[] = {"ids", "skip_special_tokens", NULL}, *const texts[] = {
                                                                                    "text", "pieces", NULL};
    tokenizing t;
    assay_status rc = read_vector(at, &t, err);
    if (rc == ASSAY_OK && t.streams) rc = check_pieces(&t, err);
    if (rc == ASSAY_OK && vector->rule == CONF_VECTOR_REJECT)
        rc = conf_json_fail(at, err, "its verdict is reject, which this kind does not have");
    if (rc == ASSAY_OK) rc = conf_json_note_unknown(&t.input, t.encodes ? encoding : decoding, unknown, err);
    return rc == ASSAY_OK ? conf_json_note_unknown(&t.expect, t.encodes ? ids : texts, unknown, err) : rc;
}

const void *conf_tokenizing_open(const char *module, conf_verdict *v)
{
    return conf_serving_offered(module, CONF_SERVING_TOKENIZER, v);
}

static void fail_refused(conf_verdict *v, const char *member, assay_status rc, const assay_error *err)
{
    conf_verdict_fail(v, rc == ASSAY_ENOMEM ? CONF_CLASS_MEMORY : CONF_CLASS_REFUSED, "%s: %s", member,
                      err->text);
}

static int64_t expected_id(const tokenizing *t, size_t i)
{
    return json_object_get_int64(json_object_array_get_idx(t->ids_out.value, i));
}

static void judge_ids(const tokenizing *t, const int32_t *ids, size_t n, conf_verdict *v)
{
    const size_t n_expected = json_object_array_length(t->ids_out.value);
    for (size_t i = 0; i < n && i < n_expected; i++) {
        if (ids[i] == expected_id(t, i)) continue;
        conf_verdict_fail(v, CONF_CLASS_TOKENS, "id %zu of \"%.*s\": expected %lld, found %d", i, SHOWN_MAX,
                          json_object_get_string(t->text.value), (long long)expected_id(t, i), (int)ids[i]);
        return;
    }
    if (n != n_expected)
        conf_verdict_fail(v, CONF_CLASS_TOKENS, "\"%.*s\": expected %zu ids, found %zu that begin alike",
                          SHOWN_MAX, json_object_get_string(t->text.value), n_expected, n);
}

static void replay_encoding(const assay_serving *s, const assay_tokenizer *tokenizer, const tokenizing *t,
                            conf_verdict *v)
{
    assay_error err = {0};
    size_t n = 0;
    const size_t capacity = 2 * json_object_array_length(t->ids_out.value) + 16;
    int32_t *ids = malloc(capacity * sizeof *ids);
    if (!ids) {
        conf_verdict_set(v, CONF_BROKEN, "out of memory");
        return;
    }
    const assay_status rc =
        s->encode(tokenizer, json_object_get_string(t->text.value),
                  (size_t)json_object_get_string_len(t->text.value), t->special, ids, capacity, &n, &err);
    if (rc != ASSAY_OK) fail_refused(v, "encode", rc, &err);
    else judge_ids(t, ids, n < capacity ? n : capacity, v);
    free(ids);
}

static bool same_text(const json_object *expected, const char *text, size_t n)
{
    json_object *value = (json_object *)expected; /* json-c's getters take no const */
    return n == (size_t)json_object_get_string_len(value) &&
           (n == 0 || memcmp(text, json_object_get_string(value), n) == 0);
}

static void judge_text(const tokenizing *t, const char *text, size_t n, conf_verdict *v)
{
    if (same_text(t->text_out.value, text, n)) return;
    conf_verdict_fail(v, CONF_CLASS_TEXT, "the text of %zu ids: expected \"%.*s\", found \"%.*s\"",
                      t->n_numbers, SHOWN_MAX, json_object_get_string(t->text_out.value),
                      (int)(n < SHOWN_MAX ? n : SHOWN_MAX), text);
}

static void take_piece(void *context, assay_part part, const char *text, size_t n)
{
    (void)part;
    (void)buffer_append(context, text, n);
}

/* Judges piece `number`; false ends the stream. */
typedef bool piece_judge(const tokenizing *t, size_t number, const buffer *piece, conf_verdict *v);

/* Feeds the ids to a detokenizer, which appends to `piece`. Unless `join`, `piece` is emptied before
 * each id. judge, if not NULL, is called after each id, and after the end with number n_numbers. */
static void stream_ids(const assay_serving *s, const assay_tokenizer *tokenizer, const tokenizing *t,
                       piece_judge *judge, buffer *piece, bool join, conf_verdict *v)
{
    const assay_sink sink = {take_piece, piece};
    assay_detokenizer *d = NULL;
    assay_error err = {0};
    assay_status rc = s->detokenizer_open(tokenizer, t->special, &d, &err);
    bool goes_on = rc == ASSAY_OK;
    for (size_t i = 0; goes_on && i <= t->n_numbers; i++) {
        if (!join) piece->n = 0;
        rc = i < t->n_numbers ? s->detokenizer_push(d, t->numbers[i], &sink, &err)
                              : s->detokenizer_end(d, &sink, &err);
        goes_on = rc == ASSAY_OK && (!judge || judge(t, i, piece, v));
    }
    if (rc != ASSAY_OK) fail_refused(v, "the detokenizer", rc, &err);
    s->detokenizer_free(d);
}

static bool judge_piece(const tokenizing *t, size_t number, const buffer *piece, conf_verdict *v)
{
    json_object *expected = json_object_array_get_idx(t->pieces_out.value, number);
    if (number == json_object_array_length(t->pieces_out.value)) return true;
    if (same_text(expected, piece->data, piece->n)) return true;
    conf_verdict_fail(v, CONF_CLASS_TEXT, "piece %zu of %zu: expected \"%.*s\", found \"%.*s\"", number,
                      t->n_numbers, SHOWN_MAX, json_object_get_string(expected),
                      (int)(piece->n < SHOWN_MAX ? piece->n : SHOWN_MAX), piece->data ? piece->data : "");
    return false;
}

static void replay_decoding(const assay_serving *s, const assay_tokenizer *tokenizer, const tokenizing *t,
                            conf_verdict *v)
{
    buffer text = {0}, joined = {0};
    assay_error err = {0};
    const char *lacks;
    size_t n = 0;
    const bool streams = conf_serving_has(s, CONF_SERVING_DETOKENIZER, &lacks);
    if (!buffer_reserve(&text, 2 * (size_t)json_object_get_string_len(t->text_out.value) + 256)) {
        conf_verdict_set(v, CONF_BROKEN, "out of memory");
        return;
    }
    const assay_status rc =
        s->decode(tokenizer, t->numbers, t->n_numbers, t->special, text.data, text.capacity, &n, &err);
    text.n = n < text.capacity ? n : text.capacity;
    if (rc != ASSAY_OK) fail_refused(v, "decode", rc, &err);
    else judge_text(t, text.data, text.n, v);
    if (v->outcome == CONF_PASSED && streams) {
        stream_ids(s, tokenizer, t, NULL, &joined, true, v);
        if (v->outcome == CONF_PASSED &&
            (joined.n != text.n || memcmp(joined.data ? joined.data : "", text.data, text.n) != 0))
            conf_verdict_fail(v, CONF_CLASS_INCONSISTENT,
                              "the pieces of %zu ids: expected the %zu bytes that decode gives, found %zu",
                              t->n_numbers, text.n, joined.n);
    }
    buffer_free(&text);
    buffer_free(&joined);
}

static void replay_streaming(const assay_serving *s, const assay_tokenizer *tokenizer, const tokenizing *t,
                             conf_verdict *v)
{
    buffer piece = {0};
    const char *lacks;
    if (!conf_serving_has(s, CONF_SERVING_DETOKENIZER, &lacks)) {
        conf_verdict_set(v, CONF_SKIPPED, "its serving table lacks %s", lacks);
        return;
    }
    stream_ids(s, tokenizer, t, judge_piece, &piece, false, v);
    buffer_free(&piece);
}

static bool read_ids(tokenizing *t)
{
    if (t->encodes) return true;
    t->n_numbers = json_object_array_length(t->ids.value);
    t->numbers = malloc((t->n_numbers + 1) * sizeof *t->numbers);
    for (size_t i = 0; t->numbers && i < t->n_numbers; i++)
        t->numbers[i] = (int32_t)json_object_get_int64(json_object_array_get_idx(t->ids.value, i));
    return t->numbers != NULL;
}

/* The tokenizer of the case whose vectors this process replays. The first of them opens it: reading a large
 * vocabulary takes longer than most vectors. */
static assay_tokenizer *opened;

void conf_tokenizing_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                            const conf_json_at *at, conf_verdict *v)
{
    const assay_serving *s = offered;
    tokenizing t;
    assay_error err = {0};
    (void)vector;
    if (read_vector(at, &t, &err) != ASSAY_OK || !read_ids(&t)) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text[0] ? err.text : "out of memory");
        return;
    }
    const assay_status rc = opened ? ASSAY_OK : s->tokenizer_open(c->model, &opened, &err);
    if (rc != ASSAY_OK) fail_refused(v, "tokenizer_open", rc, &err);
    else if (t.encodes) replay_encoding(s, opened, &t, v);
    else if (t.decodes) replay_decoding(s, opened, &t, v);
    if (t.streams && v->outcome == CONF_PASSED) replay_streaming(s, opened, &t, v);
    free(t.numbers);
}

void conf_tokenizing_finish(const void *offered)
{
    const assay_serving *s = offered;
    if (opened) s->tokenizer_free(opened);
    opened = NULL;
}

static assay_status answer_encoding(const assay_serving *s, const tokenizing *t, assay_error *err)
{
    const char *text = json_object_get_string(t->text.value);
    const size_t n_text = (size_t)json_object_get_string_len(t->text.value), capacity = 4 * n_text + 16;
    size_t n = 0;
    int32_t *ids = malloc(capacity * sizeof *ids);
    if (!ids) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    assay_status rc = s->encode(opened, text, n_text, t->special, ids, capacity, &n, err);
    if (rc == ASSAY_OK && n > capacity) rc = conf_json_fail(&t->text, err, "too many ids: %zu", n);
    if (rc == ASSAY_OK) rc = conf_answer_ids(&t->expect, "ids", ids, n, err);
    free(ids);
    return rc;
}

static assay_status answer_decoding(const assay_serving *s, const tokenizing *t, assay_error *err)
{
    size_t n = 0;
    assay_status rc = s->decode(opened, t->numbers, t->n_numbers, t->special, NULL, 0, &n, err);
    if (rc != ASSAY_OK) return rc;
    char *text = malloc(n + 1);
    if (!text) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    rc = s->decode(opened, t->numbers, t->n_numbers, t->special, text, n, &n, err);
    if (rc == ASSAY_OK) rc = conf_answer_text(&t->expect, "text", (assay_text){text, n}, err);
    free(text);
    return rc;
}

/* Notes a piece instead of judging it. */
static bool note_piece(const tokenizing *t, size_t number, const buffer *piece, conf_verdict *v)
{
    json_object *one = json_object_new_string_len(piece->n ? piece->data : "", (int)piece->n);
    if (conf_json_append(t->pieces_out.value, one)) return true;
    conf_verdict_set(v, CONF_BROKEN, "piece %zu: out of memory", number);
    return false;
}

static assay_status answer_streaming(const assay_serving *s, const tokenizing *t, assay_error *err)
{
    buffer piece = {0};
    conf_verdict v = {0};
    tokenizing noted = *t;
    noted.pieces_out.value = json_object_new_array();
    if (!noted.pieces_out.value) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    stream_ids(s, opened, &noted, note_piece, &piece, false, &v);
    buffer_free(&piece);
    if (v.outcome == CONF_PASSED) return conf_answer_set(&t->expect, "pieces", noted.pieces_out.value, err);
    (void)json_object_put(noted.pieces_out.value);
    return conf_answer_refused(&t->expect, v.reason, err);
}

assay_status conf_tokenizing_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                                    assay_error *err)
{
    const assay_serving *s = offered;
    const char *lacks;
    tokenizing t;
    assay_status rc = read_vector(at, &t, err);
    if (rc == ASSAY_OK && !read_ids(&t)) rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (rc == ASSAY_OK && t.streams && !conf_serving_has(s, CONF_SERVING_DETOKENIZER, &lacks))
        rc = assay_fail(err, ASSAY_EUNSUPPORTED, "its serving table lacks %s", lacks);
    if (rc == ASSAY_OK && !opened) rc = s->tokenizer_open(c->model, &opened, err);
    if (rc == ASSAY_OK && t.encodes) rc = answer_encoding(s, &t, err);
    if (rc == ASSAY_OK && t.decodes) rc = answer_decoding(s, &t, err);
    if (rc == ASSAY_OK && t.streams) rc = answer_streaming(s, &t, err);
    free(t.numbers);
    return rc;
}
