"""Gemma 3n text: AltUp, LAuReL, sparse activations, per-layer inputs, shared KV."""

from __future__ import annotations

import math

import numpy as np
import torch

from ..dims import attention_dims, pick
from ..variant import STANDARD, Config, Family, Variant, layer_pattern, lengths, small
from ..weights import RULES, around, draw_state, fan_in, unused_kv
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
    the text's: the text model does not embed their ids."""
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
    if variant.wrapper == "text":
        return {}
    made = unused_kv(checkpoint.truth.text, "model.language_model.layers", rng, variant.dtype)
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


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, layer_types=layer_pattern(2, 2),
                intermediate_size=[29] * 2, num_kv_shared_layers=0, vocab_size_per_layer_input=44,
                activation_sparsity_pattern=base["activation_sparsity_pattern"][1:3])
    return [
        Variant("text", base, "A stream predicted or corrected wrongly, LAuReL or sparsity left "
                "out, or per-layer rows looked up past their table", (*STANDARD, "window")),
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
        Variant("defaults", small({k: v for k, v in base.items() if k != "rope_parameters"},
                                  num_hidden_layers=20, layer_types=layer_pattern(20, 5),
                                  intermediate_size=[29] * 20, num_kv_shared_layers=15,
                                  vocab_size=11, laurel_rank=9, vocab_size_per_layer_input=10,
                                  max_position_embeddings=32768, final_logit_softcapping=30.0,
                                  activation_sparsity_pattern=[0.95] * 10 + [0.0] * 10),
                "An epsilon, activation, rope, soft cap, stream, sparsity, layer type or shared layer "
                "that config.json leaves to the published default", ("window",),
                wrapper="multimodal", spelling="old", dtype="bfloat16", typical=True,
                weight_rules=CALM,
                omits=("activation_sparsity_pattern", "altup_active_idx", "altup_correct_scale",
                       "altup_num_inputs", "attention_bias", "final_logit_softcapping",
                       "hidden_activation", "layer_types", "max_position_embeddings",
                       "num_kv_shared_layers", "rms_norm_eps", "rope_local_base_freq",
                       "rope_scaling", "rope_theta")),
        lengths(small(base, num_hidden_layers=4, num_kv_shared_layers=2,
                      layer_types=layer_pattern(4, 2), sliding_window=70,
                      intermediate_size=[29] * 4, laurel_rank=9, vocab_size_per_layer_input=10,
                      activation_sparsity_pattern=base["activation_sparsity_pattern"][1:5]),
                wrapper="multimodal", spelling="old"),
        Variant("small-streams", two, "A mean square of a stream that is not clamped before it "
                "divides", wrapper="multimodal", spelling="old", dtype="bfloat16",
                weight_rules=((r"altup_projections\.\d+\.weight$", fan_in(1e-3)),)),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "altup_num_inputs": pick(rng, (2, 3, 4)),
              "laurel_rank": int(rng.integers(3, 12)),
              "hidden_size_per_layer_input": int(rng.integers(3, 9)),
              "num_kv_shared_layers": int(rng.integers(0, base["num_hidden_layers"] - 2)),
              "altup_correct_scale": bool(rng.integers(2)),
              "final_logit_softcapping": pick(rng, (6.0, 30.0))}
    return Variant("", config, "A misread Gemma 3n", wrapper=pick(rng, ("text", "multimodal")))


FAMILY = Family(
    name="gemma3n", config_class="Gemma3nTextConfig", model_class="Gemma3nForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling,
    weight_rules=WEIGHT_RULES, multimodal_config=multimodal_config, extra_tensors=extra_tensors,
)
