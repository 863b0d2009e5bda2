/* Faults of images: the parts of a plan that they change, and what they do at the seams of seams_images.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_FAULTS_IMAGE_FAULT_H
#define CONFORMANCE_FAULTS_IMAGE_FAULT_H

#include "fastpath/pass.h"
#include "fastpath/session/sample.h"
#include "fastpath/tower/crops.h"
#include "fastpath/tower/layout.h"
#include "fastpath/tower/taps.h"

/* Norms and feed-forward parts of a plan. */
typedef enum fault_place {
    FAULT_NOWHERE,
    FAULT_TEXT_MIXER_IN,
    FAULT_TEXT_MLP_IN,
    FAULT_TEXT_MIXER_OUT,
    FAULT_TEXT_MLP_OUT,
    FAULT_TEXT_QUERY,
    FAULT_TEXT_KEY,
    FAULT_TEXT_DELTA, /* before the gate of the gated delta rule */
    FAULT_TEXT_LAST,
    FAULT_TOWER_IN, /* after the patch embedding */
    FAULT_TOWER_MIXER_IN,
    FAULT_TOWER_MLP_IN,
    FAULT_TOWER_MIXER_OUT,
    FAULT_TOWER_MLP_OUT,
    FAULT_TOWER_QUERY,
    FAULT_TOWER_KEY,
    FAULT_TOWER_VALUE,
    FAULT_TOWER_LAST,
    FAULT_MERGER,       /* before its first product, and its activations */
    FAULT_MERGER_INNER, /* after a product */
    FAULT_DEEPSTACK,
    FAULT_TEXT_MLP,
    FAULT_TOWER_MLP,      /* and the units of convolutional blocks */
    FAULT_CONV_UNIT,      /* after a convolution */
    FAULT_CONV_ATTENTION, /* before attention */
    FAULT_AUDIO_MIXER_IN, /* of the audio tower, as the rest */
    FAULT_AUDIO_MLP_IN,
    FAULT_AUDIO_LAST,
    FAULT_AUDIO_MLP,
    FAULT_AUDIO_MERGER
} fault_place;

/* What a fault does at each seam; NULL leaves the seam as it is. */
typedef struct fault_images {
    /* Changes the positions [n, ROPE_AXES_MAX] of all tokens of a sample. */
    void (*positions)(const plan *p, const media_list *list, size_t n, int32_t *position);
    /* Called after fp_layout_make. */
    void (*layout)(fp_layout *l);
    /* Changes the features of n tokens of a sample. */
    void (*features)(const fp_sample *one, size_t n, fp_placed *placed);
    /* Called once all embeddings of a pass have been replaced by features, before its first layer. */
    void (*embedded)(fp_pass *pass);
    /* Changes the features [n_tokens, width] of deepstack entry k. */
    void (*deepstack)(size_t k, float *out, size_t n_tokens, size_t width);
    /* Changes the taps of patch i of n of a table of positions. */
    void (*taps)(const plan_table *t, size_t i, size_t n, fp_taps *taps);
    /* Called after fp_tiles_rows. */
    void (*tiles)(fp_layout *l);
    /* Changes what n tokens of a sample see of its images. */
    void (*sees)(const fp_sample *one, size_t n, fp_sight *sight);
    /* Gates are taken without tanh. */
    bool gates_plain;
    /* The states of collected layers follow each other instead of being interleaved. */
    bool states_apart;
    /* Changes n rows of pixels. */
    void (*pixels)(double *rows, size_t n);
    /* Changes how the crops of an image are joined, after fp_crops_open; and a row [2, width] of the joined.
     */
    void (*crops)(fp_crops *c);
    void (*crop_row)(float *y, size_t width);
    /* Returns the temporal position of a frame of a video. */
    int32_t (*time)(const medium *m, size_t frame);
    /* Returns the frames that a chunk of n frames of an audio clip of n_frames is extended to. */
    size_t (*padded)(const plan_audio *audio, size_t n_frames, size_t n);
    /* Returns the zeros before the first pixel of an axis. */
    size_t (*padding)(const plan_convolution *c);
} fault_images;

/* Functions of the table that change plans. fault_epsilon_at and fault_gelu_at change the part that `place`
 * of the planted fault names. */
void fault_epsilon_at(plan *p);
void fault_gelu_at(plan *p);
void fault_sections_chunked(plan *p);
void fault_sections_time_first(plan *p);
void fault_pairs_apart(plan *p);
void fault_tower_sections_swapped(plan *p);
void fault_corners(plan *p);
void fault_table_bicubic(plan *p);
void fault_table_bilinear(plan *p);
void fault_block_rows(plan *p);
void fault_patches_in_blocks(plan *p);
void fault_deepstack_dropped(plan *p);
void fault_deepstack_late(plan *p);
void fault_patches_noted(plan *p);
void fault_alpha_ignored(plan *p);
void fault_pairs_together(plan *p);
void fault_norms_before_rope(plan *p);
void fault_newlines_padded(plan *p);
void fault_ends_swapped(plan *p);
void fault_margins_kept(plan *p);

void fault_conv_scales_dropped(plan *p);
void fault_conv_residual_dropped(plan *p);
void fault_conv_keys_whole(plan *p);
void fault_conv_keys_swapped(plan *p);
void fault_conv_level_early(plan *p);
void fault_id_table_dropped(plan *p);
void fault_id_table_soft(plan *p);
void fault_feature_factor_dropped(plan *p);

/* Functions of the table at the seams of images. */
void fault_newlines_missed(const plan *p, const media_list *list, size_t n, int32_t *position);
void fault_rows_first(const plan *p, const media_list *list, size_t n, int32_t *position);
void fault_images_unnumbered(const plan *p, const media_list *list, size_t n, int32_t *position);
void fault_advanced_by_side(const plan *p, const media_list *list, size_t n, int32_t *position);
size_t fault_conv_padding_even(const plan_convolution *c);
void fault_positions_undivided(const plan *p, const media_list *list, size_t n, int32_t *position);
int32_t fault_delta_ignored(const fp_run *run, int32_t position);
void fault_windows_left(fp_layout *l);
void fault_images_by_tokens(const fp_sample *one, size_t n, fp_placed *placed);
void fault_features_previous(const fp_sample *one, size_t n, fp_placed *placed);
void fault_deepstack_unsliced(fp_pass *pass);
void fault_deepstack_first_zero(size_t k, float *out, size_t n_tokens, size_t width);
void fault_taps_half(const plan_table *t, size_t i, size_t n, fp_taps *taps);
void fault_taps_zero(const plan_table *t, size_t i, size_t n, fp_taps *taps);
void fault_frames_outside(double *rows, size_t n);
void fault_states_late(plan *p);
void fault_padding_open(fp_layout *l);
void fault_mask_ended(const fp_sample *one, size_t n, fp_sight *sight);
void fault_images_kept(const fp_sample *one, size_t n, fp_sight *sight);
void fault_blind_narrow(const fp_sample *one, size_t n, fp_sight *sight);
void fault_blind_mlp(const fp_sample *one, size_t n, fp_sight *sight);
void fault_frames_swapped(double *rows, size_t n);
void fault_borders_half_up(fp_crops *c);
void fault_crops_first(float *y, size_t width);

/* Faults of the time of videos, and of the audio clips among their tokens. */
int32_t fault_frames_counted(const medium *m, size_t frame);
void fault_video_overtaken(const plan *p, const media_list *list, size_t n, int32_t *position);
void fault_video_before_audio(const plan *p, const media_list *list, size_t n, int32_t *position);

/* Faults of audio clips: of plans, and at their seam. */
void fault_audio_positions_continued(plan *p);
void fault_audio_windows_joined(plan *p);
size_t fault_audio_padding_seen(const plan_audio *audio, size_t n_frames, size_t n);
size_t fault_audio_padding_left_out(const plan_audio *audio, size_t n_frames, size_t n);

#endif
