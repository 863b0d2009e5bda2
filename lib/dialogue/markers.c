/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/markers.h"

#include <assert.h>
#include <string.h>

#include "dialogue/reasoning/reasoning.h"
#include "dialogue/tools/formats.h"

/* Adds a marker that begins with a bracket and is longer than that; other markers can be words of an
 * answer. */
static void add_marker(serve_markers *to, const char *marker)
{
    if (!strchr("<[", marker[0]) || !marker[1]) return;
    for (size_t i = 0; i < to->n; i++)
        if (strcmp(to->at[i], marker) == 0) return;
    assert(to->n < SERVE_MARKERS_MAX);
    to->at[to->n++] = marker;
}

/* Adds the phases that a phase leads to. Returns whether one was new. */
static bool add_next_phases(const serve_reasoning_rules *rules, unsigned phase, uint64_t *known)
{
    const serve_phase *p = &rules->phases[phase];
    const uint64_t before = *known;
    if (p->text == SERVE_SPACE || p->text == SERVE_PREFACE) *known |= UINT64_C(1) << p->after;
    if (p->space != SERVE_NOTHING) *known |= UINT64_C(1) << p->spaced;
    for (size_t i = 0; i < SERVE_MARKS; i++)
        if (rules->marks[i].at && p->marks[i].as != SERVE_NOTHING) *known |= UINT64_C(1) << p->marks[i].to;
    return *known != before;
}

/* The phases that a reply can reach, as bits. */
static uint64_t find_phases(const serve_reasoning_rules *rules)
{
    uint64_t known = UINT64_C(1) << rules->first | UINT64_C(1) << rules->first_off;
    bool grown = true;
    while (grown) {
        grown = false;
        for (unsigned phase = 0; phase < 64; phase++)
            if (known >> phase & 1) grown = add_next_phases(rules, phase, &known) || grown;
    }
    return known;
}

assay_status serve_markers_of_reasoning(const char *name, serve_markers *out, assay_error *err)
{
    const serve_reasoning_rules *rules;
    assay_status rc = serve_reasoning_find(name, &rules, err);
    if (rc != ASSAY_OK) return rc;
    const uint64_t phases = find_phases(rules);
    *out = (serve_markers){0};
    for (size_t i = 0; i < SERVE_MARKS; i++)
        for (unsigned phase = 0; rules->marks[i].at && phase < 64; phase++)
            if (phases >> phase & 1 && rules->phases[phase].marks[i].as == SERVE_DROPPED)
                add_marker(out, rules->marks[i].at);
    return ASSAY_OK;
}

assay_status serve_markers_of_tools(const char *name, serve_markers *out, assay_error *err)
{
    const serve_tools_format *format;
    assay_status rc = serve_tools_find(name, &format, err);
    if (rc != ASSAY_OK) return rc;
    *out = (serve_markers){0};
    for (size_t i = 0; i < SERVE_OPENERS_MAX && format->openers[i]; i++) add_marker(out, format->openers[i]);
    for (size_t i = 0; i < SERVE_INNER_MAX && format->inner[i]; i++) add_marker(out, format->inner[i]);
    return ASSAY_OK;
}
