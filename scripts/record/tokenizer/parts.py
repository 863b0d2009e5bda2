"""Selects a small set of drawn tokenizers that together have every step that can be drawn, with each of its options."""

from __future__ import annotations

import json
import random
from typing import Any, Iterator

from tokenizers import Tokenizer

from . import draw as tokenizer_draw, texts as tokenizer_texts

Json = dict[str, Any]

N_DRAWS = 1200
BYTES_MAX = 16384  # of a tokenizer.json; large character tables are tested with the published shapes
PATTERN = "pattern"
BULKY = {"vocab", "merges", "precompiled_charsmap", "content", "id"}


def features(part: Any, kind: str = "") -> Iterator[str]:
    """The steps of a part of tokenizer.json, and for each step its options with their values."""
    if isinstance(part, list):
        for element in part:
            yield from features(element, kind)
    if not isinstance(part, dict):
        return
    kind = part.get("type", kind)
    yield kind
    if kind == "Split":
        yield f"Split {part.get('behavior')} {part.get('invert')}"
    for name, value in part.items():
        if name in BULKY or (isinstance(value, int) and value > 8):
            continue
        if name == "pattern":
            yield f"{PATTERN} {value}"
        elif isinstance(value, (dict, list)):
            yield from features(value, f"{kind} {name}")
        else:
            yield f"{kind} {name}={value}"


def features_of(model: Json) -> set[str]:
    """The features of every section, prefixed with its name, because sections may have types of the same name."""
    return {feature if feature.startswith(PATTERN) else f"{section} {feature}"  # all sections share one matcher
            for section, part in model.items() for feature in features(part)}


def cover(seed: int) -> list[Json]:
    """Drawn tokenizers, chosen greedily: each adds the most features that the earlier ones lack."""
    drawn = []
    for number in range(N_DRAWS):
        rng = random.Random(f"parts {seed} {number}")
        model = tokenizer_draw.draw(rng, tokenizer_texts.corpus(rng, 60))
        if len(json.dumps(model)) <= BYTES_MAX:
            drawn.append((model, features_of(model)))
    chosen, seen = [], set()
    while True:
        model, found = max(drawn, key=lambda d: len(d[1] - seen))
        if not found - seen:
            return chosen
        seen |= found
        chosen.append(model)


def replaced(part: Any) -> Any:
    """The part with each Metaspace in the older spelling, add_prefix_space instead of prepend_scheme."""
    if isinstance(part, list):
        return [replaced(element) for element in part]
    if not isinstance(part, dict):
        return part
    if part.get("type") == "Metaspace":
        return {"type": "Metaspace", "replacement": part["replacement"], "add_prefix_space": part["prepend_scheme"] != "never"}
    return {name: replaced(value) for name, value in part.items()}


def older(model: Json) -> Json | None:
    """The tokenizer in the file format of 2020: the model has no type, merges are lines. None if the publisher rejects
    that."""
    inner = {name: value for name, value in model["model"].items() if name != "type"}
    if "merges" in inner:
        if any(" " in token for merge in inner["merges"] for token in merge):
            return None
        inner["merges"] = ["#version: 0.2", *(" ".join(merge) for merge in inner["merges"])]
        inner["dropout"] = 0.0
    made = {**model, "model": inner,
            **{name: replaced(model[name]) for name in ("pre_tokenizer", "decoder")}}
    try:
        Tokenizer.from_str(json.dumps(made))
    except Exception:  # the publisher rejects it
        return None
    return made


def tokenizers(seed: int) -> Iterator[tuple[str, Json]]:
    """Name and tokenizer.json. Every third has the older spelling, if possible."""
    for number, model in enumerate(cover(seed)):
        former = older(model) if number % 3 == 2 else None
        yield f"{number:02d}{'-old' if former else ''}", former or model
