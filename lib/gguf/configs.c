/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/configs.h"

#include "base/error.h"
#include "base/json_escape.h"
#include "base/json_scan.h"
#include "base/utf8.h"
#include "gguf/metadata.h"
#include "gguf/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 200 /* of a named template */

static const char KEY_TEMPLATE[] = "tokenizer.chat_template", KEY_TEMPLATES[] = "tokenizer.chat_templates";

static assay_status finish(const gguf *f, const buffer *b, assay_error *err)
{
    return b->failed ? assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", gguf_path(f)) : ASSAY_OK;
}

static void append_number(buffer *b, int32_t number)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%" PRId32, number);
    buffer_append_string(b, text);
}

static void append_bool(buffer *b, const char *name, bool value)
{
    buffer_append_string(b, name);
    buffer_append_string(b, value ? "true," : "false,");
}

/* Appends the members "bos_token": "<s>", … */
static void append_tokens(buffer *b, const gguf_vocabulary *v, const gguf_settings *s)
{
    static const char *const NAMES[] = {[GGUF_BOS] = "\"bos_token\":",
                                        [GGUF_EOS] = "\"eos_token\":",
                                        [GGUF_UNK] = "\"unk_token\":",
                                        [GGUF_PAD] = "\"pad_token\":"};
    for (gguf_role role = GGUF_BOS; role <= GGUF_PAD; role++) {
        if (s->role[role] < 0 || v->token[s->role[role]].text.n == 0) continue;
        buffer_append_string(b, NAMES[role]);
        json_append_quoted(b, v->token[s->role[role]].text);
        buffer_append(b, ",", 1);
    }
}

static bool is_listed(const gguf_settings *s, gguf_role before, int32_t id)
{
    for (gguf_role role = GGUF_BOS; role < before; role++)
        if (s->role[role] == id) return true;
    return false;
}

/* Gives the ids of the tokens that have a role, so that a reader needs no tokenizer.json to find them. */
static void append_decoder(buffer *b, const gguf_vocabulary *v, const gguf_settings *s)
{
    const char *separator = "";
    buffer_append_string(b, "\"added_tokens_decoder\":{");
    for (gguf_role role = GGUF_BOS; role < GGUF_N_ROLES; role++) {
        const int32_t id = s->role[role];
        if (id < 0 || v->token[id].text.n == 0 || is_listed(s, role, id)) continue;
        buffer_append_string(b, separator);
        buffer_append(b, "\"", 1);
        append_number(b, id);
        buffer_append_string(b, "\":{\"content\":");
        json_append_quoted(b, v->token[id].text);
        buffer_append_string(b,
                             ",\"lstrip\":false,\"normalized\":false,\"rstrip\":false,\"single_word\":false,"
                             "\"special\":true}");
        separator = ",";
    }
    buffer_append_string(b, "}");
}

/* Appends the value of a key, a template. */
static assay_status append_template(const gguf *f, const char *key, buffer *b, assay_error *err)
{
    assay_text text = {0};
    assay_status rc = gguf_require(f, key, err);
    if (rc == ASSAY_OK) rc = gguf_get_text(f, key, &text, err);
    if (rc != ASSAY_OK) return rc;
    if (utf8_valid_prefix(text.at, text.n) != text.n)
        return assay_fail(err, ASSAY_EFORMAT, "%s: key '%s': found bytes that are no UTF-8", gguf_path(f),
                          key);
    json_append_quoted(b, text);
    return ASSAY_OK;
}

static assay_status append_named(const gguf *f, assay_text name, buffer *b, assay_error *err)
{
    char key[NAME_MAX_BYTES + sizeof KEY_TEMPLATE + 1];
    if (name.n == 0 || name.n > NAME_MAX_BYTES || utf8_valid_prefix(name.at, name.n) != name.n ||
        memchr(name.at, '\0', name.n))
        return assay_fail(
            err, ASSAY_EFORMAT, "%s: key '%s': found the name \"%.*s\", expected 1 to %d bytes of UTF-8",
            gguf_path(f), KEY_TEMPLATES, json_scan_clip(name.at, name.n, 60), name.at, NAME_MAX_BYTES);
    (void)snprintf(key, sizeof key, "%s.%.*s", KEY_TEMPLATE, (int)name.n, name.at);
    buffer_append_string(b, "{\"name\":");
    json_append_quoted(b, name);
    buffer_append_string(b, ",\"template\":");
    const assay_status rc = append_template(f, key, b, err);
    buffer_append_string(b, "}");
    return rc;
}

static assay_status append_templates(const gguf *f, buffer *b, assay_error *err)
{
    const gguf_value *names = NULL;
    const bool has_default = gguf_get(f, KEY_TEMPLATE) != NULL;
    assay_status rc = gguf_get_texts(f, KEY_TEMPLATES, &names, err);
    if (rc != ASSAY_OK || (!has_default && !names)) return rc;
    buffer_append_string(b, ",\"chat_template\":");
    if (!names) return append_template(f, KEY_TEMPLATE, b, err);
    buffer_append_string(b, "[");
    if (has_default) {
        buffer_append_string(b, "{\"name\":\"default\",\"template\":");
        rc = append_template(f, KEY_TEMPLATE, b, err);
        buffer_append_string(b, "}");
    }
    gguf_texts next = gguf_value_texts(names);
    assay_text name;
    for (bool is_first = !has_default; rc == ASSAY_OK && gguf_texts_next(&next, &name); is_first = false) {
        if (!is_first) buffer_append(b, ",", 1);
        rc = append_named(f, name, b, err);
    }
    buffer_append_string(b, "]");
    return rc;
}

static assay_status read_settings(const gguf *f, gguf_vocabulary *v, gguf_settings *s, assay_error *err)
{
    const assay_status rc = gguf_vocabulary_read(f, v, err);
    return rc == ASSAY_OK ? gguf_settings_read(f, v, s, err) : rc;
}

assay_status gguf_tokenizer_config_write(const gguf *f, buffer *to, assay_error *err)
{
    gguf_vocabulary v;
    gguf_settings s;
    assay_status rc = read_settings(f, &v, &s, err);
    if (rc == ASSAY_OK) {
        buffer_append_string(to, "{\"tokenizer_class\":\"PreTrainedTokenizerFast\",");
        append_bool(to, "\"add_bos_token\":", s.adds_bos);
        append_bool(to, "\"add_eos_token\":", s.adds_eos);
        append_tokens(to, &v, &s);
        append_decoder(to, &v, &s);
        rc = append_templates(f, to, err);
        buffer_append_string(to, "}");
    }
    gguf_vocabulary_free(&v);
    return rc == ASSAY_OK ? finish(f, to, err) : rc;
}

static void append_id(buffer *b, const char *name, int32_t id)
{
    if (id < 0) return;
    buffer_append_string(b, name);
    append_number(b, id);
}

assay_status gguf_generation_config_write(const gguf *f, buffer *to, assay_error *err)
{
    static const gguf_role ENDS[] = {GGUF_EOS, GGUF_EOT, GGUF_EOM};
    gguf_vocabulary v;
    gguf_settings s;
    const assay_status rc = read_settings(f, &v, &s, err);
    if (rc == ASSAY_OK) {
        const char *separator = "";
        buffer_append_string(to, "{\"eos_token_id\":[");
        for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++) {
            if (s.role[ENDS[i]] < 0) continue;
            append_id(to, separator, s.role[ENDS[i]]);
            separator = ",";
        }
        buffer_append_string(to, "]");
        append_id(to, ",\"bos_token_id\":", s.role[GGUF_BOS]);
        append_id(to, ",\"pad_token_id\":", s.role[GGUF_PAD]);
        buffer_append_string(to, "}");
    }
    gguf_vocabulary_free(&v);
    return rc == ASSAY_OK ? finish(f, to, err) : rc;
}
