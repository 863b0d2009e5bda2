/* The table of faults, and which of them is planted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/fault.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Cases of every family that cross positions 64, 128 and 256. */
#define LONG_SINGLE                                                                                          \
    "llama/lengths/long-single qwen2/lengths/long-single qwen3/lengths/long-single "                         \
    "qwen3_moe/lengths/long-single phi3/lengths/long-single gemma3n/lengths/long-single "                    \
    "gemma4/lengths/long-single olmo2/lengths/long-single granite/lengths/long-single "                      \
    "gemma2/lengths/long-single gemma/lengths/long-single "                                                  \
    "qwen3_5/lengths/long-single qwen3_5_moe/lengths/long-single"
#define LONG_CASES                                                                                           \
    LONG_SINGLE " "                                                                                          \
                "llama/lengths/long-batch qwen2/lengths/long-batch qwen3/lengths/long-batch "                \
                "qwen3_moe/lengths/long-batch phi3/lengths/long-batch gemma3n/lengths/long-batch "           \
                "gemma4/lengths/long-batch llama/lengths/long-generate qwen2/lengths/long-generate "         \
                "qwen3/lengths/long-generate qwen3_moe/lengths/long-generate phi3/lengths/long-generate "    \
                "gemma3n/lengths/long-generate gemma4/lengths/long-generate olmo2/lengths/long-batch "       \
                "granite/lengths/long-batch gemma2/lengths/long-batch olmo2/lengths/long-generate "          \
                "granite/lengths/long-generate gemma2/lengths/long-generate "                                \
                "gemma/lengths/long-batch gemma/lengths/long-generate "                                      \
                "qwen3_5/lengths/long-batch qwen3_5_moe/lengths/long-batch "                                 \
                "qwen3_5/lengths/long-generate qwen3_5_moe/lengths/long-generate"

const fault FAULTS[] = {
    {"padding-twice", "a decoded token is rotated as if the padding had to be subtracted once more",
     "qwen3/base/batch qwen3_vl/base/images-batch qwen2_vl/base/images-batch"
     " paddleocr_vl/base/images-batch ernie4_5_vl_moe/base/images-batch",
     "qwen3/base/single", .spared_manner = "whole", .position = fault_padding_twice},
    {"padding-never", "a decoded token is rotated as if the padding before it counted as positions",
     "qwen3/base/batch qwen3_vl/base/images-batch qwen2_vl/base/images-batch"
     " paddleocr_vl/base/images-batch ernie4_5_vl_moe/base/images-batch",
     "qwen3/base/single", .spared_manner = "whole", .position = fault_padding_never},
    {"counter-stays", "decoded tokens of the second sample are cached but not counted", "qwen3/base/batch",
     "qwen3/base/single", .after_steps = fault_counter_stays},
    {"window-wide", "a window shows one key too many", "phi3/window/window gemma4/dense/window",
     "phi3/base/batch", .plan = fault_window_wide},
    {"window-narrow", "a window shows one key too few", "phi3/window/window gemma4/dense/window",
     "phi3/base/batch", .plan = fault_window_narrow},
    {"blocks-causal", "the tokens of an image attend to no later tokens of it",
     "gemma4/blocks/blocks gemma4/blocks/blocks-steps gemma4/blocks/blocks-long gemma4/tower-blocks/images",
     "gemma4/placeholders/single", .plan = fault_blocks_causal},
    {"blocks-everywhere", "the tokens of an image attend to its later tokens in full layers, too",
     "gemma4/blocks/blocks gemma4/blocks/blocks-steps gemma4/blocks/blocks-long gemma4/tower-blocks/images",
     "gemma4/placeholders/single", .plan = fault_blocks_everywhere},
    {"rotating-early", "a decoded token overwrites the oldest key that it still sees",
     "phi3/window/window gemma4/dense/window qwen3/base/limit", "phi3/base/batch",
     .put = fault_rotating_early},
    {"sinks-dropped", "the attention sink tokens of a limited cache are dropped when the ring is full",
     "qwen3/base/limit llama/base/limit", "qwen3/base/batch", .limits = fault_sinks_dropped},
    {"sinks-overwritten", "each turn of the ring overwrites the last attention sink token of a limited cache",
     "qwen3/base/limit llama/base/limit", "phi3/window/window", .put = fault_sinks_overwritten},
    {"cache-bf16", "keys and values are rounded to bfloat16 in the cache", "qwen3/base/batch", "-",
     .put = fault_cache_bf16},
    {"page-early", "a page of a rotating cache is given back while one key of it is still seen",
     "gemma4/pages/pages", "gemma4/shared-kv/window", .advanced = fault_page_early},
    {"page-first", "the first position of a page also overwrites the last one of the page before it",
     LONG_CASES, "llama/base/limit", .put = fault_page_first},
    {"page-128", "pages have 128 positions, and the first of each also overwrites the one before it",
     LONG_CASES, "llama/base/limit", .put = fault_page_128},
    {"page-256", "pages have 256 positions, and the first of each also overwrites the one before it",
     LONG_CASES, "llama/base/limit", .put = fault_page_256},
    {"rope-late", "from position 36 on a token is rotated as if its position were one larger", LONG_SINGLE,
     "llama/base/limit", .rotated = fault_rope_late},
    {"rope-wraps", "positions are counted modulo 1024 where a token is rotated",
     "llama/lengths/prefill-1024 qwen2/lengths/prefill-1024 qwen3/lengths/prefill-1024 "
     "qwen3_moe/lengths/prefill-1024 phi3/lengths/prefill-1024 gemma3n/lengths/prefill-1024 "
     "gemma4/lengths/prefill-1024 llama/lengths/decode-1024 qwen2/lengths/decode-1024 "
     "qwen3/lengths/decode-1024 qwen3_moe/lengths/decode-1024 phi3/lengths/decode-1024 "
     "gemma3n/lengths/decode-1024 gemma4/lengths/decode-1024",
     "llama/lengths/long-single", .rotated = fault_rope_wraps},
    {"shared-first", "layers that share keys read those of the first layer of their kind, not of the last",
     "gemma4/shared-kv/single gemma3n/text/single", "gemma4/pages/pages", .plan = fault_shared_first},
    {"shared-trimmed", "layers that share keys read a cache that was trimmed to its window first",
     "gemma4/shared-kv/window gemma4/pages/pages", "gemma4/dense/window", .attends = fault_shared_trimmed},
    {"state-kept", "a sample joins in a slot that still holds the recurrent state of another one",
     "qwen3_5/base/single qwen3_5_moe/base/single", "qwen3/base/single", .left = fault_state_left,
     .reserved = fault_state_kept},
    {"inputs-short", "after a chunk of two tokens a convolution over four has lost the input before them",
     "qwen3_5/base/batch qwen3_5_moe/base/batch", "qwen3_5/base/batch", .spared_manner = "whole",
     .mixed = fault_inputs_short},
    {"gate-missing", "the output of attention is not multiplied by its gate",
     "qwen3_5/base/single qwen3_5_moe/base/single", "qwen3/base/single", .kernels = fault_gate_missing},
    {"shared-expert-missing", "a shared expert is left out", "qwen3_5_moe/base/single", "qwen3_5/base/single",
     .plan = fault_shared_expert_missing},
    {"shared-gate-missing", "a shared expert is added without its gate", "qwen3_5_moe/base/single",
     "qwen3_5/base/single", .plan = fault_shared_gate_missing},
    {"experts-of-text", "the tokens of an image are evaluated by the experts of text",
     "ernie4_5_vl_moe/base/image ernie4_5_vl_moe/base/images-batch", "ernie4_5_vl_moe/base/single",
     .plan = fault_experts_of_text},
    {"marks-of-text", "the marks of an image are evaluated by the experts of text",
     "ernie4_5_vl_moe/base/image", "ernie4_5_vl_moe/base/single", .plan = fault_marks_of_text},
    {"choice-bias-missing", "experts are chosen without their bias",
     "ernie4_5_vl_moe/base/single ernie4_5_vl_moe/base/image", "qwen3_moe/base/single",
     .plan = fault_choice_bias_missing},
    {"choice-bias-weighs", "the bias of a choice is also a part of the weight",
     "ernie4_5_vl_moe/base/single ernie4_5_vl_moe/base/image", "qwen3_moe/base/single",
     .choice = fault_bias_weighs},
    {"shares-as-they-are", "the probabilities of chosen experts are not divided by their sum",
     "ernie4_5_vl_moe/base/single qwen3_moe/base/single", "qwen3_moe/unnormalised/single",
     .plan = fault_shares_as_they_are},
    {"sum-floor-missing", "the probabilities of chosen experts are divided by their sum, however small it is",
     "ernie4_5_vl_moe/least-sum/single", "ernie4_5_vl_moe/base/single", .plan = fault_sum_floor_missing},
    {"slot-used", "a sample joins in a slot that still holds the cache of another one", "qwen3/base/single",
     "qwen3/base/single", .spared_manner = "whole", .joined = fault_slot_used},
    {"fork-writes-shared-page", "a copy of a sample and its origin write to the page that they share",
     "qwen3/base/single qwen3/base/batch", "qwen3/base/batch", .said = "with samples forked",
     .spared_manner = "rewind", .writes_shared = true},
    {"rewind-keeps-one", "a sample that is rewound keeps one token too many",
     "qwen3/base/single qwen3/base/batch", "qwen3/base/batch", .said = "with samples rewound",
     .spared_manner = "fork", .rewinds_short = true},
    {"late-joiner-position", "the first tokens of a sample are rotated as if they followed those of another",
     "qwen3/base/batch", "qwen3/base/batch", .spared_manner = "chunk-7", .begins = fault_late_noted,
     .placed = fault_late_placed},
    {"rest-counter-runs", "a sample that rests while others get tokens is counted on, with a padding token",
     "qwen3/base/batch", "qwen3/base/batch", .said = "with half of the samples resting",
     .spared_manner = "late", .after_steps = fault_rest_padded},
    {"chunk-first-row-masked", "the first row of a chunk after the first sees one key too few",
     "qwen3/base/batch", "qwen3/base/batch", .said = "in chunks of 7 tokens", .spared_manner = "late",
     .attends = fault_chunks_noted, .views = fault_chunk_masked},
    {"cap-missing", "logits are not capped",
     "gemma4/softcap/single gemma3n/text/single gemma2/base/single gemma2/logit-cap/single",
     "gemma4/dense/single", .plan = fault_cap_missing},
    {"score-cap-missing", "attention scores are not capped",
     "gemma2/base/single gemma2/score-cap/single gemma2/defaults/window", "gemma2/logit-cap/single",
     .plan = fault_score_cap_missing},
    {"scale-of-head", "attention scores are divided by the root of the head size, whatever the config says",
     "gemma2/base/single granite/attention-multiplier/single granite/defaults/single gemma4/dense/single",
     "llama/base/single", .plan = fault_scale_of_head},
    {"embedding-unscaled", "the embedding is not scaled",
     "granite/embedding-multiplier/single gemma/base/single gemma2/base/single gemma4/dense/single",
     "granite/residual-multiplier/single", .plan = fault_embedding_unscaled},
    {"residual-plain", "what attention and MLP add is not multiplied",
     "granite/residual-multiplier/single "
     "granite/base/single",
     "granite/attention-multiplier/single", .plan = fault_residual_plain},
    {"logits-unscaled", "logits are not scaled", "granite/logits-scaling/single granite/base/single",
     "granite/attention-multiplier/single", .plan = fault_logits_unscaled},
    {"norms-per-head", "a norm over all heads is taken over each of them",
     "olmo2/base/single olmo2/mlx-4bit/single", "qwen3/base/single", .plan = fault_norms_per_head},
    {"norms-early", "norms after attention and MLP are taken before them", "olmo2/base/single",
     "gemma2/base/single", .plan = fault_norms_early},
    {"post-norms-missing", "norms after attention and MLP are left out",
     "olmo2/base/single gemma2/base/single gemma4/dense/single", "granite/base/single",
     .plan = fault_post_norms_missing},
    {"norm-offset-missing", "norms multiply by w instead of 1 + w",
     "gemma2/base/single gemma/base/single qwen3_5/base/single", "gemma4/dense/single",
     .plan = fault_norm_offset_missing},
    {"epsilon-other", "every norm has an epsilon of 1e-5",
     "olmo2/small-variance/single gemma/small-variance/single gemma2/small-variance/single "
     "qwen3_5/small-variance/single qwen3_5_moe/small-variance/single",
     "granite/small-variance/single", .plan = fault_epsilon_other, .epsilon = 1e-5},
    {"epsilon-other-low", "every norm has an epsilon of 1e-6", "granite/small-variance/single",
     "gemma/small-variance/single", .plan = fault_epsilon_other, .epsilon = 1e-6},
    {"epsilon-last", "the last norm has an epsilon of 1e-5",
     "olmo2/small-variance/single gemma/small-variance/single gemma2/small-variance/single "
     "qwen3_5/small-variance/single qwen3_5_moe/small-variance/single",
     "granite/small-variance/single", .plan = fault_epsilon_at, .place = FAULT_TEXT_LAST, .epsilon = 1e-5},
    {"epsilon-last-low", "the last norm has an epsilon of 1e-6", "granite/small-variance/single",
     "gemma/small-variance/single", .plan = fault_epsilon_at, .place = FAULT_TEXT_LAST, .epsilon = 1e-6},
    {"windows-swapped", "windows are in the layers that should have none",
     "gemma2/base/window gemma2/types/window", "llama/base/single", .plan = fault_windows_swapped},
    {"rope-plain", "scaled frequencies are replaced by plain ones",
     "llama/llama3/single llama/yarn/single phi3/longrope/long", "llama/base/single",
     .plan = fault_rope_plain},
    {"deepstack-dropped", "no layer gets features of an earlier layer of the tower",
     "qwen3_vl/base/image qwen3_vl_moe/base/image", "qwen2_vl/base/image", .plan = fault_deepstack_dropped},
    {"deepstack-unsliced", "the features of layers are taken from the first sample of the batch on",
     "qwen3_vl/base/images-batch", "qwen3_vl/base/image", .images.embedded = fault_deepstack_unsliced},
    {"deepstack-late", "the features of tower layer k are added one decoder layer too late",
     "qwen3_vl/base/image", "qwen2_vl/base/image", .plan = fault_deepstack_late,
     .images.deepstack = fault_deepstack_first_zero},
    {"delta-ignored", "a token after images is placed by the number of tokens before it",
     "qwen3_vl/base/images-decode qwen2_vl/base/images-decode qwen2_5_vl/base/images-decode "
     "paddleocr_vl/mlx-8bit/images-decode ernie4_5_vl_moe/mlx-8bit/images-decode",
     "qwen3_vl/base/batch", .placed = fault_delta_ignored},
    {"sides-undivided", "the position after an image is that after its patches, not after its tokens",
     "qwen3_vl/base/image qwen2_vl/base/image qwen2_5_vl/base/image paddleocr_vl/base/image "
     "ernie4_5_vl_moe/base/image",
     "qwen3_vl/base/batch", .images.positions = fault_positions_undivided},
    {"sections-chunked", "the frequencies of M-RoPE are divided in three parts instead of interleaved",
     "qwen3_vl/base/image", "qwen2_vl/base/image", .plan = fault_sections_chunked},
    {"sections-time-first", "the frequencies of M-RoPE are divided in three parts, time first",
     "ernie4_5_vl_moe/base/image", "ernie4_5_vl_moe/base/single", .plan = fault_sections_time_first},
    {"pairs-apart", "the pairs of a rope are i and i + half of the head, instead of adjacent elements",
     "ernie4_5_vl_moe/base/single", "qwen3_vl/base/image", .plan = fault_pairs_apart},
    {"tower-axes-swapped", "row and column of a patch are swapped in the rope of the tower",
     "qwen3_vl/base/image qwen2_vl/base/image qwen2_5_vl/base/image gemma4/tower/image "
     "paddleocr_vl/base/image ernie4_5_vl_moe/base/image",
     "qwen3_vl/base/batch", .plan = fault_tower_sections_swapped},
    {"corners-unaligned", "the table of positions is resampled without its corners", "qwen3_vl/base/image",
     "qwen2_vl/base/image", .plan = fault_corners},
    {"corners-aligned", "the table of positions is resampled with its corners aligned",
     "paddleocr_vl/base/image paddleocr_vl/merge-3/images", "qwen2_vl/base/image", .plan = fault_corners},
    {"table-bicubic", "the table of positions is resampled by four taps",
     "qwen3_vl/base/image paddleocr_vl/base/image", "qwen2_vl/base/image", .plan = fault_table_bicubic},
    {"table-bilinear", "the table of positions is resampled by two taps",
     "glm4v/base/image glm4v/merge-3/images", "qwen3_vl/base/image", .plan = fault_table_bilinear},
    {"taps-half", "the table of positions is resampled with a = -0.5",
     "glm4v/base/image glm4v/merge-3/images", "qwen3_vl/base/image", .images.taps = fault_taps_half},
    {"taps-zero", "taps outside of the table of positions are zero", "glm4v/base/image glm4v/merge-3/images",
     "qwen3_vl/base/image", .images.taps = fault_taps_zero},
    {"block-rows", "the weights of the convolution of a block are taken to have the channels last",
     "glm4v/base/image glm4v/merge-3/images glm_ocr/base/image", "qwen3_vl/base/batch",
     .plan = fault_block_rows},
    {"patches-in-blocks", "patches that are row by row are taken to be in the order of blocks",
     "paddleocr_vl/base/image paddleocr_vl/merge-3/images", "qwen2_vl/base/image",
     .plan = fault_patches_in_blocks},
    {"windows-left", "the patches of a token are taken in the order of the windows",
     "qwen2_5_vl/base/windows", "qwen2_5_vl/base/batch", .images.layout = fault_windows_left},
    {"features-previous", "a sample gets the features of the sample before it",
     "qwen3_vl/base/images-batch gemma4/tower/images-batch paddleocr_vl/base/images-batch "
     "glm4v/base/images-batch glm_ocr/base/images-batch ernie4_5_vl_moe/base/images-batch",
     "qwen3_vl/base/image", .spared_manner = "whole", .images.features = fault_features_previous},
    {"frames-outside", "the elements of a patch are taken frame by frame instead of channel by channel",
     "qwen3_vl/base/image qwen2_vl/base/image qwen2_5_vl/base/image qwen3_vl_moe/base/image glm4v/base/image "
     "glm_ocr/base/image",
     "qwen3_vl/base/batch", .plan = fault_patches_noted, .images.pixels = fault_frames_outside},
    {"frames-swapped", "the two frames of a patch are swapped", "qwen3_vl/base/videos", "qwen3_vl/base/image",
     .plan = fault_patches_noted, .images.pixels = fault_frames_swapped},
    {"gelu-merger", "the merger has the other GELU",
     "qwen3_vl/base/image qwen2_vl/base/image qwen2_5_vl/base/image paddleocr_vl/base/image glm4v/base/image "
     "glm_ocr/base/image ernie4_5_vl_moe/base/image",
     "qwen3_vl/base/batch", .plan = fault_gelu_at, .place = FAULT_MERGER},
    {"gelu-deepstack", "the mergers of DeepStack have the other GELU", "qwen3_vl/base/image",
     "qwen2_vl/base/image", .plan = fault_gelu_at, .place = FAULT_DEEPSTACK},
    {"gelu-tower", "the layers of the tower have the other GELU",
     "qwen3_vl/base/images qwen3_vl/base/images-batch qwen2_vl/base/image gemma4/tower/image "
     "paddleocr_vl/base/image paddleocr_vl/base/images-batch",
     "qwen2_5_vl/base/image", .plan = fault_gelu_at, .place = FAULT_TOWER_MLP},
    {"gelu-text", "the decoder layers have the other GELU",
     "gemma/base/single gemma2/base/single gemma4/dense/single", "qwen3/base/single", .plan = fault_gelu_at,
     .place = FAULT_TEXT_MLP},
    {"epsilon-text-attention", "the norm before attention has an epsilon of 1e-5",
     "qwen3_vl/epsilons/images gemma4/tower-epsilons/images qwen3_vl_moe/epsilons/images "
     "paddleocr_vl/epsilons/images glm4v/epsilons/images glm_ocr/epsilons/images",
     "qwen2_vl/epsilons/images", .plan = fault_epsilon_at, .place = FAULT_TEXT_MIXER_IN, .epsilon = 1e-5},
    {"epsilon-text-attention-low", "the norm before attention has an epsilon of 1e-6",
     "qwen2_vl/epsilons/images qwen2_5_vl/epsilons/images ernie4_5_vl_moe/epsilons/images",
     "qwen3_vl/epsilons/images", .plan = fault_epsilon_at, .place = FAULT_TEXT_MIXER_IN, .epsilon = 1e-6},
    {"epsilon-text-mlp", "the norm before the MLP has an epsilon of 1e-5",
     "qwen3_vl/epsilons/images gemma4/tower-epsilons/images qwen3_vl_moe/epsilons/images "
     "paddleocr_vl/epsilons/images glm4v/epsilons/images glm_ocr/epsilons/images",
     "qwen2_vl/epsilons/images", .plan = fault_epsilon_at, .place = FAULT_TEXT_MLP_IN, .epsilon = 1e-5},
    {"epsilon-text-mlp-low", "the norm before the MLP has an epsilon of 1e-6",
     "qwen2_vl/epsilons/images qwen2_5_vl/epsilons/images ernie4_5_vl_moe/epsilons/images",
     "qwen3_vl/epsilons/images", .plan = fault_epsilon_at, .place = FAULT_TEXT_MLP_IN, .epsilon = 1e-6},
    {"epsilon-text-last", "the last norm has an epsilon of 1e-5",
     "qwen3_vl/epsilons/images gemma4/tower-epsilons/images paddleocr_vl/epsilons/images "
     "glm4v/epsilons/images glm_ocr/epsilons/images",
     "qwen2_vl/epsilons/images", .plan = fault_epsilon_at, .place = FAULT_TEXT_LAST, .epsilon = 1e-5},
    {"epsilon-text-last-low", "the last norm has an epsilon of 1e-6",
     "qwen2_vl/epsilons/images qwen2_5_vl/epsilons/images ernie4_5_vl_moe/epsilons/images",
     "qwen3_vl/epsilons/images", .plan = fault_epsilon_at, .place = FAULT_TEXT_LAST, .epsilon = 1e-6},
    {"epsilon-text-query", "the norm of queries has another epsilon",
     "qwen3_vl/epsilons/images gemma4/tower-epsilons/images", "qwen2_vl/epsilons/images",
     .plan = fault_epsilon_at, .place = FAULT_TEXT_QUERY},
    {"epsilon-text-key", "the norm of keys has another epsilon",
     "qwen3_vl/epsilons/images gemma4/tower-epsilons/images", "qwen2_vl/epsilons/images",
     .plan = fault_epsilon_at, .place = FAULT_TEXT_KEY},
    {"epsilon-tower-attention", "the tower's norm before attention has another epsilon",
     "qwen3_vl/epsilons/images qwen2_vl/epsilons/images qwen2_5_vl/epsilons/images "
     "gemma4/tower-epsilons/images paddleocr_vl/epsilons/images glm4v/epsilons/images "
     "glm_ocr/epsilons/images ernie4_5_vl_moe/epsilons/images",
     "qwen3_vl/base/batch", .plan = fault_epsilon_at, .place = FAULT_TOWER_MIXER_IN},
    {"epsilon-tower-mlp", "the tower's norm before the MLP has another epsilon",
     "qwen3_vl/epsilons/images qwen2_vl/epsilons/images qwen2_5_vl/epsilons/images "
     "gemma4/tower-epsilons/images paddleocr_vl/epsilons/images glm4v/epsilons/images "
     "glm_ocr/epsilons/images ernie4_5_vl_moe/epsilons/images",
     "qwen3_vl/base/batch", .plan = fault_epsilon_at, .place = FAULT_TOWER_MLP_IN},
    {"epsilon-tower-last", "the norm after the last layer of the tower has another epsilon",
     "paddleocr_vl/epsilons/images glm4v/epsilons/images glm_ocr/epsilons/images "
     "ernie4_5_vl_moe/epsilons/images",
     "qwen3_vl/epsilons/images", .plan = fault_epsilon_at, .place = FAULT_TOWER_LAST},
    {"epsilon-merger", "the merger's norm has another epsilon",
     "qwen3_vl/epsilons/images qwen2_vl/epsilons/images qwen2_5_vl/epsilons/images "
     "gemma4/tower-epsilons/images paddleocr_vl/epsilons/images",
     "qwen3_vl/base/batch", .plan = fault_epsilon_at, .place = FAULT_MERGER},
    {"epsilon-merger-inner", "the norms after products of the merger have another epsilon",
     "glm4v/epsilons/images glm_ocr/epsilons/images ernie4_5_vl_moe/epsilons/images",
     "qwen3_vl/epsilons/images", .plan = fault_epsilon_at, .place = FAULT_MERGER_INNER},
    {"epsilon-tower-embedding", "the norm after the patch embedding has another epsilon",
     "glm4v/epsilons/images", "qwen3_vl/epsilons/images", .plan = fault_epsilon_at, .place = FAULT_TOWER_IN},
    {"epsilon-deepstack", "the norm of the mergers of DeepStack has another epsilon",
     "qwen3_vl/epsilons/images", "qwen3_vl/base/batch", .plan = fault_epsilon_at, .place = FAULT_DEEPSTACK},
    {"epsilon-text-after-attention", "the norm after attention has another epsilon",
     "gemma4/tower-epsilons/images glm4v/epsilons/images glm_ocr/epsilons/images", "qwen2_vl/epsilons/images",
     .plan = fault_epsilon_at, .place = FAULT_TEXT_MIXER_OUT},
    {"epsilon-text-after-mlp", "the norm after the MLP has another epsilon",
     "gemma4/tower-epsilons/images glm4v/epsilons/images glm_ocr/epsilons/images", "qwen2_vl/epsilons/images",
     .plan = fault_epsilon_at, .place = FAULT_TEXT_MLP_OUT},
    {"epsilon-tower-after-attention", "the tower's norm after attention has another epsilon",
     "gemma4/tower-epsilons/images", "gemma4/tower/batch", .plan = fault_epsilon_at,
     .place = FAULT_TOWER_MIXER_OUT},
    {"epsilon-tower-after-mlp", "the tower's norm after the MLP has another epsilon",
     "gemma4/tower-epsilons/images", "gemma4/tower/batch", .plan = fault_epsilon_at,
     .place = FAULT_TOWER_MLP_OUT},
    {"epsilon-tower-query", "the tower's norm of queries has another epsilon",
     "gemma4/tower-epsilons/images glm_ocr/epsilons/images", "gemma4/tower/batch", .plan = fault_epsilon_at,
     .place = FAULT_TOWER_QUERY},
    {"epsilon-tower-key", "the tower's norm of keys has another epsilon",
     "gemma4/tower-epsilons/images glm_ocr/epsilons/images", "gemma4/tower/batch", .plan = fault_epsilon_at,
     .place = FAULT_TOWER_KEY},
    {"epsilon-tower-value", "the tower's norm of values has another epsilon", "gemma4/tower-epsilons/images",
     "gemma4/tower/batch", .plan = fault_epsilon_at, .place = FAULT_TOWER_VALUE},
    {"tail-dropped", "the outputs of a product after its last whole tile are missing", "qwen3/base/single",
     "llama/mlx-4bit/single", .product = fault_tail_dropped},
    {"rows-swapped", "the decoded tokens of the first two samples are swapped", "qwen3/base/batch",
     "qwen3/base/single", .spared_manner = "whole", .before_steps = fault_rows_swapped},
    {"scale-shifted", "one group of one quantised row has the scale of the group before it",
     "llama/mlx-2bit/single llama/mlx-8bit/single", "llama/base/single", .plan = fault_scale_shifted},
    {"private-deferred", "the table of one rope is left deferred when the model is open",
     "llama/llama3/single", "llama/llama3/single", FAULT_SCHEDULES, "array 'ropes.0.inverse_frequency'",
     .forgets = fault_private_deferred},
    {"parameters-only", "when the model is open its parameters are realised, and nothing else",
     "phi3/longrope/long", "phi3/longrope/long", FAULT_SCHEDULES, "array 'ropes.0.short_inverse_frequency'",
     .forgets = fault_parameters_only},
    {"built-elsewhere", "arrays are put on a stream of the thread that loads the engine, not of the builder",
     "qwen3/base/single", "qwen3/base/single", FAULT_SCHEDULES,
     "There is no Stream(cpu, 0) in current thread.", .builds_elsewhere = true},
    {"default-shared", "all threads are given the default stream of the first", "threads/published",
     "qwen3/base/single", FAULT_VECTORS, "default_stream", .gives_default = fault_default_shared},
    {"error-dropped", "threads that wait for a stream do not receive its error", "threads/published",
     "qwen3/base/single", FAULT_VECTORS, "synchronize", .drops_errors = true},
    {"scratch-shared", "all sessions share the scratch memory of one", "qwen3/base/batch", "qwen3/base/batch",
     FAULT_SCHEDULES, "REPRO: assay schedule ", .shares_scratch = true},
    {"split-by-workers", "sums are split into as many parts as there are workers", "qwen3/base/single",
     "qwen3/base/single", FAULT_SCHEDULES, "ASSAY_WORKERS=", .norm = fault_split_by_workers},
    {"stop-tokenizer-only", "the stop set is read only from the tokenizer", "trained/gemma4/dialogues",
     "trained/qwen3/dialogues", FAULT_VECTORS, "expected 13 tokens, found 64",
     .stops_of = ASSAY_STOP_TOKENIZER},
    {"stop-generation-only", "the stop set is read only from generation_config.json", "serving/eos/published",
     "trained/gemma4/dialogues", FAULT_VECTORS, "found from generation_config.json",
     .stops_of = ASSAY_STOP_GENERATION_CONFIG},
    {"stop-in-text", "a reply contains the text of its stop token", "trained/gemma4/dialogues",
     "serving/eos/published", FAULT_VECTORS, "found \"…hannel|>It is 7.<turn|>\"", .tells_stop = true},
    {"prompt-uncounted", "the tokens of a prompt are reported as 0", "trained/gemma4/dialogues",
     "serving/reasoning/random", FAULT_VECTORS, "prompt_tokens: expected 16, found 0",
     .counts_no_prompt = true},
    {"parser-skipped", "reasoning is not parsed when thinking is off", "trained/gemma4/dialogues",
     "serving/reasoning/published", FAULT_VECTORS, "found \"<|channel>thought", .skips_parser = true},
    {"latch-implicit", "when thinking is off, a reply is parsed as if reasoning had begun",
     "trained/qwen3/dialogues", "serving/reasoning/published", FAULT_VECTORS,
     "content: expected \"It is 7.\", found null", .latches = true},
    {"marker-split", "a marker that is cut between deltas leaks", "trained/gemma4/dialogues",
     "serving/eos/published", FAULT_VECTORS, "found \"thought", .holds_nothing = true},
    {"tail-lost", "text held back at the end of a reply is lost", "serving/tools/published",
     "serving/eos/published", FAULT_VECTORS, "calls: expected 1, found 0", .drops_tail = true},
    {"block-twice", "a block of text is opened twice", "serving/events/random", "serving/reasoning/random",
     FAULT_VECTORS, "messages-block: found content_block_start while a block is open", .opens_twice = true},
    {"finish-twice", "the reason why a completion ended is given twice", "serving/events/random",
     "serving/reasoning/random", FAULT_VECTORS,
     "chat-after-finish: found more of a choice after its finish_reason", .finishes_twice = true},
    {"special-stripped", "special tokens are taken out of the text before its markers are looked for",
     "trained/gemma4/dialogues", "serving/events/random", FAULT_VECTORS, "found \"thought",
     .strips_special = true},
};
const size_t N_FAULTS = sizeof FAULTS / sizeof *FAULTS;

static const fault NOTHING = {.name = "none"};
static const fault *planted = &NOTHING;

const fault *fault_planted(void)
{
    return planted;
}

assay_status fault_plant(assay_error *err)
{
    const char *name = getenv("ASSAY_FAULT");
    planted = &NOTHING;
    if (!name || !*name) return ASSAY_OK;
    for (size_t i = 0; i < N_FAULTS; i++)
        if (strcmp(name, FAULTS[i].name) == 0) planted = &FAULTS[i];
    if (planted != &NOTHING) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL,
                      "ASSAY_FAULT: found \"%s\", expected a fault that conformance/faults/list prints",
                      name);
}
