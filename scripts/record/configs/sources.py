"""The configs that are saved: those of bundled checkpoints, in each published spelling that the family has; and configs in which both
spellings of a rope stand beside each other."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from .. import families

FIXTURES = Path("fixtures")

# Checkpoints whose tower a model of the text part alone does not have.
WITH_TOWER = ("gemma3n/images", "gemma4/multimodal-old", "gemma4/tower", "mllama/base", "mllama/old", "qwen3_5/tower", "qwen3_5/tower-old",
              "qwen3_5_moe/tower")

# Checkpoints whose rope has a base that is no class's default, for both_spellings.
BOTH = ("llama/theta", "llama/llama3", "qwen2_vl/merge-3", "glm4v/merge-3", "qwen3_vl/merge-3")


def config(source: str) -> dict[str, Any]:
    return json.loads((FIXTURES / source / "model" / "config.json").read_text())


def all_sources() -> dict[str, dict[str, Any]]:
    names = (f"{family}/{variant}" for family in families.NAMES for variant in families.load(family).saved)
    return {name: config(name) for name in names}


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
