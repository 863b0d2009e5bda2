/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/post.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#define THE_TEXT  (-1)      /* in `parts`: stands for the ids of the text itself */
#define ADDED_MAX (1 << 24) /* ids that are added to those of a text: 64 MiB */
#define TEXTS_MAX 16        /* published templates contain the text once */

struct tokenizer_post {
    tokenizer_ids parts; /* the template: special tokens and THE_TEXT */
    size_t n_added, n_texts;
    bool is_set; /* a processor has filled parts */
    bool truncates, from_left;
    size_t max_length; /* truncates: maximum number of ids, special tokens included */
    bool pads, pads_left;
    size_t fixed_length,
        pad_to_multiple_of; /* pads: minimum length, and what the length is rounded up to; 0: none */
    int32_t pad;
};

void tokenizer_post_free(tokenizer_post *p)
{
    if (!p) return;
    tokenizer_ids_free(&p->parts);
    free(p);
}

static assay_status put_id(const tokenizer_place *at, tokenizer_post *p, int32_t id, assay_error *err)
{
    if (p->parts.n == ADDED_MAX)
        return tokenizer_place_fail(at, err, ASSAY_EUNSUPPORTED,
                                    "found more than %d ids around a text, expected no more", ADDED_MAX);
    if (id == THE_TEXT && ++p->n_texts > TEXTS_MAX)
        return tokenizer_place_fail(at, err, ASSAY_EUNSUPPORTED,
                                    "found the text more than %d times, expected no more", TEXTS_MAX);
    if (id != THE_TEXT) p->n_added++;
    return tokenizer_ids_push(&p->parts, id) ? ASSAY_OK
                                             : tokenizer_place_fail(at, err, ASSAY_ENOMEM, "out of memory");
}

static assay_status read_id(const tokenizer_place *at, int32_t *out, assay_error *err)
{
    int64_t id;
    const assay_status rc = tokenizer_place_count(at, INT32_MAX, &id, err);
    if (rc == ASSAY_OK) *out = (int32_t)id;
    return rc;
}

/* Reads the member `name`, such as ["[CLS]", 101], and appends its id. */
static assay_status put_pair(const tokenizer_place *at, const char *name, tokenizer_post *p, assay_error *err)
{
    tokenizer_place pair;
    size_t n;
    int32_t id;
    assay_status rc = tokenizer_place_list(at, name, &pair, &n, err);
    if (rc == ASSAY_OK && n != 2)
        rc = tokenizer_place_fail(&pair, err, ASSAY_EFORMAT,
                                  "found %zu elements, expected a token and its id", n);
    if (rc != ASSAY_OK) return rc;
    const tokenizer_place second = tokenizer_place_element(&pair, 1);
    rc = read_id(&second, &id, err);
    return rc == ASSAY_OK ? put_id(at, p, id, err) : rc;
}

static assay_status read_bert(const tokenizer_place *at, tokenizer_post *p, assay_error *err)
{
    assay_status rc = put_pair(at, "cls", p, err);
    if (rc == ASSAY_OK) rc = put_id(at, p, THE_TEXT, err);
    return rc == ASSAY_OK ? put_pair(at, "sep", p, err) : rc;
}

/* Appends the ids of a special token of the template. */
static assay_status put_special(const tokenizer_place *at, const tokenizer_place *tokens,
                                const tokenizer_place *piece, tokenizer_post *p, assay_error *err)
{
    tokenizer_place name, token, ids;
    const char *text = "";
    size_t n = 0;
    assay_status rc = tokenizer_place_member(piece, "id", &name, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_word(&name, &text, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(tokens, text, &token, err);
    if (rc == ASSAY_OK && !token.value)
        rc = tokenizer_place_fail(&name, err, ASSAY_EFORMAT,
                                  "found \"%.60s\", expected one of the special_tokens", text);
    if (rc == ASSAY_OK) rc = tokenizer_place_list(&token, "ids", &ids, &n, err);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const tokenizer_place element = tokenizer_place_element(&ids, i);
        int32_t id;
        rc = read_id(&element, &id, err);
        if (rc == ASSAY_OK) rc = put_id(at, p, id, err);
    }
    return rc;
}

static assay_status put_piece(const tokenizer_place *at, const tokenizer_place *tokens,
                              const tokenizer_place *piece, tokenizer_post *p, assay_error *err)
{
    tokenizer_place special, sequence, id;
    const char *text;
    assay_status rc = tokenizer_place_member(piece, "SpecialToken", &special, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(piece, "Sequence", &sequence, err);
    if (rc != ASSAY_OK) return rc;
    if (special.value) return put_special(at, tokens, &special, p, err);
    rc = tokenizer_place_member(&sequence, "id", &id, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_word(&id, &text, err);
    if (rc == ASSAY_OK && strcmp(text, "A") != 0)
        rc = tokenizer_place_fail(&id, err, ASSAY_EFORMAT,
                                  "found \"%.20s\", expected \"A\": a single text has no other sequence",
                                  text);
    return rc == ASSAY_OK ? put_id(at, p, THE_TEXT, err) : rc;
}

static assay_status read_template(const tokenizer_place *at, tokenizer_post *p, assay_error *err)
{
    tokenizer_place single, tokens;
    size_t n = 0;
    assay_status rc = tokenizer_place_list(at, "single", &single, &n, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(at, "special_tokens", &tokens, err);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const tokenizer_place piece = tokenizer_place_element(&single, i);
        rc = put_piece(at, &tokens, &piece, p, err);
    }
    return rc;
}

static assay_status read_processor(const tokenizer_place *at, tokenizer_post *p, assay_error *err);

static assay_status read_sequence(const tokenizer_place *at, tokenizer_post *p, assay_error *err)
{
    tokenizer_place list;
    size_t n = 0;
    assay_status rc = tokenizer_place_list(at, "processors", &list, &n, err);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const tokenizer_place element = tokenizer_place_element(&list, i);
        rc = read_processor(&element, p, err);
    }
    return rc;
}

enum { BERT, BYTE_LEVEL, ROBERTA, SEQUENCE, TEMPLATE };

static const char *const TYPES[] = {[BERT] = "BertProcessing",
                                    [BYTE_LEVEL] = "ByteLevel",
                                    [ROBERTA] = "RobertaProcessing",
                                    [SEQUENCE] = "Sequence",
                                    [TEMPLATE] = "TemplateProcessing"};

static assay_status read_processor(const tokenizer_place *at, tokenizer_post *p, assay_error *err)
{
    size_t type;
    const assay_status rc = tokenizer_place_type(at, TYPES, sizeof TYPES / sizeof *TYPES, &type, err);
    if (rc != ASSAY_OK || type == BYTE_LEVEL) return rc;
    if (type == SEQUENCE) return read_sequence(at, p, err);
    if (p->is_set)
        return tokenizer_place_fail(at, err, ASSAY_EUNSUPPORTED,
                                    "found a second processor that adds ids, expected one");
    p->is_set = true;
    return type == TEMPLATE ? read_template(at, p, err) : read_bert(at, p, err);
}

static assay_status read_choice(const tokenizer_place *at, const char *name, const char *const *names,
                                size_t n, size_t *out, assay_error *err)
{
    tokenizer_place member;
    const char *text = NULL;
    assay_status rc = tokenizer_place_member(at, name, &member, err);
    if (rc != ASSAY_OK || !member.value) return rc;
    rc = tokenizer_place_word(&member, &text, err);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return ASSAY_OK;
        }
    if (rc != ASSAY_OK) return rc;
    return tokenizer_place_fail(&member, err, ASSAY_EUNSUPPORTED, "found \"%.40s\", expected %s or %s", text,
                                names[0], names[n - 1]);
}

static const char *const DIRECTIONS[] = {"Right", "Left"};

static assay_status read_truncation(const tokenizer_place *at, tokenizer_post *p, assay_error *err)
{
    static const char *const STRATEGIES[] = {"LongestFirst", "OnlyFirst"};
    tokenizer_place member;
    int64_t max_length = 0, stride = 0;
    size_t strategy = 0, direction = 0;
    assay_status rc = tokenizer_place_member(at, "max_length", &member, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_count(&member, INT64_MAX, &max_length, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(at, "stride", &member, err);
    if (rc == ASSAY_OK && member.value) rc = tokenizer_place_count(&member, INT64_MAX, &stride, err);
    if (rc == ASSAY_OK) rc = read_choice(at, "strategy", STRATEGIES, 2, &strategy, err);
    if (rc == ASSAY_OK) rc = read_choice(at, "direction", DIRECTIONS, 2, &direction, err);
    if (rc != ASSAY_OK) return rc;
    if ((size_t)max_length < p->n_added ||
        ((size_t)max_length > p->n_added && (size_t)stride >= (size_t)max_length - p->n_added))
        return tokenizer_place_fail(
            at, err, ASSAY_EFORMAT,
            "found max_length %lld and stride %lld, expected space for %zu special tokens and the stride",
            (long long)max_length, (long long)stride, p->n_added);
    p->truncates = true;
    p->max_length = (size_t)max_length;
    p->from_left = direction == 1;
    return ASSAY_OK;
}

static assay_status read_padding(const tokenizer_place *at, tokenizer_post *p, assay_error *err)
{
    tokenizer_place strategy, fixed, multiple_of, pad;
    int64_t fixed_length = 0, multiple = 0;
    size_t direction = 0;
    assay_status rc = tokenizer_place_member(at, "strategy", &strategy, err);
    if (rc == ASSAY_OK && json_object_is_type(strategy.value, json_type_object)) {
        rc = tokenizer_place_member(&strategy, "Fixed", &fixed, err);
        if (rc == ASSAY_OK) rc = tokenizer_place_count(&fixed, ADDED_MAX, &fixed_length, err);
    } else if (rc == ASSAY_OK && strategy.value) {
        const char *text;
        rc = tokenizer_place_word(&strategy, &text, err);
        if (rc == ASSAY_OK && strcmp(text, "BatchLongest") != 0)
            rc = tokenizer_place_fail(&strategy, err, ASSAY_EUNSUPPORTED,
                                      "found \"%.40s\", expected BatchLongest or Fixed", text);
    }
    if (rc == ASSAY_OK) rc = read_choice(at, "direction", DIRECTIONS, 2, &direction, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(at, "pad_to_multiple_of", &multiple_of, err);
    if (rc == ASSAY_OK && multiple_of.value)
        rc = tokenizer_place_count(&multiple_of, ADDED_MAX, &multiple, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(at, "pad_id", &pad, err);
    if (rc == ASSAY_OK) rc = read_id(&pad, &p->pad, err);
    if (rc != ASSAY_OK) return rc;
    p->pads = true;
    p->pads_left = direction == 1;
    p->fixed_length = (size_t)fixed_length;
    p->pad_to_multiple_of = (size_t)multiple;
    return ASSAY_OK;
}

assay_status tokenizer_post_open(const tokenizer_file *f, tokenizer_post **out, assay_error *err)
{
    const tokenizer_place processor = tokenizer_file_member(f, "post_processor");
    const tokenizer_place truncation = tokenizer_file_member(f, "truncation"),
                          padding = tokenizer_file_member(f, "padding");
    tokenizer_post *p = calloc(1, sizeof *p);
    if (!p) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", f->path);
    assay_status rc = processor.value ? read_processor(&processor, p, err) : ASSAY_OK;
    if (rc == ASSAY_OK && !p->is_set) rc = put_id(&processor, p, THE_TEXT, err);
    if (rc == ASSAY_OK && truncation.value) rc = read_truncation(&truncation, p, err);
    if (rc == ASSAY_OK && padding.value) rc = read_padding(&padding, p, err);
    if (rc == ASSAY_OK) *out = p;
    else tokenizer_post_free(p);
    return rc;
}

static bool put_pads(const tokenizer_post *p, size_t n, tokenizer_ids *out)
{
    if (!tokenizer_ids_reserve(out, n)) return false;
    for (size_t i = 0; i < n; i++) out->ids[out->n++] = p->pad;
    return true;
}

/* The number of padding ids for n ids. BatchLongest adds none: a text is a batch of one. */
static size_t count_pads(const tokenizer_post *p, size_t n)
{
    if (!p->pads) return 0;
    size_t wanted = p->fixed_length > 0 ? p->fixed_length : n;
    if (p->pad_to_multiple_of > 0 && wanted % p->pad_to_multiple_of > 0)
        wanted += p->pad_to_multiple_of - wanted % p->pad_to_multiple_of;
    return wanted > n ? wanted - n : 0;
}

bool tokenizer_post_run(const tokenizer_post *p, const tokenizer_ids *ids, bool add_special,
                        tokenizer_ids *out)
{
    size_t from = 0, n = ids->n, whole = 0;
    const size_t max_text = p->max_length - (add_special ? p->n_added : 0);
    if (p->truncates && n > max_text) {
        if (p->from_left) from = n - max_text;
        n = max_text;
    }
    for (size_t i = 0; i < p->parts.n; i++) whole += p->parts.ids[i] == THE_TEXT ? n : add_special ? 1 : 0;
    const size_t pads = count_pads(p, whole);
    if (p->pads_left && !put_pads(p, pads, out)) return false;
    for (size_t i = 0; i < p->parts.n; i++) {
        const int32_t id = p->parts.ids[i];
        if (id == THE_TEXT ? n > 0 && !tokenizer_ids_append(out, ids->ids + from, n)
                           : add_special && !tokenizer_ids_push(out, id))
            return false;
    }
    return p->pads_left || put_pads(p, pads, out);
}
