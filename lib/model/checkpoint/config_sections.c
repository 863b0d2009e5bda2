/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_sections.h"

#include <string.h>

#include "model/checkpoint/config_value.h"

enum { N_AXES = 3 }; /* of M-RoPE */

static const char SECTION[] = "mrope_section";
/* The member that states the order, and the one beside it in files of Qwen3-Omni. */
static const char *const INTERLEAVED[] = {"mrope_interleaved", "interleaved"};

static void check_sum(config *d, const rope *r)
{
    size_t sum = 0;
    for (size_t a = 0; a < rope_n_axes(r); a++) sum += r->section[a];
    if (d->status == ASSAY_OK && sum != r->dim / 2)
        config_fail(d, ASSAY_EFORMAT,
                    "mrope_section: found a sum of %zu, expected %zu, half of the rotating part", sum,
                    r->dim / 2);
}

/* The tower's rope has each frequency twice, by row and by column. */
static void set_axial(config *d, rope *r)
{
    r->exponent_dim = r->dim / 2;
    if (d->status == ASSAY_OK && r->dim % 4 != 0)
        config_fail(d, ASSAY_EFORMAT, "rope: found heads of %zu elements, expected a multiple of 4", r->dim);
}

/* Reads mrope_section, or a list with its older name; both must agree. Returns whether one is stated. */
static bool read_sizes(config *d, const char *old_name, rope *r)
{
    const size_t n = rope_n_axes(r);
    size_t older[ROPE_AXES_MAX];
    const bool stated = config_sizes(d, SECTION, false, r->section, n);
    if (!old_name || !config_sizes(d, old_name, false, older, n)) return stated;
    if (stated && memcmp(older, r->section, n * sizeof *older) != 0)
        config_fail_member(d, ASSAY_EFORMAT, old_name, "but mrope_section next to it differs");
    memcpy(r->section, older, n * sizeof *older);
    return true;
}

void config_sections(config *d, rope_sections sections, const char *old_name,
                     const size_t fallback[ROPE_AXES_MAX], rope *r)
{
    r->sections = sections;
    if (sections == ROPE_SECTIONS_NONE) return;
    if (config_sections_are_axial(sections)) {
        set_axial(d, r);
        return;
    }
    const bool stated = read_sizes(d, old_name, r);
    if (!stated && fallback[0] == 0)
        config_fail(d, ASSAY_EFORMAT, "mrope_section: missing, expected a list of %zu sizes", rope_n_axes(r));
    if (!stated) {
        memcpy(r->section, fallback, sizeof r->section);
        if (d->status == ASSAY_OK)
            config_note(d->notes, "%smrope_section: absent, default [%zu, %zu, %zu] taken", d->prefix,
                        fallback[0], fallback[1], fallback[2]);
    }
    const bool interleaves = sections == ROPE_SECTIONS_INTERLEAVED;
    for (size_t i = 0; i < sizeof INTERLEAVED / sizeof *INTERLEAVED; i++)
        if (config_has(d, INTERLEAVED[i]) && config_flag_or(d, INTERLEAVED[i], interleaves) != interleaves)
            config_fail_member(d, ASSAY_EUNSUPPORTED, INTERLEAVED[i], "expected %s, as published",
                               interleaves ? "true" : "false");
    /* An interleaved default may be longer than the rotating part: the rest of it has no effect then. */
    if (stated || !interleaves) check_sum(d, r);
}

void config_sections_alone(config *d, const char *model_type, rope *r)
{
    if (!config_sizes(d, SECTION, false, r->section, N_AXES)) return;
    const bool interleaves = config_has(d, *INTERLEAVED) && config_flag_or(d, *INTERLEAVED, false);
    const bool ernie = strncmp(model_type, "ernie4_5", 8) == 0;
    r->sections = ernie         ? ROPE_SECTIONS_ALTERNATING
                  : interleaves ? ROPE_SECTIONS_INTERLEAVED
                                : ROPE_SECTIONS_CHUNKED;
    if (ernie) r->pairing = ROPE_PAIRS_ADJACENT;
    check_sum(d, r);
}
