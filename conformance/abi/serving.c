/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/serving.h"

#include <stddef.h>

#include "base/error.h"
#include "conformance/abi/module.h"
#include "conformance/abi/table.h"
#include "dialogue/table.h"

static const conf_table_member required[] = {
    CONF_TABLE_MEMBER(assay_serving, name),
    CONF_TABLE_MEMBER(assay_serving, version),
};

static const conf_table_kind kind = {
    .symbol = ASSAY_SERVING_SYMBOL,
    .missing = "it has no serving functions",
    .optional = true,
    .abi_name = "serving",
    .name = "its serving table",
    .abi = ASSAY_SERVING_ABI,
    .size_least = offsetof(assay_serving, stop_set) /* every function may be missing */,
    .size = sizeof(assay_serving),
    .required = required,
    .n_required = sizeof required / sizeof *required,
};

assay_status conf_serving_open(const char *path, const assay_serving **out, assay_error *err)
{
    const void *table;
    assay_status rc = conf_table_open(path, &kind, &table, err);
    if (rc == ASSAY_OK) *out = table;
    return rc;
}

bool conf_serving_is_standalone(const char *path)
{
    assay_engine_fn *engine;
    assay_serving_fn *serving;
    return conf_module_find(path, ASSAY_ENGINE_SYMBOL, &engine, NULL) == ASSAY_OK && !engine &&
           conf_module_find(path, ASSAY_SERVING_SYMBOL, &serving, NULL) == ASSAY_OK && serving;
}

bool conf_serving_has(const assay_serving *s, conf_serving_part part, const char **lacks)
{
    const struct {
        conf_serving_part part;
        bool present;
        const char *name;
    } members[] = {
        {CONF_SERVING_STOP_SET, s->stop_set != NULL, "stop_set"},
        {CONF_SERVING_REPLY, s->reply_open != NULL, "reply_open"},
        {CONF_SERVING_REPLY, s->reply_feed != NULL, "reply_feed"},
        {CONF_SERVING_REPLY, s->reply_end != NULL, "reply_end"},
        {CONF_SERVING_REPLY, s->reply_free != NULL, "reply_free"},
        {CONF_SERVING_TOKENIZER, s->tokenizer_open != NULL, "tokenizer_open"},
        {CONF_SERVING_TOKENIZER, s->tokenizer_free != NULL, "tokenizer_free"},
        {CONF_SERVING_TOKENIZER, s->encode != NULL, "encode"},
        {CONF_SERVING_TOKENIZER, s->decode != NULL, "decode"},
        {CONF_SERVING_DETOKENIZER, s->detokenizer_open != NULL, "detokenizer_open"},
        {CONF_SERVING_DETOKENIZER, s->detokenizer_push != NULL, "detokenizer_push"},
        {CONF_SERVING_DETOKENIZER, s->detokenizer_end != NULL, "detokenizer_end"},
        {CONF_SERVING_DETOKENIZER, s->detokenizer_free != NULL, "detokenizer_free"},
        {CONF_SERVING_COMPLETION, s->completion_open != NULL, "completion_open"},
        {CONF_SERVING_COMPLETION, s->completion_push != NULL, "completion_push"},
        {CONF_SERVING_COMPLETION, s->completion_free != NULL, "completion_free"},
        {CONF_SERVING_RESPONSE, s->response_open != NULL, "response_open"},
        {CONF_SERVING_RESPONSE, s->response_chunk != NULL, "response_chunk"},
        {CONF_SERVING_RESPONSE, s->response_fail != NULL, "response_fail"},
        {CONF_SERVING_RESPONSE, s->response_end != NULL, "response_end"},
        {CONF_SERVING_RESPONSE, s->response_free != NULL, "response_free"},
        {CONF_SERVING_TEMPLATE, s->template_render != NULL, "template_render"},
        {CONF_SERVING_IMAGE_SIZE, s->image_size != NULL, "image_size"},
        {CONF_SERVING_SOUND_SIZE, s->sound_size != NULL, "sound_size"},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (members[i].part != part || members[i].present) continue;
        *lacks = members[i].name;
        return false;
    }
    return true;
}

const assay_serving *conf_serving_offered(const char *module, conf_serving_part part, conf_verdict *v)
{
    const assay_serving *s = NULL;
    const char *lacks;
    assay_error err = {0};
    assay_status rc = conf_serving_open(module, &s, &err);
    if (rc != ASSAY_OK) {
        conf_verdict_set(v, rc == ASSAY_EUNSUPPORTED ? CONF_SKIPPED : CONF_BROKEN, "%s", err.text);
        return NULL;
    }
    if (conf_serving_has(s, part, &lacks)) return s;
    conf_verdict_set(v, CONF_SKIPPED, "its serving table lacks %s", lacks);
    return NULL;
}

assay_status conf_serving_choose(const char *engine, const conf_serving_part *parts, size_t n,
                                 const assay_serving **out, assay_error *err)
{
    const assay_serving *found = assay_serving_v2();
    const char *lacks;
    const assay_status rc = conf_serving_open(engine, &found, err);
    if (rc != ASSAY_OK && rc != ASSAY_EUNSUPPORTED) return rc;
    for (size_t i = 0; i < n; i++)
        if (!conf_serving_has(found, parts[i], &lacks))
            return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: its serving table lacks %s", engine, lacks);
    *out = found;
    return ASSAY_OK;
}
