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

static void change_epsilon(plan_norm *norm, fault_place place)
{
    if (norm->present && place == fault_planted()->place) norm->epsilon = norm->epsilon < 5e-6 ? 1e-5 : 1e-6;
}

void fault_sound_epsilon_at(plan *p)
{
    plan_tower *t = &p->audio;
    for (size_t i = 0; i < t->n_layers; i++) {
        change_epsilon(&t->layers[i].mixer_in, FAULT_SOUND_MIXER_IN);
        change_epsilon(&t->layers[i].mlp_in, FAULT_SOUND_MLP_IN);
    }
    change_epsilon(&t->out_norm, FAULT_SOUND_LAST);
}

static void change_gelu(assay_activation *activation, fault_place place)
{
    if (place == fault_planted()->place)
        *activation = *activation == ASSAY_GELU ? ASSAY_GELU_TANH : ASSAY_GELU;
}

void fault_sound_gelu_at(plan *p)
{
    plan_tower *t = &p->audio;
    for (size_t i = 0; i < t->n_layers; i++) change_gelu(&t->layers[i].mlp.activation, FAULT_SOUND_MLP);
    for (size_t i = 0; i < t->merger.n_steps; i++)
        if (t->merger.steps[i].kind == PLAN_MERGER_ACTIVATION)
            change_gelu(&t->merger.steps[i].activation, FAULT_SOUND_MERGER);
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
