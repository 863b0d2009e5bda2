/* Faults of the tower of sounds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/fault.h"

/* Sinusoids go on from chunk to chunk. */
void fault_sound_positions_continued(plan *p)
{
    p->audio.table.period = INT32_MAX;
}

/* All rows of a sound attend to each other. */
void fault_sound_windows_joined(plan *p)
{
    p->audio.window = INT32_MAX;
}

/* Every sound is beside one of a whole chunk, as in a batch that the published tower encodes together. */
size_t fault_sound_padding_seen(const plan_sound *sound, size_t n_frames, size_t n)
{
    (void)n_frames;
    (void)n;
    return sound->chunk;
}

/* Each chunk is a sound of its own. */
size_t fault_sound_padding_left_out(const plan_sound *sound, size_t n_frames, size_t n)
{
    (void)sound;
    (void)n_frames;
    return n;
}
