/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/pretokenizer.h"

#include "base/utf8.h"
#include "tokenizer/stage.h"
#include "tokenizer/text/chars.h"

#include <stdlib.h>
#include <string.h>

/* The built-in expression of ByteLevel, from GPT-2. */
static const char GPT2[] =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

void tokenizer_pretokenizer_free(tokenizer_pretokenizer *p)
{
    if (!p) return;
    for (size_t i = 0; i < p->n_stages; i++) tokenizer_pattern_free(p->stages[i].pattern);
    free(p);
}

/* Appends a stage of this kind, its other members zero; *out points to it. */
static assay_status add_stage(tokenizer_pretokenizer *t, const tokenizer_place *p, stage_kind kind,
                              stage **out, assay_error *err)
{
    if (t->n_stages == TOKENIZER_STAGES_MAX)
        return tokenizer_place_fail(p, err, ASSAY_EUNSUPPORTED, "found more than %d stages, expected no more",
                                    TOKENIZER_STAGES_MAX);
    t->stages[t->n_stages] = (stage){.kind = kind};
    *out = &t->stages[t->n_stages++];
    return ASSAY_OK;
}

static assay_status add_chars(tokenizer_pretokenizer *t, const tokenizer_place *p, bool (*is)(uint32_t),
                              stage_behavior behavior, assay_error *err)
{
    stage *s = NULL;
    const assay_status rc = add_stage(t, p, STAGE_SPLIT, &s, err);
    if (rc != ASSAY_OK) return rc;
    s->is = is;
    s->behavior = behavior;
    return ASSAY_OK;
}

static assay_status add_text(tokenizer_pretokenizer *t, const tokenizer_place *p, const char *text, size_t n,
                             stage_behavior behavior, assay_error *err)
{
    stage *s = NULL;
    const assay_status rc = add_stage(t, p, STAGE_SPLIT, &s, err);
    if (rc != ASSAY_OK) return rc;
    s->behavior = behavior;
    return tokenizer_pattern_open_text(p->path, text, n, &s->pattern, err);
}

static assay_status add_bare(tokenizer_pretokenizer *t, const tokenizer_place *p, stage_kind kind,
                             assay_error *err)
{
    stage *s = NULL;
    return add_stage(t, p, kind, &s, err);
}

/* The index *out of the value of p in names[0..n). */
static assay_status read_name(const tokenizer_place *p, const char *const *names, size_t n, size_t *out,
                              assay_error *err)
{
    const char *text;
    const assay_status rc = tokenizer_place_word(p, &text, err);
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return ASSAY_OK;
        }
    return tokenizer_place_fail(p, err, ASSAY_EUNSUPPORTED,
                                "found \"%.40s\", expected one of %zu names such as %s", text, n, names[0]);
}

static assay_status read_behavior(const tokenizer_place *p, stage_behavior *out, assay_error *err)
{
    static const char *const NAMES[] = {[STAGE_REMOVED] = "Removed",
                                        [STAGE_ISOLATED] = "Isolated",
                                        [STAGE_WITH_PREVIOUS] = "MergedWithPrevious",
                                        [STAGE_WITH_NEXT] = "MergedWithNext",
                                        [STAGE_CONTIGUOUS] = "Contiguous"};
    tokenizer_place member;
    size_t found = *out;
    assay_status rc = tokenizer_place_member(p, "behavior", &member, err);
    if (rc == ASSAY_OK && member.value)
        rc = read_name(&member, NAMES, sizeof NAMES / sizeof *NAMES, &found, err);
    if (rc == ASSAY_OK) *out = (stage_behavior)found;
    return rc;
}

static assay_status add_split(tokenizer_pretokenizer *t, const tokenizer_place *p, assay_error *err)
{
    tokenizer_place pattern, behavior;
    stage *s = NULL;
    assay_status rc = add_stage(t, p, STAGE_SPLIT, &s, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(p, "pattern", &pattern, err);
    if (rc == ASSAY_OK) rc = tokenizer_pattern_open(&pattern, &s->pattern, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(p, "behavior", &behavior, err);
    if (rc == ASSAY_OK && !behavior.value)
        rc = tokenizer_place_fail(&behavior, err, ASSAY_EFORMAT, "found nothing, expected a name");
    if (rc == ASSAY_OK) rc = read_behavior(p, &s->behavior, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_required_bool(p, "invert", &s->invert, err);
    return rc;
}

static assay_status add_bytes(tokenizer_pretokenizer *t, const tokenizer_place *p, assay_error *err)
{
    bool space, regex = true;
    stage *s = NULL;
    assay_status rc = tokenizer_place_required_bool(p, "add_prefix_space", &space, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member_bool(p, "use_regex", &regex, err);
    if (rc == ASSAY_OK && space) rc = add_bare(t, p, STAGE_SPACE, err);
    if (rc == ASSAY_OK && regex) {
        rc = add_stage(t, p, STAGE_SPLIT, &s, err);
        if (rc == ASSAY_OK) s->behavior = STAGE_ISOLATED;
        if (rc == ASSAY_OK) rc = tokenizer_pattern_open_regex(p->path, GPT2, &s->pattern, err);
    }
    return rc == ASSAY_OK ? add_bare(t, p, STAGE_BYTES, err) : rc;
}

static assay_status read_scheme(const tokenizer_place *p, stage_scheme *out, assay_error *err)
{
    static const char *const NAMES[] = {
        [STAGE_FIRST] = "first", [STAGE_NEVER] = "never", [STAGE_ALWAYS] = "always"};
    tokenizer_place scheme, space;
    size_t found = STAGE_ALWAYS;
    bool add_space = true;
    assay_status rc = tokenizer_place_member(p, "prepend_scheme", &scheme, err);
    if (rc == ASSAY_OK && scheme.value)
        rc = read_name(&scheme, NAMES, sizeof NAMES / sizeof *NAMES, &found, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(p, "add_prefix_space", &space, err);
    if (rc == ASSAY_OK && space.value) rc = tokenizer_place_bool(&space, &add_space, err);
    if (rc == ASSAY_OK && !add_space && found != STAGE_NEVER)
        rc = tokenizer_place_fail(&space, err, ASSAY_EFORMAT,
                                  "found false, expected a prepend_scheme \"never\" with it");
    if (rc == ASSAY_OK) *out = (stage_scheme)found;
    return rc;
}

static assay_status add_meta(tokenizer_pretokenizer *t, const tokenizer_place *p, assay_error *err)
{
    tokenizer_place replacement;
    uint32_t c = 0;
    bool split = true;
    stage *s = NULL;
    assay_status rc = add_stage(t, p, STAGE_META, &s, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(p, "replacement", &replacement, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_char(&replacement, &c, err);
    if (rc == ASSAY_OK) rc = read_scheme(p, &s->scheme, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member_bool(p, "split", &split, err);
    if (rc != ASSAY_OK) return rc;
    s->n_replacement = utf8_encode(s->replacement, c);
    return split ? add_text(t, p, s->replacement, s->n_replacement, STAGE_WITH_NEXT, err) : ASSAY_OK;
}

static assay_status add_punctuation(tokenizer_pretokenizer *t, const tokenizer_place *p, assay_error *err)
{
    stage_behavior behavior = STAGE_ISOLATED;
    const assay_status rc = read_behavior(p, &behavior, err);
    return rc == ASSAY_OK ? add_chars(t, p, chars_is_punctuation, behavior, err) : rc;
}

static assay_status add_digits(tokenizer_pretokenizer *t, const tokenizer_place *p, assay_error *err)
{
    bool individual = false;
    const assay_status rc = tokenizer_place_required_bool(p, "individual_digits", &individual, err);
    if (rc != ASSAY_OK) return rc;
    return add_chars(t, p, chars_is_numeric, individual ? STAGE_ISOLATED : STAGE_CONTIGUOUS, err);
}

static assay_status add_delimiter(tokenizer_pretokenizer *t, const tokenizer_place *p, assay_error *err)
{
    tokenizer_place delimiter;
    uint32_t c;
    char text[4];
    assay_status rc = tokenizer_place_member(p, "delimiter", &delimiter, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_char(&delimiter, &c, err);
    return rc == ASSAY_OK ? add_text(t, p, text, utf8_encode(text, c), STAGE_REMOVED, err) : rc;
}

static assay_status add_length(tokenizer_pretokenizer *t, const tokenizer_place *p, assay_error *err)
{
    tokenizer_place length;
    int64_t found = 5;
    stage *s = NULL;
    assay_status rc = add_stage(t, p, STAGE_LENGTH, &s, err);
    if (rc == ASSAY_OK) rc = tokenizer_place_member(p, "length", &length, err);
    if (rc == ASSAY_OK && length.value) rc = tokenizer_place_count(&length, INT32_MAX, &found, err);
    if (rc == ASSAY_OK && found == 0)
        rc = tokenizer_place_fail(&length, err, ASSAY_EFORMAT, "found 0, expected more");
    if (rc == ASSAY_OK) s->length = (size_t)found;
    return rc;
}

static assay_status add_any(tokenizer_pretokenizer *t, const tokenizer_place *p, assay_error *err);

static assay_status add_sequence(tokenizer_pretokenizer *t, const tokenizer_place *p, assay_error *err)
{
    tokenizer_place list;
    size_t length = 0;
    assay_status rc = tokenizer_place_list(p, "pretokenizers", &list, &length, err);
    for (size_t i = 0; i < length && rc == ASSAY_OK; i++) {
        const tokenizer_place element = tokenizer_place_element(&list, i);
        rc = add_any(t, &element, err);
    }
    return rc;
}

static assay_status add_bert(tokenizer_pretokenizer *t, const tokenizer_place *p, assay_error *err)
{
    const assay_status rc = add_chars(t, p, chars_is_white, STAGE_REMOVED, err);
    return rc == ASSAY_OK ? add_chars(t, p, chars_is_punctuation, STAGE_ISOLATED, err) : rc;
}

enum {
    BERT,
    BYTE_LEVEL,
    DELIMITER,
    DIGITS,
    LENGTH,
    METASPACE,
    PUNCTUATION,
    SEQUENCE,
    SPLIT,
    WHITESPACE,
    WHITESPACE_SPLIT
};

static const char *const TYPES[] = {[BERT] = "BertPreTokenizer",
                                    [BYTE_LEVEL] = "ByteLevel",
                                    [DELIMITER] = "CharDelimiterSplit",
                                    [DIGITS] = "Digits",
                                    [LENGTH] = "FixedLength",
                                    [METASPACE] = "Metaspace",
                                    [PUNCTUATION] = "Punctuation",
                                    [SEQUENCE] = "Sequence",
                                    [SPLIT] = "Split",
                                    [WHITESPACE] = "Whitespace",
                                    [WHITESPACE_SPLIT] = "WhitespaceSplit"};

/* Recursion through nested sequences is bounded by JSON_DEPTH_MAX. */
static assay_status add_any(tokenizer_pretokenizer *t, const tokenizer_place *p, assay_error *err)
{
    size_t type;
    const assay_status rc = tokenizer_place_type(p, TYPES, sizeof TYPES / sizeof *TYPES, &type, err);
    if (rc != ASSAY_OK) return rc;
    switch (type) {
    case BERT: return add_bert(t, p, err);
    case BYTE_LEVEL: return add_bytes(t, p, err);
    case DELIMITER: return add_delimiter(t, p, err);
    case DIGITS: return add_digits(t, p, err);
    case LENGTH: return add_length(t, p, err);
    case METASPACE: return add_meta(t, p, err);
    case PUNCTUATION: return add_punctuation(t, p, err);
    case SEQUENCE: return add_sequence(t, p, err);
    case SPLIT: return add_split(t, p, err);
    case WHITESPACE: return add_bare(t, p, STAGE_WORDS, err);
    default: return add_chars(t, p, chars_is_white, STAGE_REMOVED, err);
    }
}

assay_status tokenizer_pretokenizer_open(const tokenizer_place *p, tokenizer_pretokenizer **out,
                                         assay_error *err)
{
    tokenizer_pretokenizer *t = calloc(1, sizeof *t);
    if (!t) return tokenizer_place_fail(p, err, ASSAY_ENOMEM, "out of memory");
    const assay_status rc = p->value ? add_any(t, p, err) : ASSAY_OK;
    if (rc == ASSAY_OK) *out = t;
    else tokenizer_pretokenizer_free(t);
    return rc;
}

bool tokenizer_pretokenizer_ends_in_bytes(const tokenizer_pretokenizer *p)
{
    return p->n_stages > 0 && p->stages[p->n_stages - 1].kind == STAGE_BYTES;
}

void tokenizer_pretokenizer_drop_byte_stage(tokenizer_pretokenizer *p)
{
    if (tokenizer_pretokenizer_ends_in_bytes(p)) p->n_stages--;
}
