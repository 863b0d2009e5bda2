/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/spaces.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { SHOWN_MAX = 64 };

/* A field in the text of an answer, with the white space before and after it. begins, ends: the text begins
 * and ends with it. */
typedef struct place {
    assay_text before, core, after;
    bool begins, ends;
} place;

/* The white space at the beginning of a text, and at its end. */
static assay_text leading(assay_text text)
{
    const assay_text core = conf_field_strip(text);
    return (assay_text){text.at, core.n ? (size_t)(core.at - text.at) : text.n};
}

static assay_text trailing(assay_text text)
{
    const assay_text core = conf_field_strip(text);
    const size_t n = core.n ? (size_t)(text.at + text.n - (core.at + core.n)) : text.n;
    return (assay_text){text.at + text.n - n, n};
}

/* Finds a field in the text after `from`. False if it is empty, or not there once as it is: then its place is
 * unknown. */
static bool find_place(assay_text all, const char *from, const buffer *field, place *out)
{
    const assay_text core = conf_field_strip(buffer_text(field));
    const char *end = all.at + all.n,
               *at = core.n ? memmem(from, (size_t)(end - from), core.at, core.n) : NULL;
    if (!at || memmem(at + 1, (size_t)(end - at) - 1, core.at, core.n)) return false;
    const assay_text head = {all.at, (size_t)(at - all.at)},
                     tail = {at + core.n, (size_t)(end - at) - core.n};
    *out = (place){.before = trailing(head), .core = {at, core.n}, .after = leading(tail)};
    out->begins = out->before.n == head.n;
    out->ends = out->after.n == tail.n;
    return true;
}

/* White space as JSON writes it: "" if there is none. */
static void quote(assay_text space, char text[SHOWN_MAX])
{
    json_object *value = json_object_new_string_len(space.n ? space.at : "", (int)space.n);
    (void)snprintf(text, SHOWN_MAX, "%s", value ? json_object_to_json_string_ext(value, 0) : "");
    json_object_put(value);
}

static void report_spaces(const probe_comparison *c, const char *name, const place *p, assay_text before,
                          assay_text after, probe_grade grade)
{
    const assay_text spaces[] = {p->before, p->after, before, after};
    char shown[4][SHOWN_MAX];
    for (size_t i = 0; i < 4; i++) quote(spaces[i], shown[i]);
    (void)probe_comparison_report(c, "spaces", PROBE_FAILED, grade,
                                  "%s: expected %s before the text and %s after it, found %s and %s", name,
                                  shown[0], shown[1], shown[2], shown[3]);
}

/* False if the white space of a found field is wrong; the row is then in the report. */
static bool holds_spaces(const probe_comparison *c, const char *name, const place *p, const buffer *found)
{
    const assay_text text = buffer_text(found), core = conf_field_strip(text), before = leading(text),
                     after = trailing(text);
    if (core.n != p->core.n || memcmp(core.at, p->core.at, core.n) != 0) return true;
    const bool part = text_ends_with(p->before, before) && text_begins_with(p->after, after);
    if (part && (!p->begins || before.n == p->before.n) && (!p->ends || after.n == p->after.n)) return true;
    report_spaces(c, name, p, before, after, part ? PROBE_HABIT : PROBE_BREAKS);
    return false;
}

void probe_spaces_judge(const probe_comparison *c)
{
    const conf_fields *due = &c->expected->fields;
    const assay_text all = buffer_text(&c->expected->special);
    place reasoning, content;
    if (c->endpoint == PROBE_COMPLETIONS || all.n == 0) return;
    const bool thinks = find_place(all, all.at, &due->reasoning, &reasoning);
    const char *from = thinks ? reasoning.core.at + reasoning.core.n : all.at;
    if (thinks && !holds_spaces(c, "reasoning", &reasoning, &c->a->reasoning)) return;
    if (find_place(all, from, &due->content, &content) &&
        !holds_spaces(c, "content", &content, &c->a->content))
        return;
    (void)probe_comparison_report(c, "spaces", PROBE_OK, PROBE_BREAKS, "white space as the truth has it");
}

bool probe_spaces_are_around(const probe_expected *expected)
{
    const assay_text all = buffer_text(&expected->special);
    place p;
    return all.n > 0 && find_place(all, all.at, &expected->fields.content, &p) && p.begins && p.ends &&
           p.before.n > 0 && p.after.n > 0;
}
