"""The configs that are saved: those of bundled checkpoints, in each published spelling that the family has; and configs in which both
spellings of a rope stand beside each other."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

FIXTURES = Path("fixtures")

# Variants of each family; those with a text class of their own are among them.
SOURCES: dict[str, tuple[str, ...]] = {
    "ernie4_5_vl_moe": ("base", "new"),
    "gemma": ("base", "old", "theta"),
    "gemma2": ("base", "old", "types"),
    "gemma3n": ("text", "multimodal", "multimodal-new", "images"),
    "gemma4": ("dense", "dense-old", "multimodal-old", "tower"),
    "glm4v": ("base", "old"),
    "glm4v_moe": ("base", "merge-3"),
    "glm_ocr": ("base", "old"),
    "granite": ("base", "old"),
    "hunyuan_vl": ("base", "new"),
    "llama": ("base", "old", "theta", "llama3", "llama3-old"),
    "mllama": ("base", "old"),
    "olmo2": ("base", "old"),
    "paddleocr_vl": ("base", "old", "merge-3"),
    "phi3": ("base", "partial", "partial-old", "longrope", "longrope-old"),
    "qwen2": ("base", "window", "window-old"),
    "qwen2_5_vl": ("base", "windows-3"),
    "qwen2_vl": ("base", "merge-3"),
    "qwen3": ("base", "old", "window-old"),
    "qwen3_5": ("base", "sharded", "tower", "tower-old"),
    "qwen3_5_moe": ("base", "biases", "tower"),
    "qwen3_moe": ("base", "fused-old"),
    "qwen3_omni_moe": ("base", "thinker", "windows"),
    "qwen3_vl": ("base", "merge-3"),
    "qwen3_vl_moe": ("base", "epsilons"),
}

# Checkpoints whose tower a model of the text part alone does not have.
WITH_TOWER = ("gemma3n/images", "gemma4/multimodal-old", "gemma4/tower", "mllama/base", "mllama/old", "qwen3_5/tower", "qwen3_5/tower-old",
              "qwen3_5_moe/tower")

# Checkpoints whose rope has a base that is no class's default, for both_spellings.
BOTH = ("llama/theta", "llama/llama3", "qwen2_vl/merge-3", "glm4v/merge-3", "qwen3_vl/merge-3")


def config(source: str) -> dict[str, Any]:
    return json.loads((FIXTURES / source / "model" / "config.json").read_text())


def all_sources() -> dict[str, dict[str, Any]]:
    return {name: config(name) for family, variants in SOURCES.items() for name in (f"{family}/{variant}" for variant in variants)}


def both_spellings(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Copies of a config in the newer spelling, in which the base of its rope stands in one of the three places that may hold it, or
    in two of them."""
    rope = document.get("text_config", document)["rope_parameters"]
    theta = rope["rope_theta"]
    rest = {name: value for name, value in rope.items() if name != "rope_theta"}
    spellings = {
        "in rope_parameters alone": {"rope_parameters": rope, "rope_scaling": rest},
        "in rope_scaling alone": {"rope_parameters": rest, "rope_scaling": rope},
        "beside both": {"rope_parameters": rest, "rope_scaling": rest, "rope_theta": theta},
        "beside rope_parameters": {"rope_parameters": rest, "rope_theta": theta},
        "in rope_parameters and beside": {"rope_parameters": rope, "rope_scaling": rest, "rope_theta": theta},
        "in rope_scaling, rope_parameters empty": {"rope_parameters": {}, "rope_scaling": rope},
        "in rope_parameters, rope_scaling null": {"rope_parameters": rope, "rope_scaling": None},
        "in both": {"rope_parameters": rope, "rope_scaling": rope},
    }
    made = {}
    for name, members in spellings.items():
        made[name] = copy.deepcopy(document)
        text = made[name].get("text_config", made[name])
        del text["rope_parameters"]
        text |= copy.deepcopy(members)
    return made
