/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/trait.h"

#include <string.h>

#include "conformance/probe/checks/characters.h"
#include "conformance/probe/checks/expect.h"
#include "conformance/probe/checks/spaces.h"
#include "conformance/probe/run/ask.h"

static bool is_certain(const probe_prompt *p)
{
    return p->ends && p->n_greedy > 0 && p->n_safe == p->n_greedy + 1;
}

static json_object *last_message(const probe_prompt *p)
{
    json_object *messages = NULL;
    if (!p->chat || !json_object_object_get_ex(p->chat, "messages", &messages)) return NULL;
    const size_t n = json_object_array_length(messages);
    return n ? json_object_array_get_idx(messages, n - 1) : NULL;
}

static bool has_tools(const probe_prompt *p)
{
    return p->chat && json_object_object_get_ex(p->chat, "tools", NULL);
}

/* Whether the last message is the result of a call. */
static bool has_result(const probe_prompt *p)
{
    json_object *role = NULL;
    (void)json_object_object_get_ex(last_message(p), "role", &role);
    return json_object_is_type(role, json_type_string) && strcmp(json_object_get_string(role), "tool") == 0;
}

bool probe_trait_natural(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    return probe_can_ask(r, e, p) && is_certain(p) && !has_tools(p);
}

bool probe_trait_reasoning(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    return probe_trait_natural(r, e, p) && p->thinks && r->truth->reasoning;
}

bool probe_trait_no_reasoning(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    return probe_trait_natural(r, e, p) && !p->thinks && r->truth->reasoning;
}

bool probe_trait_call(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    return probe_can_ask(r, e, p) && is_certain(p) && has_tools(p) && !has_result(p);
}

/* A second one, whose call must have an id of its own. */
bool probe_trait_other_call(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    bool other = false;
    for (const probe_prompt *q = r->truth->prompts; q < p && !other; q++) other = probe_trait_call(r, e, q);
    return other && probe_trait_call(r, e, p);
}

bool probe_trait_result(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    return probe_can_ask(r, e, p) && is_certain(p) && has_result(p);
}

bool probe_trait_characters(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    return probe_trait_natural(r, e, p) && probe_characters_cut(r->truth, p) > 0;
}

bool probe_trait_limit(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    return probe_can_ask(r, e, p) && p->n_greedy >= 4 && p->n_safe >= 4;
}

/* Whether every correct engine gives the whole answer, and that has the trait. */
static bool expects(const probe_run *r, probe_endpoint e, const probe_prompt *p,
                    bool (*has)(const probe_expected *expected))
{
    probe_expected expected;
    if (!probe_can_ask(r, e, p) || !is_certain(p)) return false;
    const bool found = probe_expect(r->truth, p, p->n_greedy, &expected, NULL) == ASSAY_OK && has(&expected);
    probe_expected_free(&expected);
    return found;
}

static bool has_calls(const probe_expected *expected)
{
    return expected->fields.n_calls > 0;
}

bool probe_trait_calls(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    return expects(r, e, p, has_calls);
}

static bool has_several_calls(const probe_expected *expected)
{
    return expected->fields.n_calls > 1;
}

bool probe_trait_several_calls(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    return expects(r, e, p, has_several_calls);
}

static bool has_empty_call(const probe_expected *expected)
{
    for (size_t i = 0; i < expected->fields.n_calls; i++) {
        json_object *arguments = NULL;
        const bool empty = conf_field_parse(buffer_text(&expected->fields.calls[i].arguments), &arguments) &&
                           json_object_is_type(arguments, json_type_object) &&
                           json_object_object_length(arguments) == 0;
        json_object_put(arguments);
        if (empty) return true;
    }
    return false;
}

bool probe_trait_empty_call(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    return expects(r, e, p, has_empty_call);
}

bool probe_trait_white_space(const probe_run *r, probe_endpoint e, const probe_prompt *p)
{
    return expects(r, e, p, probe_spaces_are_around);
}
