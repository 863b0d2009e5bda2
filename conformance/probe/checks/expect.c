/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/expect.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "dialogue/reply.h"

static bool has_tools(const probe_prompt *p)
{
    return p->chat && json_object_object_get_ex(p->chat, "tools", NULL);
}

static assay_status parse_fields(const probe_truth *truth, const probe_prompt *p, probe_expected *out,
                                 assay_error *err)
{
    const assay_reply_options options = {.size = sizeof options,
                                         .thinking_off = p->chat && !p->thinks,
                                         .reasoning = truth->reasoning,
                                         .tools = has_tools(p) ? truth->tools : NULL};
    const assay_sink sink = conf_fields_sink(&out->fields);
    assay_reply *reply;
    assay_status rc = serve_reply_open(&options, &reply, err);
    if (rc != ASSAY_OK) return rc;
    if (out->special.n) rc = serve_reply_feed(reply, out->special.data, out->special.n, &sink, err);
    if (rc == ASSAY_OK) rc = serve_reply_end(reply, &sink, err);
    serve_reply_free(reply);
    if (rc == ASSAY_OK && out->fields.no_memory) rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    return rc;
}

assay_status probe_expect(const probe_truth *truth, const probe_prompt *p, size_t n_tokens,
                          probe_expected *out, assay_error *err)
{
    *out = (probe_expected){.n_tokens = n_tokens};
    assay_status rc = probe_vocab_decode(truth->vocab, p->greedy, n_tokens, true, &out->plain, err);
    if (rc == ASSAY_OK) rc = probe_vocab_decode(truth->vocab, p->greedy, n_tokens, false, &out->special, err);
    return rc == ASSAY_OK ? parse_fields(truth, p, out, err) : rc;
}

void probe_expected_free(probe_expected *e)
{
    buffer_free(&e->plain);
    buffer_free(&e->special);
    conf_fields_free(&e->fields);
}

static bool same_field(const char *name, const buffer *expected, const buffer *found, char *text, size_t size)
{
    return conf_field_same(name, conf_field_strip(buffer_text(expected)),
                           conf_field_strip(buffer_text(found)), text, size);
}

static bool same_calls(const conf_fields *expected, const probe_answer *a, char *text, size_t size)
{
    for (size_t i = 0; i < expected->n_calls && i < a->n_calls; i++) {
        const assay_text name = buffer_text(&expected->calls[i].name);
        if (!conf_field_same("the name of a call", name, buffer_text(&a->calls[i].name), text, size))
            return false;
        json_object *should = NULL, *is = NULL;
        const bool read = conf_field_parse(buffer_text(&expected->calls[i].arguments), &should) &&
                          conf_field_parse(buffer_text(&a->calls[i].arguments), &is);
        const bool same = read && json_equals(should, is, JSON_BY_VALUE);
        json_object_put(should);
        json_object_put(is);
        if (same) continue;
        (void)conf_field_same("the arguments of a call", buffer_text(&expected->calls[i].arguments),
                              buffer_text(&a->calls[i].arguments), text, size);
        return false;
    }
    if (expected->n_calls == a->n_calls) return true;
    (void)snprintf(text, size, "expected %zu calls, found %zu", expected->n_calls, a->n_calls);
    return false;
}

bool probe_expected_same(const probe_expected *e, probe_endpoint endpoint, const probe_answer *a, char *text,
                         size_t size)
{
    if (endpoint == PROBE_COMPLETIONS)
        return conf_field_same("text", buffer_text(&e->special), buffer_text(&a->content), text, size) ||
               conf_field_same("text", buffer_text(&e->plain), buffer_text(&a->content), text, size);
    if (e->fields.reasoning.n && a->reasoning.n == 0 && a->content.n &&
        memmem(a->content.data, a->content.n, e->fields.reasoning.data, e->fields.reasoning.n)) {
        (void)snprintf(text, size, "the reasoning is in content: found %.*s",
                       (int)(a->content.n < 200 ? a->content.n : 200), a->content.data);
        return false;
    }
    return same_field("content", &e->fields.content, &a->content, text, size) &&
           same_field("reasoning", &e->fields.reasoning, &a->reasoning, text, size) &&
           same_calls(&e->fields, a, text, size);
}

bool probe_expected_same_reasoning(const probe_expected *e, const probe_answer *a)
{
    char text[512];
    return same_field("reasoning", &e->fields.reasoning, &a->reasoning, text, sizeof text);
}

bool probe_expected_has_rows(const probe_expected *e, probe_endpoint endpoint)
{
    if (endpoint == PROBE_COMPLETIONS) return e->special.n > 0;
    return conf_field_strip(buffer_text(&e->fields.content)).n > 0;
}

bool probe_expected_find_content(const probe_truth *truth, const probe_prompt *p, const probe_expected *e,
                                 size_t *first, size_t *end)
{
    const assay_text content = conf_field_strip(buffer_text(&e->fields.content));
    const buffer *all = &e->special, *reasoning = &e->fields.reasoning;
    const char *from = reasoning->n ? memmem(all->data, all->n, reasoning->data, reasoning->n) : all->data;
    if (content.n == 0 || !from) return false;
    from += reasoning->n;
    const char *at = memmem(from, all->n - (size_t)(from - all->data), content.at, content.n);
    *first = SIZE_MAX;
    for (size_t k = 0; at && k < e->n_tokens; k++) {
        buffer text = {0};
        const bool read = probe_vocab_decode(truth->vocab, p->greedy, k + 1, false, &text, NULL) == ASSAY_OK;
        const size_t before = (size_t)(at - all->data), n = read ? text.n : 0;
        buffer_free(&text);
        if (n > before && *first == SIZE_MAX) *first = k;
        *end = k + 1;
        if (n >= before + content.n) return true;
    }
    return false;
}

bool probe_expected_begins(const probe_truth *truth, const probe_prompt *p, size_t n_tokens,
                           probe_endpoint endpoint, const probe_answer *a)
{
    probe_expected cut;
    char text[512];
    bool same = probe_expect(truth, p, n_tokens, &cut, NULL) == ASSAY_OK;
    same = same && probe_expected_same(&cut, endpoint, a, text, sizeof text);
    probe_expected_free(&cut);
    return same;
}
