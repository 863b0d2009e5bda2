"""Checkpoints in the spelling that mlx-vlm reads: of config.json, and of the names of tensors.

Names families: mlx-vlm spells the configs of some in its own way.
"""

from __future__ import annotations

import contextlib
import copy
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file

from scripts.record.families import ernie4_5_vl_moe

Config = dict[str, Any]


def split_rope(text: Config, kind: str) -> None:
    """Writes rope_parameters of a text config as rope_theta and rope_scaling, whose `type` is kind."""
    rope = text.pop("rope_parameters", None)
    if rope is None:
        return
    text["rope_theta"] = rope.pop("rope_theta")
    rope.pop("rope_type", None)
    text["rope_scaling"] = rope | {"type": kind}


def flat(config: Config, rope: str = "mrope") -> None:
    """Qwen2-VL and Qwen2.5-VL: the members of text_config beside vision_config. rope: its type."""
    text = config.pop("text_config", None)
    if text is None:
        return
    split_rope(text, rope)
    for name, value in text.items():
        config.setdefault(name, value)


def published(config: Config) -> None:
    """PaddleOCR-VL: the same, and a tower with the type of the whole model."""
    if config.get("text_config") is not None:
        flat(config, "default")
        config["vision_config"]["model_type"] = config["model_type"]


def ernie(config: Config) -> None:
    """ERNIE: the published, flat spelling."""
    if "text_config" not in config:
        return
    text = {**TEXT, **config["text_config"]}
    text.setdefault("mlp_layer_types", ["dense", *["sparse"] * (text["num_hidden_layers"] - 1)])
    changed = ernie4_5_vl_moe.old_spelling({**config, "text_config": text,
                                            "vision_config": {**TOWER, **config["vision_config"]}})
    config.clear()
    config |= changed


def glm(config: Config) -> None:
    """GLM-4.5V: the published spelling of the rope, and defaults that mlx-vlm does not have."""
    text = config["text_config"]
    if "rope_parameters" not in text:
        return
    share = text["rope_parameters"].pop("partial_rotary_factor", 0.5)
    split_rope(text, "default")
    for name, value in {**GLM_TEXT, "partial_rotary_factor": share}.items():
        text.setdefault(name, value)


def nested(config: Config) -> None:
    """Qwen3-VL: rope_theta and rope_scaling; the tie of the head, which stands beside text_config; num_experts."""
    text = config["text_config"]
    split_rope(text, "default")
    text["tie_word_embeddings"] = config.get("tie_word_embeddings", False)
    if "num_local_experts" in text:
        text["num_experts"] = text.pop("num_local_experts")


def global_heads(config: Config) -> None:
    """Gemma 4: the head size of full attention for all layers together; no vision_config instead of null."""
    if config.get("vision_config", {}) is None:
        del config["vision_config"]
    text = config["text_config"]
    for override in list(text.pop("per_layer_config", {}).values())[:1]:
        text |= {"global_head_dim": override["head_dim"],
                 "num_global_key_value_heads": override.get("num_key_value_heads")}


def regular(config: Config) -> None:
    """Qwen3.5: full_attention_interval instead of layer_types; the tie of the head, which stands beside text_config."""
    text = config["text_config"]
    text["tie_word_embeddings"] = config.get("tie_word_embeddings", False)
    if "layer_types" in text:
        text["full_attention_interval"] = text["layer_types"].index("full_attention") + 1


# Published defaults of ERNIE that mlx-vlm does not have
TEXT: Config = {"hidden_act": "silu", "moe_norm_min": 1e-12, "rms_norm_eps": 1e-5, "use_bias": False}
# The same of GLM-4.5V
GLM_TEXT: Config = {
    "attention_bias": True, "first_k_dense_replace": 1, "n_group": 1, "n_shared_experts": 1, "norm_topk_prob": True,
    "rms_norm_eps": 1e-5, "routed_scaling_factor": 1.0, "topk_group": 1, "use_qk_norm": False}
# Of towers
TOWER: Config = {"temporal_merge_size": 2, "rope_parameters": {}}


CHANGES = {"qwen2_vl": flat, "qwen2_5_vl": flat, "qwen3_vl": nested, "qwen3_vl_moe": nested, "qwen3_5": regular,
           "qwen3_5_moe": regular, "gemma4": global_heads, "paddleocr_vl": published,
           "glm4v_moe": glm, "ernie4_5_vl_moe": ernie}


def respelled(config: Config) -> Config | None:
    """The config in the other spelling, or None if it has no other."""
    changed = copy.deepcopy(config)
    if config["model_type"].startswith("qwen") and "model_type" in config.get("vision_config", {}):
        changed["vision_config"]["model_type"] = config["model_type"]  # published: with _vision
    CHANGES.get(config["model_type"], lambda _: None)(changed)
    return None if changed == config else changed


@contextlib.contextmanager
def with_config(model: Path, config: Config) -> Iterator[Path]:
    """A copy of a checkpoint with another config.json; of Qwen2-VL, Qwen2.5-VL, PaddleOCR-VL and ERNIE, with the tensor names that
    stand in checkpoints with a flat config."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "model"
        shutil.copytree(model, place)
        (place / "config.json").write_text(json.dumps(config))
        if CHANGES.get(config["model_type"]) in (flat, published):
            for file in place.glob("*.safetensors"):
                rename(file)
        if config["model_type"] == "ernie4_5_moe_vl":
            for file in place.glob("*.safetensors"):
                save_file(ernie4_5_vl_moe.old_names(load_file(file)), file, {"format": "pt"})
        yield place


def rename(file: Path) -> None:
    import mlx.core as mx
    tensors = mx.load(str(file))
    mx.eval(tensors)
    mx.save_safetensors(str(file), {
        name.replace("model.language_model.", "model.").replace("model.visual.", "visual.").replace(
            "model.projector.", "mlp_AR."): tensor
        for name, tensor in tensors.items()}, {"format": "pt"})
