/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/tests/vocabularies.h"

#include "base/tests/support.h"
#include "gguf/tests/writer.h"
#include "gguf/vocabulary.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static bool is(const char *defect, const char *name)
{
    return defect && strcmp(defect, name) == 0;
}

/* A tenth token, if the defect is in it. */
static void write_tenth(buffer *b, const char *defect)
{
    if (is(defect, "token twice")) {
        writer_text(b, "b");
    } else if (is(defect, "token for an empty one")) {
        writer_text(b, "");
        writer_text(b, "[EMPTY_9]");
    } else if (is(defect, "token with a zero")) {
        writer_u64(b, 2);
        writer_u16(b, 'x');
    } else if (is(defect, "token of other bytes")) {
        writer_text(b, "\xff");
    } else if (is(defect, "token too long")) {
        writer_u64(b, GGUF_TOKEN_MAX + 1);
        for (size_t i = 0; i <= GGUF_TOKEN_MAX; i++) writer_u8(b, 'x');
    }
}

static void write_tokens(buffer *b, const char *defect)
{
    static const char *const TOKENS[] = {"a", "b", "c", "Ġ", "ab", "Ġa", "Ġab", "<end>", "<x>"};
    const size_t n_more =
        defect && strncmp(defect, "token ", 6) == 0 ? 1 + is(defect, "token for an empty one") : 0;
    const bool is_empty = is(defect, "empty tokens");
    writer_array(b, is(defect, "no tokens") ? "unused" : "tokenizer.ggml.tokens", GGUF_TEXT,
                 is_empty ? 0 : 9 + n_more);
    for (size_t i = 0; i < 9 && !is_empty; i++)
        writer_text(b, i == 7 && is(defect, "normal end") ? "</s>" : TOKENS[i]);
    write_tenth(b, defect);
    writer_array(b, "tokenizer.ggml.token_type", GGUF_I32, is(defect, "few types") ? 2 : 9 + n_more);
    for (size_t i = 0; i < 9 + n_more && !(is(defect, "few types") && i == 2); i++)
        writer_u32(b, i == 7 && !is(defect, "normal end") ? GGUF_TOKEN_CONTROL
                      : i == 8                            ? GGUF_TOKEN_USER
                                                          : GGUF_TOKEN_NORMAL);
}

const char *vocabulary_bytes(const char *pre, const char *defect)
{
    buffer b = {0};
    writer_header(&b, 0, 9);
    writer_key_text(&b, "tokenizer.ggml.model", is(defect, "model") ? "rwkv" : "gpt2");
    writer_key_text(&b, "tokenizer.ggml.pre", is(defect, "pre") ? "whitespace" : pre);
    write_tokens(&b, defect);
    writer_array(&b, is(defect, "no merges") ? "no" : "tokenizer.ggml.merges", GGUF_TEXT, 3);
    writer_text(&b, "a b");
    writer_text(&b, "Ġ ab");
    writer_text(&b, is(defect, "merge") ? "ab" : is(defect, "merge ends") ? "a " : "Ġ a");
    writer_key_u32(&b, "tokenizer.ggml.eos_token_id", is(defect, "eos") ? 9 : 7);
    writer_key_u32(&b, "tokenizer.ggml.eot_token_id", 8);
    writer_key_text(&b, "tokenizer.chat_template", "{{ x }}");
    if (is(defect, "bos")) {
        writer_key(&b, "tokenizer.ggml.add_bos_token", GGUF_BOOL);
        writer_u8(&b, 1);
    } else if (is(defect, "bos is eos")) {
        writer_key_u32(&b, "tokenizer.ggml.bos_token_id", 7);
    } else {
        writer_array(&b, is(defect, "score") ? "tokenizer.ggml.scores" : "scores", GGUF_F32, 9);
        for (int i = 0; i < 9; i++) writer_f32(&b, i == 1 ? INFINITY : 0);
    }
    return writer_file(&b, "bytes.gguf");
}

static void write_false(buffer *b, const char *key)
{
    writer_key(b, key, GGUF_BOOL);
    writer_u8(b, 0);
}

const char *vocabulary_scores(const char *option)
{
    static const struct {
        const char *text;
        float score;
        uint32_t type;
    } TOKENS[] = {
        {"<unk>", 0, GGUF_TOKEN_UNKNOWN}, {"<s>", 0, GGUF_TOKEN_CONTROL}, {"</s>", 0, GGUF_TOKEN_CONTROL},
        {"▁", -9, GGUF_TOKEN_NORMAL},     {"a", -8, GGUF_TOKEN_NORMAL},   {"b", -7, GGUF_TOKEN_NORMAL},
        {"c", -6, GGUF_TOKEN_NORMAL},     {"ab", -1, GGUF_TOKEN_NORMAL},  {"▁ab", -3, GGUF_TOKEN_NORMAL},
        {"▁a", -2, GGUF_TOKEN_NORMAL},    {"<0x0A>", 0, GGUF_TOKEN_BYTE}, {"bc", -0.5F, GGUF_TOKEN_NORMAL}};
    const size_t n = sizeof TOKENS / sizeof TOKENS[0];
    buffer b = {0};
    writer_header(&b, 0, option ? 9 : 7);
    writer_key_text(&b, "tokenizer.ggml.model", "llama");
    writer_array(&b, "tokenizer.ggml.tokens", GGUF_TEXT, n);
    for (size_t i = 0; i < n; i++) writer_text(&b, TOKENS[i].text);
    writer_array(&b, "tokenizer.ggml.scores", GGUF_F32, n);
    for (size_t i = 0; i < n; i++) writer_f32(&b, TOKENS[i].score);
    writer_array(&b, "tokenizer.ggml.token_type", GGUF_I32, n);
    for (size_t i = 0; i < n; i++) writer_u32(&b, TOKENS[i].type);
    writer_key_text(&b, "tokenizer.chat_template", "d");
    writer_array(&b, "tokenizer.chat_templates", GGUF_TEXT, 1);
    writer_text(&b, "tool_use");
    writer_key_text(&b, "tokenizer.chat_template.tool_use", "t");
    if (option) {
        write_false(&b, "tokenizer.ggml.add_space_prefix");
        write_false(&b, "tokenizer.ggml.add_bos_token");
    }
    return writer_file(&b, "scores.gguf");
}

const char *vocabulary_none(void)
{
    buffer b = {0};
    writer_header(&b, 0, 1);
    writer_key_text(&b, "general.architecture", "llama");
    return writer_file(&b, "none.gguf");
}
