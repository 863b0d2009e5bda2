"""Gemma 3n: AltUp, LAuReL, sparse activations, per-layer inputs, shared KV; images through timm's MobileNetV5."""

from __future__ import annotations

import math
import re

import numpy as np
import torch

from ..media.images import Whole
from ..runs import timm_models
from ..variants.dims import attention_dims, pick
from ..variants.variant import STANDARD, Config, Family, Groups, Variant, layer_pattern, lengths, small
from ..variants.vision import FAINT, convolution
from ..variants.weights import RULES, around, draw_state, fan_in, unused_kv
from .gemma4 import WEIGHT_RULES as GEMMA4_RULES

BASE: Config = {
    "vocab_size": 107, "vocab_size_per_layer_input": 102, "hidden_size": 28,
    "intermediate_size": [45] * 6, "num_hidden_layers": 6, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 10, "sliding_window": 6, "rms_norm_eps": 1e-6,
    "max_position_embeddings": 512, "layer_types": layer_pattern(6, 3), "pad_token_id": 0,
    "hidden_size_per_layer_input": 6, "altup_num_inputs": 4, "altup_active_idx": 0,
    "laurel_rank": 11, "num_kv_shared_layers": 2, "final_logit_softcapping": 8.0,
    "activation_sparsity_pattern": [0.8, 0.6, 0.0, 0.0, 0.0, 0.0],
    "rope_parameters": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        "full_attention": {"rope_type": "default", "rope_theta": 1000000.0},
    },
}

# The router divides by the hidden size; coefficients near zero would leave the streams uncoupled.
WEIGHT_RULES = (
    *GEMMA4_RULES,
    (r"modality_router\.weight$",
     lambda rng, shape: around(0.0, 0.8 * math.sqrt(shape[1]))(rng, shape)),
    (r"(prediction|correction)_coefs\.weight$", around(0.0, 0.25)),
)

# For variants with many layers, because each layer amplifies the errors of the previous one.
CALM = ((r"(prediction|correction)_coefs\.weight$", around(0.0, 0.05)),)


# What every norm of the decoder is applied to is about as small as an epsilon's root. LAuReL adds the input of a layer after
# its first norm, so that this norm leaves little, too.
SMALL = (
    (r"embed_tokens\.weight$", fan_in(1e-3)),
    (r"model\.norm\.weight$", around(3000.0, 900.0)),  # the embedding is the head, too
    (r"(input_layernorm|post_\w+norm)\.weight$", around(1e-3, 3e-4)),
    (r"(o_proj|down_proj|per_layer_projection)\.weight$", fan_in(4e-3)),
    (r"per_layer_model_projection\.weight$", fan_in(4.0)),
    (r"(prediction|correction)_coefs\.weight$", around(0.0, 0.1)),
)


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng)
    n_layers = int(rng.integers(6, 8))
    sparse = [round(float(rng.uniform(0.5, 0.9)), 2)] * 2 + [0.0] * (n_layers - 2)
    return {**dims, "num_hidden_layers": n_layers, "layer_types": layer_pattern(n_layers, 3),
            "intermediate_size": [dims["intermediate_size"]] * n_layers,
            "vocab_size_per_layer_input": dims["vocab_size"] - 3,
            "activation_sparsity_pattern": sparse, "sliding_window": int(rng.integers(4, 9))}


def old_spelling(config: Config) -> Config:
    """The published spelling: rope_theta, rope_local_base_freq and a null rope_scaling."""
    config = dict(config)
    text = dict(config["text_config"]) if "text_config" in config else config
    rope = text.pop("rope_parameters")
    text |= {"rope_theta": rope["full_attention"]["rope_theta"],
             "rope_local_base_freq": rope["sliding_attention"]["rope_theta"], "rope_scaling": None}
    if text is not config:
        config["text_config"] = text
    return config


VISION: Config = {"model_type": "gemma3n_vision", "architecture": "mobilenetv5_300m_enc",
                  "hidden_size": 22, "vocab_size": 5, "rms_norm_eps": 1e-6,
                  "do_pooling": False, "num_classes": 2}
AUDIO: Config = {"hidden_size": 24, "input_feat_size": 16, "vocab_size": 3,
                 "conf_num_hidden_layers": 1, "conf_num_attention_heads": 2,
                 "conf_attention_chunk_size": 4, "conf_attention_context_left": 5,
                 "sscp_conv_channel_size": [6, 4], "conf_conv_kernel_size": 3}


def multimodal_config(text: Config, towers: bool) -> Config:
    """The members beside text_config. Without towers their configs are null. The towers' vocabularies follow
    the text's: the text model does not embed their ids. text empty: of a model with images, whose members are those
    of the variant."""
    if not text:
        return {}
    vision = VISION | {"vocab_offset": text["vocab_size"]}
    audio = AUDIO | {"vocab_offset": text["vocab_size"] + VISION["vocab_size"]}
    return {"architectures": ["Gemma3nForConditionalGeneration"], "model_type": "gemma3n",
            "vision_config": vision if towers else None,
            "audio_config": {"model_type": "gemma3n_audio", **audio} if towers else None,
            "tie_word_embeddings": text.get("tie_word_embeddings", True),
            "audio_soft_tokens_per_image": 12, "vision_soft_tokens_per_image": 16}


def extra_tensors(checkpoint, rng: np.random.Generator) -> dict[str, torch.Tensor]:
    """The tensors of a multimodal file besides those of the text model."""
    variant = checkpoint.variant
    if variant.wrapper == "text" or (checkpoint.pictures and not variant.config["num_kv_shared_layers"]):
        return {}
    made = unused_kv(checkpoint.truth.text, "model.language_model.layers", rng, variant.dtype)
    if checkpoint.pictures:
        return made
    return made | (tower_tensors(checkpoint, rng) if variant.wrapper == "towers" else {})


def tower_tensors(checkpoint, rng: np.random.Generator) -> dict[str, torch.Tensor]:
    """Weights of the audio tower and of both embedders, from their published modules, and the stem of the
    vision tower by name (its module would need timm, which the recorder does not require)."""
    from transformers import Gemma3nAudioConfig
    from transformers.models.gemma3n import modeling_gemma3n as published
    text, audio = checkpoint.config(), Gemma3nAudioConfig(**AUDIO)
    vision = type("VisionSizes", (), {**VISION, "vocab_offset": text.vocab_size})()
    parts = {"audio_tower": published.Gemma3nAudioEncoder(audio),
             "embed_audio": published.Gemma3nMultimodalEmbedder(audio, text),
             "embed_vision": published.Gemma3nMultimodalEmbedder(vision, text)}
    dtype = checkpoint.variant.dtype
    made = {f"model.{part}.{name}": tensor for part, module in parts.items()
            for name, tensor in draw_state(module, rng, dtype).items()}
    stem = "model.vision_tower.timm_model.conv_stem"
    for name, shape in {"conv.weight": (8, 3, 3, 3), "bn.weight": (8,)}.items():
        values = torch.from_numpy(RULES[-1][1](rng, shape).astype(np.float32))
        made[f"{stem}.{name}"] = values.to(next(iter(made.values())).dtype)
    return made


def edge(channels: int, ratio: float, stride: int = 1, kernel: int = 3) -> Config:
    """An edge residual, as timm lists it."""
    return {"block_type": "er", "out_chs": channels, "stride": stride, "act_layer": None, "exp_kernel_size": kernel,
            "pw_kernel_size": 1, "exp_ratio": ratio, "force_in_chs": 0, "se_ratio": 0.0, "noskip": False}


def inverted(channels: int, ratio: float, start: int = 0, mid: int = 0, stride: int = 1) -> Config:
    """A universal inverted residual; start, mid: kernels of its depthwise convolutions."""
    return {"block_type": "uir", "out_chs": channels, "stride": stride, "act_layer": None,
            "dw_kernel_size_start": start, "dw_kernel_size_mid": mid, "dw_kernel_size_end": 0, "exp_ratio": ratio,
            "se_ratio": 0.0, "noskip": False}


def attention(channels: int, heads: int, head_dim: int, key_stride: int) -> Config:
    """Mobile attention with one key and value head."""
    return {"block_type": "mqa", "out_chs": channels, "stride": 1, "act_layer": None, "dw_kernel_size": 3,
            "num_heads": heads, "key_dim": head_dim, "value_dim": head_dim, "kv_stride": key_stride, "noskip": False}


# All kinds of blocks of the published encoder, in three stages. 28 x 28 pixels become 14, 7, 4 and 2 wide: padding has
# unequal halves in the stem, the first edge residual, the last stage and the keys
BLOCKS = [[edge(24, 2.0, stride=2), edge(24, 1.0)],
          [inverted(8, 2.0, 3, 5, stride=2), inverted(8, 3.0, 5), inverted(8, 1.0), attention(8, 3, 4, 2),
           inverted(8, 2.0)],
          [inverted(8, 4.0, 5, 5, stride=2), attention(8, 2, 12, 1), inverted(8, 3.0)]]
FEATURES = 2048  # of the encoder, constant in timm's class
TOWER_RULES = (
    (r"\.conv\w*\.weight$|\.(conv|proj)\.weight$", convolution(1.3)),
    (r"layer_scale\.gamma$", around(0.5, 0.2)),
    (r"\.bn\d?\.weight$", around(1.0, 0.3)),
    (r"embed_vision\.embedding\.weight$", around(0.0, 1.0)),
)
# Every convolution leaves little, so that an epsilon matters to the norm after it. From the fusion on, a norm follows a
# norm: only where each leaves as little as its epsilon, the scale of one is not undone by the next.
FAINT_RULES = (
    (r"msfa\.ffn\.pw_proj\.bn\.weight$", around(1e-3, 3e-4)),
    (r"msfa\.norm\.weight$", around(2e-5, 6e-6)),
    (r"\.bn\d?\.weight$", around(FAINT, FAINT / 3)),
    (r"conv_stem\.conv\.bias$", around(0.0, FAINT / 3)),
    (r"attn\.(query|key)\.proj\.weight$", convolution(2.0)),
    (r"attn\.output\.proj\.weight$", convolution(1.0)),
    (r"timm_model\..*\.conv\w*\.weight$|\.(conv|down_conv|proj)\.weight$", convolution(FAINT)),
    (r"embed_vision\.embedding\.weight$", around(0.0, 1e-3)),
    (r"embedding_projection\.weight$", fan_in(1e-3)),
)


def pictured(base: Config, name: str, catches: str, cases: tuple[str, ...], text: Config | None = None, side: int = 2,
             weight_rules: tuple = (), stem: int = 8, blocks: list | None = None, **more) -> Variant:
    """A variant whose tower takes images. The last seven ids: that of the end of an image, of the image, three of the
    tower's table, and two of audio."""
    config = {**base, "vocab_size_per_layer_input": base["vocab_size"] - 9, **(text or {})}
    n = config["vocab_size"]
    vision = {"architecture": "mobilenetv5_300m_enc", "hidden_size": FEATURES, "vocab_size": 5, "vocab_offset": n - 7,
              "rms_norm_eps": 1e-6, "do_pooling": False,
              "model_args": {"block_args": blocks or BLOCKS, "stem_size": stem, "msfa_output_resolution": side}}
    outer = {"vision_config": vision, "audio_config": {**AUDIO, "vocab_size": 2, "vocab_offset": n - 2},
             "eoi_token_id": n - 7, "image_token_id": n - 6, "eoa_token_id": n - 2, "audio_token_id": n - 1,
             "boi_token_id": n - 8, "boa_token_id": n - 9, "vision_soft_tokens_per_image": side * side,
             "audio_soft_tokens_per_image": 12}
    return Variant(name, config, catches, cases, wrapper="towers", weight_rules=(*weight_rules, *TOWER_RULES),
                   outer=outer, **{"dtype": "bfloat16", **more})


def from_mlx(found: dict) -> dict:
    """mlx-vlm stores convolutions with the channels last. The values of the dict are tensors or group sizes."""
    orders = {4: (0, 3, 1, 2), 3: (0, 2, 1)}
    return {name: value.permute(orders[value.dim()]).contiguous()
            if getattr(value, "ndim", 0) in orders and re.search(r"_tower\.", name) else value
            for name, value in found.items()}


MLX: Config = {"hidden_size": 32, "num_hidden_layers": 2, "layer_types": layer_pattern(2, 2), "num_kv_shared_layers": 0,
               "vocab_size": 54, "intermediate_size": [64] * 2, "laurel_rank": 10, "num_attention_heads": 4,
               "num_key_value_heads": 2, "head_dim": 8, "hidden_size_per_layer_input": 32,
               "activation_sparsity_pattern": [0.6, 0.0]}


def image_variants(base: Config) -> list[Variant]:
    """Beside a tower that proves its own epsilons, the decoder's norms see large inputs: `small-variance` proves theirs."""
    less = small(base, num_hidden_layers=4, num_kv_shared_layers=2, layer_types=layer_pattern(4, 2), vocab_size=53,
                 hidden_size=20, intermediate_size=[29] * 4, laurel_rank=9,
                 activation_sparsity_pattern=base["activation_sparsity_pattern"][1:5])
    return [
        pictured(less, "images", "A part of the tower, its features given to the wrong tokens, or an id of the tower's "
                 "table embedded as text", ("image", "images-batch", "images-decode", "images-generate"),
                 weight_rules=CALM, typical=True, typical_layers=True, proves=("activations",)),
        pictured(less, "images-epsilons", "An epsilon of a norm of the tower, or its output averaged where it is to be "
                 "resampled", ("image-narrow",), side=3, weight_rules=FAINT_RULES, spelling="old", n_shards=2,
                 proves=("tower-epsilons",)),
        pictured({**base, **MLX}, "mlx-8bit-images", "A tower in plain numbers with channels last beside a text model in "
                 "groups, or an embedder in groups read as numbers", ("image-narrow",), spelling="old",
                 groups=Groups(8, 32)),
    ]


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, layer_types=layer_pattern(2, 2),
                intermediate_size=[29] * 2, num_kv_shared_layers=0, vocab_size_per_layer_input=44,
                activation_sparsity_pattern=base["activation_sparsity_pattern"][1:3])
    return [
        Variant("text", base, "A stream predicted or corrected wrongly, LAuReL or sparsity left "
                "out, or per-layer rows looked up past their table", (*STANDARD, "window"), more_runs=8),
        Variant("multimodal", base, "Text weights not found below model.language_model, or "
                "rope_local_base_freq ignored, or unused keys of shared layers in the way",
                (*STANDARD, "window"), wrapper="multimodal", spelling="old", dtype="float16"),
        Variant("towers", {**base, "altup_correct_scale": False}, "Vision and audio weights that "
                "nobody asked for in the way, or a correction scaled although it should not be",
                ("single",), wrapper="towers", spelling="old", dtype="bfloat16", n_shards=2),
        Variant("multimodal-new", two, "rope_parameters nested in text_config misread",
                wrapper="multimodal", dtype="bfloat16"),
        *(Variant(f"{name}-layers",
                  small(base, num_hidden_layers=n, layer_types=layer_pattern(n, 5),
                        intermediate_size=[29] * n, num_kv_shared_layers=2, vocab_size=11,
                        laurel_rank=9, vocab_size_per_layer_input=10,
                        activation_sparsity_pattern=[0.95 if n > 10 else 0.0] * 10
                                                    + [0.0] * (n - 10)),
                  "A sparsity of activations that config.json leaves to the published default",
                  ("window",), wrapper="multimodal", spelling="old", dtype="bfloat16", typical=True, typical_layers=n > 10,
                  omits=("activation_sparsity_pattern",), weight_rules=CALM)
          for n, name in ((10, "ten"), (11, "eleven"))),
        Variant("one-width", {**two, "activation_sparsity_pattern": [0.3, 0.5]},
                "One intermediate_size for all layers refused, or the quantile of a sparsity below a "
                "half of the wrong sign",
                wrapper="multimodal", spelling="old", dtype="bfloat16",
                writes={"intermediate_size": 29}),
        Variant("small-variance", two, "An epsilon of a norm of the decoder that is too "
                "large, too small or added to the root", ("single",), wrapper="multimodal", spelling="old", weight_rules=SMALL,
                proves=("epsilons",)),
        Variant("defaults", small({k: v for k, v in base.items() if k != "rope_parameters"},
                                  num_hidden_layers=20, layer_types=layer_pattern(20, 5),
                                  intermediate_size=[29] * 20, num_kv_shared_layers=15,
                                  vocab_size=11, laurel_rank=9, vocab_size_per_layer_input=10,
                                  max_position_embeddings=32768, final_logit_softcapping=30.0,
                                  activation_sparsity_pattern=[0.95] * 10 + [0.0] * 10),
                "An epsilon, activation, rope, soft cap, stream, sparsity, layer type or shared layer "
                "that config.json leaves to the published default", ("window",),
                wrapper="multimodal", spelling="old", dtype="bfloat16", typical=True, more_runs=8,
                weight_rules=CALM,
                omits=("activation_sparsity_pattern", "altup_active_idx", "altup_correct_scale",
                       "altup_num_inputs", "attention_bias", "final_logit_softcapping",
                       "hidden_activation", "layer_types", "max_position_embeddings",
                       "num_kv_shared_layers", "rms_norm_eps", "rope_local_base_freq",
                       "rope_scaling", "rope_theta")),
        *image_variants(base),
        lengths(small(base, num_hidden_layers=4, num_kv_shared_layers=2,
                      layer_types=layer_pattern(4, 2), sliding_window=70,
                      intermediate_size=[29] * 4, laurel_rank=9, vocab_size_per_layer_input=10,
                      activation_sparsity_pattern=base["activation_sparsity_pattern"][1:5]),
                wrapper="multimodal", spelling="old"),
        Variant("small-streams", two, "A mean square of a stream that is not clamped before it "
                "divides", wrapper="multimodal", spelling="old", dtype="bfloat16",
                weight_rules=((r"altup_projections\.\d+\.weight$", fan_in(1e-3)),)),
    ]


def random_stage(rng: np.random.Generator) -> list[Config]:
    """Drawn blocks of a stage, of which the first has a stride."""
    channels = int(pick(rng, (8, 16, 24)))

    def ratio() -> float:
        return float(rng.uniform(0.6, 3.0))

    def kernel() -> int:
        return int(pick(rng, (0, 3, 5)))

    first = edge(channels, ratio(), 2, pick(rng, (3, 5))) if rng.integers(2) else \
        inverted(channels, ratio(), kernel(), int(pick(rng, (3, 5))), stride=2)
    blocks = [first]
    for _ in range(int(rng.integers(0, 3))):
        if rng.integers(2):
            blocks.append(attention(channels, int(rng.integers(1, 4)), int(pick(rng, (4, 8, 12))), int(rng.integers(1, 3))))
        blocks.append(inverted(channels, ratio(), kernel(), kernel()) if rng.integers(3) else
                      edge(channels, ratio(), 1, pick(rng, (3, 5))))
    return blocks


def random_tower(rng: np.random.Generator, config: Config) -> Variant:
    blocks = [random_stage(rng) for _ in range(int(rng.integers(2, 5)))]
    return pictured(config, "", "A misread Gemma 3n with a tower", (), side=int(rng.integers(1, 4)),
                    stem=int(pick(rng, (8, 16))), blocks=blocks, weight_rules=CALM)


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "altup_num_inputs": pick(rng, (2, 3, 4)),
              "laurel_rank": int(rng.integers(3, 12)),
              "hidden_size_per_layer_input": int(rng.integers(3, 9)),
              "num_kv_shared_layers": int(rng.integers(0, base["num_hidden_layers"] - 2)),
              "altup_correct_scale": bool(rng.integers(2)),
              "final_logit_softcapping": pick(rng, (6.0, 30.0))}
    if timm_models.is_installed() and rng.integers(3) == 0:
        return random_tower(rng, config)
    return Variant("", config, "A misread Gemma 3n", wrapper=pick(rng, ("text", "multimodal")))


FAMILY = Family(
    name="gemma3n", config_class="Gemma3nTextConfig", model_class="Gemma3nForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling,
    weight_rules=WEIGHT_RULES, multimodal_config_class="Gemma3nConfig",
    multimodal_model_class="Gemma3nForConditionalGeneration", multimodal_config=multimodal_config,
    text_alone=True, extra_tensors=extra_tensors, pictures=Whole(), from_mlx=from_mlx, groups_from_mlx=from_mlx,
    saved=("text", "multimodal", "multimodal-new", "images"),
    published={
        "google/gemma-3n-E2B-it": ("images", {"": {
        "transformers_version": "4.53.0.dev0", "audio_soft_tokens_per_image": 188, "boa_token_id": 256000, "boi_token_id": 255999,
        "eoa_token_id": 262272, "eoi_token_id": 262144, "initializer_range": 0.02},
        "text_config": {"altup_lr_multiplier": 1.0, "query_pre_attn_scalar": 256}}),
    },
)
