/* Faults of the audio tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/fault.h"

/* Sinusoids go on from chunk to chunk. */
void fault_audio_positions_continued(plan *p)
{
    p->audio.table.period = INT32_MAX;
}

/* All rows of an audio clip attend to each other. */
void fault_audio_windows_joined(plan *p)
{
    p->audio.window = INT32_MAX;
}

/* Every audio clip is beside one of a whole chunk, as in a batch that the published tower encodes together.
 */
size_t fault_audio_padding_seen(const plan_audio *audio, size_t n_frames, size_t n)
{
    (void)n_frames;
    (void)n;
    return audio->chunk;
}

/* Each chunk is an audio clip of its own. */
size_t fault_audio_padding_left_out(const plan_audio *audio, size_t n_frames, size_t n)
{
    (void)audio;
    (void)n_frames;
    return n;
}
