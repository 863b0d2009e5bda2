/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/tokenizer.h"

#include "base/error.h"
#include "base/json.h"
#include "base/json_escape.h"
#include "gguf/merges.h"
#include "gguf/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BLANK "\xe2\x96\x81" /* U+2581, which stands for a blank */

static void append_quoted(buffer *b, const char *text)
{
    json_append_quoted(b, (assay_text){text, strlen(text)});
}

static void append_token(buffer *b, const gguf_vocabulary *v, size_t id)
{
    char empty[32];
    assay_text text = v->token[id].text;
    if (text.n == 0) text = (assay_text){empty, (size_t)snprintf(empty, sizeof empty, GGUF_TOKEN_EMPTY, id)};
    json_append_quoted(b, text);
}

static void append_format(buffer *b, const char *format, size_t number)
{
    char text[64];
    (void)snprintf(text, sizeof text, format, number);
    buffer_append_string(b, text);
}

/* llama.cpp's exceptions from strips_right, by their texts. */
static bool strips(const gguf_settings *s, assay_text text)
{
    static const char *const NOT[] = {"<unk>", "<s>", "<|endoftext|>"};
    for (size_t i = 0; i < sizeof NOT / sizeof NOT[0]; i++)
        if (text.n == strlen(NOT[i]) && memcmp(text.at, NOT[i], text.n) == 0) return false;
    return s->strips_right;
}

static void append_added(buffer *b, const gguf_vocabulary *v, const gguf_settings *s)
{
    const char *separator = "";
    buffer_append_string(b, "\"added_tokens\":[");
    for (size_t i = 0; i < v->n; i++) {
        const gguf_token *t = &v->token[i];
        if (!gguf_token_is_added(t)) continue;
        buffer_append_string(b, separator);
        append_format(b, "{\"id\":%zu,\"content\":", i);
        append_token(b, v, i);
        buffer_append_string(b, ",\"single_word\":false,\"lstrip\":false,\"rstrip\":");
        buffer_append_string(b, strips(s, t->text) ? "true" : "false");
        buffer_append_string(b, ",\"normalized\":false,\"special\":");
        buffer_append_string(b, t->type == GGUF_TOKEN_USER ? "false}" : "true}");
        separator = ",";
    }
    buffer_append_string(b, "],");
}

static bool is_plain(const gguf_settings *s)
{
    return s->from_scores || s->pre->flags & GGUF_PRE_PLAIN;
}

static void append_normalizer(buffer *b, const gguf_settings *s)
{
    static const char REPLACE[] =
        "{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":\"" BLANK "\"}";
    buffer_append_string(b, "\"normalizer\":");
    if (is_plain(s) && s->prefixes_blank) {
        buffer_append_string(
            b, "{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Prepend\",\"prepend\":\"" BLANK "\"},");
        buffer_append_string(b, REPLACE);
        buffer_append_string(b, "]}");
    } else if (is_plain(s)) {
        buffer_append_string(b, REPLACE);
    } else {
        buffer_append_string(b, s->pre->flags & GGUF_PRE_NFC ? "{\"type\":\"NFC\"}" : "null");
    }
    buffer_append_string(b, ",");
}

static void append_pretokenizer(buffer *b, const gguf_settings *s)
{
    buffer_append_string(b, "\"pre_tokenizer\":");
    if (is_plain(s)) {
        buffer_append_string(b, "null,");
        return;
    }
    buffer_append_string(b, "{\"type\":\"Sequence\",\"pretokenizers\":[");
    for (size_t i = 0; i < GGUF_SPLITS_MAX && s->pre->splits[i]; i++) {
        buffer_append_string(b, "{\"type\":\"Split\",\"pattern\":{\"Regex\":");
        append_quoted(b, s->pre->splits[i]);
        buffer_append_string(b, "},\"behavior\":\"Isolated\",\"invert\":false},");
    }
    buffer_append_string(b, "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,"
                            "\"use_regex\":false}]},");
}

static void append_special(buffer *b, const gguf_vocabulary *v, int32_t id)
{
    buffer_append_string(b, "{\"SpecialToken\":{\"id\":");
    append_token(b, v, (size_t)id);
    buffer_append_string(b, ",\"type_id\":0}}");
}

/* One of the two templates: of one text, or of a pair. */
static void append_template(buffer *b, const gguf_vocabulary *v, const gguf_settings *s, const char *name,
                            const char *texts)
{
    append_quoted(b, name);
    buffer_append_string(b, ":[");
    for (const char *text = texts; *text; text++) {
        if (text > texts) buffer_append_string(b, ",");
        if (s->adds_bos) append_special(b, v, s->role[GGUF_BOS]);
        if (s->adds_bos) buffer_append_string(b, ",");
        buffer_append_string(b, "{\"Sequence\":{\"id\":\"");
        buffer_append(b, text, 1);
        buffer_append_string(b, *text == 'A' ? "\",\"type_id\":0}}" : "\",\"type_id\":1}}");
        if (s->adds_eos) buffer_append_string(b, ",");
        if (s->adds_eos) append_special(b, v, s->role[GGUF_EOS]);
    }
    buffer_append_string(b, "],");
}

static void append_template_token(buffer *b, const gguf_vocabulary *v, int32_t id, const char *separator)
{
    buffer_append_string(b, separator);
    append_token(b, v, (size_t)id);
    buffer_append_string(b, ":{\"id\":");
    append_token(b, v, (size_t)id);
    append_format(b, ",\"ids\":[%zu],\"tokens\":[", (size_t)id);
    append_token(b, v, (size_t)id);
    buffer_append_string(b, "]}");
}

static void append_post(buffer *b, const gguf_vocabulary *v, const gguf_settings *s)
{
    buffer_append_string(b, "\"post_processor\":");
    if (!s->adds_bos && !s->adds_eos) {
        buffer_append_string(b, "null,");
        return;
    }
    buffer_append_string(b, "{\"type\":\"TemplateProcessing\",");
    append_template(b, v, s, "single", "A");
    append_template(b, v, s, "pair", "AB");
    buffer_append_string(b, "\"special_tokens\":{");
    const bool is_same = s->adds_bos && s->role[GGUF_EOS] == s->role[GGUF_BOS];
    if (s->adds_bos) append_template_token(b, v, s->role[GGUF_BOS], "");
    if (s->adds_eos && !is_same) append_template_token(b, v, s->role[GGUF_EOS], s->adds_bos ? "," : "");
    buffer_append_string(b, "}},");
}

static void append_decoder(buffer *b, const gguf_settings *s)
{
    if (!is_plain(s)) {
        buffer_append_string(
            b, "\"decoder\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true,"
               "\"use_regex\":true},");
        return;
    }
    buffer_append_string(b,
                         "\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":"
                         "{\"String\":\"" BLANK "\"},\"content\":\" \"},{\"type\":\"ByteFallback\"},"
                         "{\"type\":\"Fuse\"}");
    if (s->prefixes_blank)
        buffer_append_string(b, ",{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}");
    buffer_append_string(b, "]},");
}

static void append_vocabulary(buffer *b, const gguf_vocabulary *v)
{
    buffer_append_string(b, ",\"vocab\":{");
    for (size_t i = 0; i < v->n && b->n <= JSON_SIZE_MAX; i++) {
        if (i > 0) buffer_append_string(b, ",");
        append_token(b, v, i);
        append_format(b, ":%zu", i);
    }
    buffer_append_string(b, "},\"merges\":");
}

static assay_status append_model(buffer *b, const gguf *f, const gguf_vocabulary *v, const gguf_settings *s,
                                 assay_error *err)
{
    const int32_t unknown = is_plain(s) ? s->role[GGUF_UNK] : -1;
    buffer_append_string(b, "\"model\":{\"type\":\"BPE\",\"dropout\":null,\"unk_token\":");
    if (unknown >= 0) append_token(b, v, (size_t)unknown);
    else buffer_append_string(b, "null");
    buffer_append_string(b, ",\"continuing_subword_prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":");
    buffer_append_string(b, is_plain(s) ? "true" : "false");
    buffer_append_string(b, ",\"byte_fallback\":");
    buffer_append_string(b, is_plain(s) ? "true" : "false");
    buffer_append_string(b, ",\"ignore_merges\":");
    buffer_append_string(b, s->pre && s->pre->flags & GGUF_PRE_IGNORES_MERGES ? "true" : "false");
    append_vocabulary(b, v);
    const assay_status rc = s->from_scores ? gguf_merges_derive(f, v, b, err) : gguf_merges_append(f, b, err);
    buffer_append_string(b, "}}");
    return rc;
}

static assay_status write_document(const gguf *f, const gguf_vocabulary *v, buffer *b, assay_error *err)
{
    gguf_settings s;
    const size_t begin = b->n;
    assay_status rc = gguf_settings_read(f, v, &s, err);
    if (rc != ASSAY_OK) return rc;
    buffer_append_string(b, "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,");
    append_added(b, v, &s);
    append_normalizer(b, &s);
    append_pretokenizer(b, &s);
    append_post(b, v, &s);
    append_decoder(b, &s);
    rc = append_model(b, f, v, &s, err);
    if (rc == ASSAY_OK && b->failed) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", gguf_path(f));
    if (rc == ASSAY_OK && b->n - begin > JSON_SIZE_MAX)
        rc = assay_fail(err, ASSAY_EUNSUPPORTED,
                        "%s: found a tokenizer of %zu bytes as tokenizer.json, expected at most %zu",
                        gguf_path(f), b->n - begin, JSON_SIZE_MAX);
    return rc;
}

assay_status gguf_tokenizer_write(const gguf *f, buffer *to, assay_error *err)
{
    gguf_vocabulary v;
    assay_status rc = gguf_vocabulary_read(f, &v, err);
    if (rc == ASSAY_OK) rc = write_document(f, &v, to, err);
    gguf_vocabulary_free(&v);
    return rc;
}
