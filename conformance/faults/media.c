/* Faults of the time of videos and of the tower of audio clips.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/fault.h"

enum { AXES = ROPE_AXES_MAX };

/* Seconds are ignored: a frame is one position after the one before. */
int32_t fault_frames_counted(const medium *m, size_t frame)
{
    (void)m;
    return (int32_t)frame;
}

/* The sample's media of a kind that begins first; NULL: none. */
static const medium_place *first_of(const media_list *list, assay_item_kind kind)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->place[i].kind == kind) return &list->place[i];
    return NULL;
}

/* What follows a video is placed after the larger side of its frames, as in Qwen2.5-VL, not after the last of
 * them. */
void fault_video_overtaken(const plan *p, const media_list *list, size_t n, int32_t *position)
{
    const size_t side = plan_tower_block(&p->vision);
    for (size_t i = 0; i < list->n; i++) {
        const medium_place *video = &list->place[i];
        if (video->kind != ASSAY_ITEM_VIDEO) continue;
        const size_t *grid = medium_grid(video->medium);
        const size_t end = video->first + medium_tokens(video->medium),
                     larger = (grid[1] > grid[2] ? grid[1] : grid[2]) / side;
        const int32_t last = medium_time(video->medium, grid[0] - 1);
        const int32_t excess = last + 1 > (int32_t)larger ? last + 1 - (int32_t)larger : 0;
        for (size_t t = end * AXES; t < n * AXES; t++) position[t] -= excess;
    }
}

/* Positions are given as if all tokens of a video came before those of its audio clip. */
void fault_video_before_audio(const plan *p, const media_list *list, size_t n, int32_t *position)
{
    const size_t side = plan_tower_block(&p->vision);
    const medium_place *video = first_of(list, ASSAY_ITEM_VIDEO), *audio = first_of(list, ASSAY_ITEM_AUDIO);
    if (!video || !audio || audio->start != video->first) return;
    const size_t *grid = medium_grid(video->medium), columns = grid[2] / side,
                 n_frame = grid[1] / side * columns, n_video = medium_tokens(video->medium);
    const int32_t start = position[video->first * AXES];
    for (size_t i = 0; i < n_video + medium_tokens(audio->medium) && video->first + i < n; i++) {
        int32_t *out = position + (video->first + i) * AXES;
        for (size_t a = 0; a < AXES; a++) out[a] = start + (int32_t)(i - n_video);
        if (i >= n_video) continue;
        out[0] = out[3] = start + medium_time(video->medium, i / n_frame);
        out[1] = start + (int32_t)(i % n_frame / columns);
        out[2] = start + (int32_t)(i % n_frame % columns);
    }
}

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
