/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/settings.h"

#include "base/error.h"
#include "base/json_scan.h"
#include "gguf/metadata.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SHOWN_MAX 60

static const char KEY_MODEL[] = "tokenizer.ggml.model", KEY_PRE[] = "tokenizer.ggml.pre";

static const char *const ROLE_KEYS[GGUF_N_ROLES] = {"bos", "eos", "unknown", "padding", "eot", "eom"};

static bool is(assay_text text, const char *expected)
{
    return text.n == strlen(expected) && memcmp(text.at, expected, text.n) == 0;
}

static assay_status fail_name(const gguf *f, const char *key, assay_text name, const char *expected,
                              assay_error *err)
{
    return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: key '%s': found \"%.*s\", expected %s", gguf_path(f), key,
                      json_scan_clip(name.at, name.n, SHOWN_MAX), name.at, expected);
}

static assay_status read_model(const gguf *f, gguf_settings *s, assay_error *err)
{
    assay_text model = {0}, pre = {"default", 7};
    assay_status rc = gguf_require(f, KEY_MODEL, err);
    if (rc == ASSAY_OK) rc = gguf_get_text(f, KEY_MODEL, &model, err);
    if (rc == ASSAY_OK) rc = gguf_get_text(f, KEY_PRE, &pre, err);
    if (rc != ASSAY_OK) return rc;
    s->from_scores = is(model, "llama");
    if (s->from_scores) return ASSAY_OK;
    if (is(model, "gemma4")) pre = model;
    else if (!is(model, "gpt2")) return fail_name(f, KEY_MODEL, model, "llama, gpt2 or gemma4", err);
    s->pre = gguf_pretokenizer_find(pre);
    return s->pre ? ASSAY_OK : fail_name(f, KEY_PRE, pre, "a pre-tokenizer of lib/gguf/pretokenizers.c", err);
}

/* SentencePiece has tokens for the first roles where the file does not name them. An id that has no token is
 * no role, as in llama.cpp (llama_vocab::impl::load, "bad special token"), whose converter writes Gemma's 107
 * whatever the vocabulary; the model's own bos and eos must exist. */
static assay_status read_role(const gguf *f, const gguf_vocabulary *v, gguf_role role, gguf_settings *s,
                              assay_error *err)
{
    static const uint64_t DEFAULTS[] = {[GGUF_BOS] = 1, [GGUF_EOS] = 2, [GGUF_UNK] = 0};
    char key[64];
    (void)snprintf(key, sizeof key, "tokenizer.ggml.%s_token_id", ROLE_KEYS[role]);
    uint64_t id = UINT64_MAX;
    const bool is_stated = gguf_get(f, key) != NULL;
    if (!is_stated && s->from_scores && role <= GGUF_UNK) id = DEFAULTS[role];
    const assay_status rc = gguf_get_unsigned(f, key, &id, err);
    if (rc != ASSAY_OK) return rc;
    if (is_stated && id >= v->n && role <= GGUF_EOS)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: key '%s': found %" PRIu64 ", expected the id of one of %zu tokens",
                          gguf_path(f), key, id, v->n);
    s->role[role] = id < v->n ? (int32_t)id : -1;
    return ASSAY_OK;
}

/* A token is added unless the file, or the pre-tokenizer, which names a default, says otherwise. */
static assay_status read_adding(const gguf *f, const char *name, bool by_default, int32_t id, bool *out,
                                assay_error *err)
{
    char key[64];
    bool adds = by_default && id >= 0;
    (void)snprintf(key, sizeof key, "tokenizer.ggml.add_%s_token", name);
    const assay_status rc = gguf_get_bool(f, key, &adds, err);
    if (rc != ASSAY_OK) return rc;
    if (adds && id < 0)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: key '%s': found true and no tokenizer.ggml.%s_token_id, expected one",
                          gguf_path(f), key, name);
    *out = adds;
    return ASSAY_OK;
}

/* The published tokenizers of phi-3 have control tokens that take the blanks after them, which the format
 * cannot say: llama.cpp knows them by the model's name. */
static assay_status read_stripping(const gguf *f, gguf_settings *s, assay_error *err)
{
    assay_text name = {0};
    char text[128] = "";
    const assay_status rc = gguf_get_text(f, "general.name", &name, err);
    if (rc != ASSAY_OK || !name.at) return rc;
    (void)snprintf(text, sizeof text, "%.*s", (int)(name.n < sizeof text ? name.n : sizeof text - 1),
                   name.at);
    s->strips_right = strcasestr(text, "phi-3") || strcasestr(text, "phi3");
    return ASSAY_OK;
}

bool gguf_has_tokenizer(const gguf *f)
{
    assay_text model = {0};
    return gguf_get(f, KEY_MODEL) && (gguf_get_text(f, KEY_MODEL, &model, NULL) != ASSAY_OK ||
                                      !(is(model, "none") || is(model, "no_vocab")));
}

assay_status gguf_settings_read(const gguf *f, const gguf_vocabulary *v, gguf_settings *out, assay_error *err)
{
    gguf_settings s = {0};
    assay_status rc = read_model(f, &s, err);
    s.prefixes_blank = s.from_scores;
    for (gguf_role role = GGUF_BOS; rc == ASSAY_OK && role < GGUF_N_ROLES; role++)
        rc = read_role(f, v, role, &s, err);
    if (rc == ASSAY_OK) rc = gguf_get_bool(f, "tokenizer.ggml.add_space_prefix", &s.prefixes_blank, err);
    const bool adds_bos = s.from_scores || (s.pre && s.pre->flags & GGUF_PRE_ADDS_BOS);
    if (rc == ASSAY_OK) rc = read_adding(f, "bos", adds_bos, s.role[GGUF_BOS], &s.adds_bos, err);
    if (rc == ASSAY_OK) rc = read_adding(f, "eos", false, s.role[GGUF_EOS], &s.adds_eos, err);
    if (rc == ASSAY_OK) rc = read_stripping(f, &s, err);
    if (rc == ASSAY_OK) *out = s;
    return rc;
}
