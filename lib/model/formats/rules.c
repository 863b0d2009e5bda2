/* SPDX-License-Identifier: Apache-2.0 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "model/formats/rules.h"

#include <fnmatch.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"

/* A pattern of a config is untrusted: one that needs more steps than this on a path matches nothing. */
enum { STEPS_MAX = 100000, TEXT_MAX = 1024 };

/* transformers matches up to the end of a name between dots. */
static pcre2_code *compile_text(const rule *r)
{
    char published[TEXT_MAX + 64];
    int error;
    PCRE2_SIZE offset;
    const char *text = r->text;
    if (r->match == RULE_PUBLISHED) {
        (void)snprintf(published, sizeof published, "(?:%s)(?:(?<=\\.)|(?=\\.|$))", r->text);
        text = published;
    }
    return pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, PCRE2_ANCHORED | PCRE2_UTF, &error, &offset,
                         NULL);
}

void rules_add(rules *all, config *c, const char *member, rule_match match, const char *text,
               const format_module *module)
{
    if (c->status != ASSAY_OK) return;
    rule r = {.match = match, .text = strdup(text), .module = *module};
    rule *grown = r.text ? grow_by_one(all->rule, all->n, sizeof *grown) : NULL;
    if (!grown) {
        free(r.text);
        config_fail(c, ASSAY_ENOMEM, "%s: out of memory", member);
        return;
    }
    all->rule = grown;
    all->rule[all->n++] = r;
    if (match != RULE_PUBLISHED && match != RULE_EXPRESSION) return;
    rule *added = &all->rule[all->n - 1];
    added->expression = strlen(text) <= TEXT_MAX ? compile_text(added) : NULL;
    if (!added->expression)
        config_fail(c, ASSAY_EFORMAT, "%s: found \"%.120s\", expected a regular expression", member, text);
}

void rules_add_list(rules *all, config *c, const char *member, rule_match match, const format_module *module)
{
    json_object *list = config_member(c, member);
    if (!list || c->status != ASSAY_OK) return;
    if (!json_object_is_type(list, json_type_array)) {
        config_fail_member(c, ASSAY_EFORMAT, member, "expected an array of strings");
        return;
    }
    for (size_t i = 0; c->status == ASSAY_OK && i < json_object_array_length(list); i++) {
        json_object *text = json_object_array_get_idx(list, i);
        if (!json_object_is_type(text, json_type_string))
            config_fail_member(c, ASSAY_EFORMAT, member, "expected an array of strings");
        else rules_add(all, c, member, match, json_object_get_string(text), module);
    }
}

static bool matches_expression(const rule *r, const char *path)
{
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    pcre2_match_data *found = pcre2_match_data_create(1, NULL);
    bool is_match = false;
    if (limits && found) {
        (void)pcre2_set_match_limit(limits, STEPS_MAX);
        is_match = pcre2_match(r->expression, (PCRE2_SPTR)path, strlen(path), 0, 0, found, limits) >= 0;
    }
    pcre2_match_data_free(found);
    pcre2_match_context_free(limits);
    return is_match;
}

static bool rule_matches(const rule *r, const char *path)
{
    switch (r->match) {
    case RULE_PATH: return strcmp(path, r->text) == 0;
    case RULE_PART: return strstr(path, r->text) != NULL;
    case RULE_PUBLISHED: return string_ends_with(path, r->text) || matches_expression(r, path);
    case RULE_WILDCARD: return fnmatch(r->text, path, FNM_NOESCAPE) == 0;
    case RULE_EXPRESSION: return matches_expression(r, path);
    case RULE_ALL: return true;
    }
    return false;
}

format_module rules_find(const rules *all, const char *path)
{
    for (size_t i = 0; i < all->n; i++)
        if (rule_matches(&all->rule[i], path)) return all->rule[i].module;
    return (format_module){0};
}

bool rules_any(const rules *all)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->rule[i].module.format) return true;
    return false;
}

void rules_free(rules *all)
{
    for (size_t i = 0; i < all->n; i++) {
        pcre2_code_free(all->rule[i].expression);
        free(all->rule[i].text);
    }
    free(all->rule);
    *all = (rules){0};
}
