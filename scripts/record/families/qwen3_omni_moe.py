"""Qwen3-Omni with experts, the part that reads images and audio clips and writes text (thinker): the decoder and the tower of
Qwen3-VL with experts, beside an audio tower."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import torch

from ..media.images import Grids
from ..variants.dims import pick
from ..variants.large import scores
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Groups, Variant
from ..variants.vision import FAINT, FAINT_RULES, LONG_TEXT, MLX_TOWER, RULES, convolution, made as made_tower
from ..variants.weights import around, fan_in
from . import qwen3_vl
from .qwen3_moe import draw_dims as draw_experts

BASE: Config = {
    **qwen3_vl.BASE, "num_hidden_layers": 2, "num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 14,
    "decoder_sparse_step": 1, "mlp_only_layers": [], "norm_topk_prob": True,
    "vision": {**qwen3_vl.BASE["vision"], "depth": 2, "deepstack_visual_indexes": [0, 1]},
    "audio": {
        "num_mel_bins": 11, "encoder_layers": 2, "encoder_attention_heads": 2, "encoder_ffn_dim": 26, "d_model": 20,
        "downsample_hidden_size": 5, "n_window": 50, "n_window_infer": 100, "max_source_positions": 13},
}
CASES = ("image", "images", "sound", "sounds", "media", "media-batch", "media-decode", "media-generate",
         "positions-media", "media-videos", "positions-media-videos")
SMALL: Config = {"num_hidden_layers": 2, "vocab_size": 53}
ONE_LAYER: Config = {"encoder_layers": 1}

# The features of an audio clip are as large as the embedding; a bias of a convolution is seen beyond the end of an audio clip
WEIGHT_RULES = (
    (r"visual\.blocks\.\d+\.mlp\.linear_fc1\.weight$", fan_in(2.0)),
    (r"audio_tower\.layers\.\d+\.fc1\.weight$", fan_in(1.0)),
    (r"audio_tower\.layers\.\d+\.fc2\.weight$", fan_in(8.0)),
    (r"conv2d\d\.weight$", convolution(1.5)),
    (r"conv2d\d\.bias$", around(0.0, 0.5)),
    *RULES,
)


def made(base: Config, name: str, catches: str, cases: tuple[str, ...], text: Config | None = None,
         vision: Config | None = None, audio: Config | None = None, outer: Config | None = None, **more) -> Variant:
    """A variant with both towers; text, vision, audio, outer: members that differ from base."""
    plain = {key: value for key, value in base.items() if key != "audio"}
    config = {**plain, **(text or {})}
    n = config["vocab_size"]
    audio_part = {"audio_config": {**base["audio"], "output_dim": config["hidden_size"], **(audio or {})},
              "position_id_per_seconds": 25, "audio_token_id": n - 7, "audio_start_token_id": n - 8, "audio_end_token_id": n - 9}
    return made_tower(plain, name, catches, cases, text, vision, {**audio_part, **(outer or {})}, **more)


def old_spelling(config: Config) -> Config:
    """The spelling of transformers 4: rope_theta and rope_scaling, and a tower without rope_parameters."""
    text, vision = dict(config["text_config"]), dict(config["vision_config"])
    rope = dict(text.pop("rope_parameters"))
    text |= {"rope_theta": rope.pop("rope_theta"), "rope_scaling": {**rope, "type": "default", "interleaved": True}}
    vision.pop("rope_parameters", None)
    return {**config, "text_config": text, "vision_config": vision}


def old_names(state: dict) -> dict:
    """The names of published files, without the thinker's own beginning."""
    def name(of: str) -> str:
        for long, short in (("model.language_model.", "model."), ("model.visual.", "visual."),
                            ("model.audio_tower.", "audio_tower.")):
            if of.startswith(long):
                return short + of[len(long):]
        return of
    return {name(of): tensor for of, tensor in state.items()}


def whole(config: Config, state: dict) -> tuple[Config, dict]:
    """The published model, without the weights of the parts that speak."""
    outer = {"model_type": "qwen3_omni_moe", "architectures": ["Qwen3OmniMoeForConditionalGeneration"],
             "torch_dtype": config.pop("torch_dtype"), "enable_audio_output": False, "thinker_config": config,
             "talker_config": {"text_config": config["text_config"], "code_predictor_config": {}}, "code2wav_config": {}}
    return outer, {f"thinker.{name}": tensor for name, tensor in state.items()}


def part_of(config: Config) -> Config:
    """The inverse of whole: the config of the part that writes text."""
    return config.get("thinker_config", config)


# mlx-vlm's beginnings and parts of names, in the order in which they become those of the published class
FROM_MLX = ((r"^thinker\.", ""), (r"^language_model\.lm_head", "lm_head"), (r"^language_model\.model\.", "model.language_model."),
            (r"^audio_tower\.", "model.audio_tower."), (r"^vision_tower\.", "model.visual."),
            (r"^model\.visual\.deepstack_merger_list\.", "model.visual.merger_list."))
MERGER = re.compile(r"(model\.visual\.merger(?:_list\.\d+)?\.)(norm|linear_fc1|linear_fc2)\.")
MERGER_PARTS = {"norm": "ln_q", "linear_fc1": "mlp.0", "linear_fc2": "mlp.2"}


def from_mlx(found: dict[str, Any]) -> dict[str, Any]:
    """mlx-vlm stores the whole model, with other names of the towers, and convolutions channels last. The values of the
    dict are tensors or, of group sizes, tuples."""
    def own(name: str) -> str:
        for pattern, to in FROM_MLX:
            name = re.sub(pattern, to, name)
        return MERGER.sub(lambda hit: f"{hit[1]}{MERGER_PARTS[hit[2]]}.", name)

    return {own(name): value.movedim(-1, 1).contiguous() if isinstance(value, torch.Tensor) and value.dim() == 4 else value
            for name, value in found.items()}


GELU_OF_3 = 2.99595


def no_first_channel(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """A convolution whose first channel is its bias."""
    weight = convolution(1.0)(rng, shape)
    weight[0] = 0
    return weight


def first_bias(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    bias = 0.3 * rng.standard_normal(shape)
    bias[0] = 3
    return bias


def without_sinusoids(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """The product after the convolutions, small, less the sinusoids at position 0, zeros and ones: a norm of the tower has
    small inputs there."""
    bins = shape[1] // BASE["audio"]["downsample_hidden_size"]
    weight = fan_in(FAINT)(rng, shape)
    weight[:, :bins] = 0
    weight[shape[0] // 2:, 0] = -1 / GELU_OF_3
    return weight


# Small additions in the audio tower, too
FAINT_AUDIO = (
    (r"conv2d3\.weight$", no_first_channel), (r"conv2d3\.bias$", first_bias), (r"conv_out\.weight$", without_sinusoids),
    (r"audio_tower\.layers\.\d+\.(fc2|self_attn\.out_proj)\.weight$", fan_in(FAINT)),
    (r"audio_tower\.(layers\.\d+\.(fc2|self_attn\.out_proj)|proj2)\.bias$", around(0.0, FAINT / 3)),
    (r"audio_tower\.proj2\.weight$", fan_in(FAINT)),
)


# Widths that are multiples of a group; routers are in groups of 64
GROUPED: Config = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 53,
                   "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "num_experts": 4,
                   "num_experts_per_tok": 2, "moe_intermediate_size": 32,
                   "rope_parameters": {**BASE["rope_parameters"], "mrope_section": [3, 3, 2]}}
GROUPED_TOWER: Config = {"depth": 1, "hidden_size": 16, "deepstack_visual_indexes": [0], **MLX_TOWER}
# Of the product after the convolutions, whose inputs are 4 bins of 8 channels, too
GROUPED_AUDIO: Config = {**ONE_LAYER, "d_model": 32, "encoder_attention_heads": 2, "encoder_ffn_dim": 40,
                         "num_mel_bins": 26, "downsample_hidden_size": 8}


def variants(base: Config) -> list[Variant]:
    published = {"spelling": "old", "experts": "split"}
    once = {"depth": 1, "deepstack_visual_indexes": [0]}
    return [
        made(base, "base", "A part of either tower, features given to the wrong tokens, DeepStack at a sound, chunks of a sound "
             "that see other sounds, or a position of mixed media", ("single", "batch", *CASES), **published, dtype="bfloat16",
             proves=("activations",)),
        made(base, "thinker", "The part alone, as transformers saves it, misread, shares of experts divided by their sum, or a "
             "layer of mlp_only_layers given experts", ("media-batch", "media-narrow"),
             {**SMALL, "mlp_only_layers": [0], "norm_topk_prob": False}, once, ONE_LAYER, dtype="bfloat16"),
        made(base, "windows", "Windows of several chunks, an even number of bins, another size of chunks, or a bias forgotten",
             ("sound-windows",), {**SMALL, "num_hidden_layers": 1, "attention_bias": True}, once,
             {"n_window_infer": 250, "num_mel_bins": 8, "n_window": 51, "encoder_attention_heads": 1,
              "downsample_hidden_size": 4, "max_source_positions": 20}, dtype="bfloat16", **published),
        made(base, "seconds", "Sounds among the tokens of a video, or positions a second, misplaced",
             ("videos-sound", "positions-videos-sound"), {**SMALL, "num_hidden_layers": 1}, once, ONE_LAYER,
             {"position_id_per_seconds": 3}, dtype="bfloat16", **published),
        made(base, "large-scores", "A softmax of the tower of sounds without its maximum: scores are above 88 and below -88", ("sound",),
             {**SMALL, "num_hidden_layers": 1, "mlp_only_layers": [0]}, once, ONE_LAYER, dtype="bfloat16", **published,
             weight_rules=scores(r"audio_tower\S*(q|k)_proj"), typical=True, typical_layers=True),
        made(base, "epsilons", "An epsilon of any norm", ("media",), SMALL,
             weight_rules=(*FAINT_AUDIO, *FAINT_RULES, (r"experts\.down_proj$", fan_in(FAINT))),
             dtype="bfloat16", proves=("epsilons",), **published),
        made(base, "mlx-4bit", "Towers in plain numbers beside experts in groups, a router read in their width, or the settings "
             "of groups looked for in thinker_config, where mlx-vlm does not write them", ("media-decode", "media-narrow"),
             {**GROUPED, "mlp_only_layers": [0]}, GROUPED_TOWER, ONE_LAYER, dtype="bfloat16", **published,
             groups=Groups(4, 32)),
        made(base, "mlx-8bit", "A tower in groups, or a matrix of it whose width is no multiple of the group size",
             ("media-narrow",), {**GROUPED, "num_hidden_layers": 1, "num_experts": 3, "num_attention_heads": 2, "num_key_value_heads": 1},
             {**GROUPED_TOWER, "hidden_size": 32, "intermediate_size": 40}, GROUPED_AUDIO, dtype="bfloat16", **published,
             weight_rules=((r"mlp\.gate\.weight$", fan_in(1.0)),),  # ties are rarer
             groups=Groups(8, 32, ((r"pos_embed", None), (r"qkv|self_attn\.[qv]_proj|switch_mlp\.up", {"bits": 4, "group_size": 32})),
                           towers=True)),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS, {**LONG_TEXT, "vocab_size": 17, "mlp_only_layers": [0]}, once,
             ONE_LAYER, dtype="bfloat16", **published),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    dims = qwen3_vl.draw_dims(rng)
    experts = draw_experts(rng)
    heads = pick(rng, (1, 2, 3))
    audio = {"num_mel_bins": int(rng.integers(5, 15)), "encoder_attention_heads": heads,
             "d_model": heads * pick(rng, (6, 8, 10)), "encoder_ffn_dim": int(rng.integers(17, 40)),
             "downsample_hidden_size": pick(rng, (2, 4, 5)), "n_window": pick(rng, (49, 50, 51, 52)),
             "n_window_infer": pick(rng, (104, 220, 400))}
    return {**dims, **{name: experts[name] for name in ("num_experts", "num_experts_per_tok")},
            "audio": {**BASE["audio"], **audio}}


def random(rng: np.random.Generator, base: Config) -> Variant:
    text = {"attention_bias": bool(rng.integers(2)), "norm_topk_prob": bool(rng.integers(2))}
    outer = {"position_id_per_seconds": pick(rng, (1, 2, 3, 5))}
    return made(base, "", "A misread tower", (), text, outer=outer, experts=pick(rng, ("fused", "split")))


FAMILY = Family(
    name="qwen3_omni_moe", config_class="Qwen3OmniMoeTextConfig", model_class="Qwen3OmniMoeThinkerForConditionalGeneration",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling, old_names=old_names, whole=whole,
    new_spelling=part_of, from_mlx=from_mlx, groups_from_mlx=from_mlx,
    weight_rules=WEIGHT_RULES, multimodal_config_class="Qwen3OmniMoeThinkerConfig",
    multimodal_model_class="Qwen3OmniMoeThinkerForConditionalGeneration", multimodal_config=lambda _config, _towers: {},
    pictures=Grids(seconds="video_second_per_grid", audio=True),
    saved=("base", "thinker", "windows"),
    published={
        "Qwen/Qwen3-Omni-30B-A3B-Instruct": ("base", {"": {
        "transformers_version": "4.57.0.dev0", "assistant_token_id": 77091, "im_end_token_id": 151645, "im_start_token_id": 151644,
        "system_token_id": 8948, "tts_bos_token_id": 151672, "tts_eos_token_id": 151673, "tts_pad_token_id": 151671, "user_token_id": 872},
        "thinker_config": {"seconds_per_chunk": 2},
        "thinker_config.vision_config": {
            "apply_vit_abs_pos_embed": True, "image_size": 768, "in_chans": 3, "spatial_patch_size": 4, "tokens_per_second": 2,
            "tie_word_embeddings": True, "torch_dtype": "float32"},
        "thinker_config.audio_config": {"encoder_layerdrop": 0.0, "num_hidden_layers": 2, "tie_word_embeddings": True, "torch_dtype": "float32"},
        "thinker_config.text_config": {
            "shared_expert_intermediate_size": 0, "tie_word_embeddings": False, "use_qk_norm": True, "use_sliding_window": False}}),
    },
)
