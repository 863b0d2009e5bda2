/* How the frequencies of a rope are divided among axes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_CONFIG_SECTIONS_H
#define MODEL_CHECKPOINT_CONFIG_SECTIONS_H

#include "model/checkpoint/config.h"

/* Whether a rope with these sections is that of a tower. */
static inline bool config_sections_are_axial(rope_sections sections)
{
    return sections == ROPE_SECTIONS_ROW_COLUMN || sections == ROPE_SECTIONS_COLUMN_ROW;
}

/* Sets the sections of r, which has its size. CHUNKED, INTERLEAVED and DOUBLED: reads mrope_section, or an
 * older name of it (NULL: none), by default `fallback` (which begins with 0: it must be stated), and
 * mrope_interleaved, which must agree. NONE: nothing. d: the rope's own members. */
void config_sections(config *d, rope_sections sections, const char *old_name,
                     const size_t fallback[ROPE_AXES_MAX], rope *r);

/* Of a rope that stands alone: sections only where mrope_section is given, laid out as mrope_interleaved and
 * the model type say. */
void config_sections_alone(config *d, const char *model_type, rope *r);

#endif
