"""What the harness asks: dataclasses, and their strict readers. A member that is not known is ignored if it is null, and
refused otherwise."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .errors import ProtocolError, Unsupported
from .tensors import Reader, is_count, member

KINDS = ("image", "video", "audio", "embedding")


@dataclass(frozen=True)
class ModelOptions:
    """compute: "F32", "BF16", "I8", or None: the engine chooses. allow_unknown: members of config.json to be ignored.
    compute_name, cache_name: None, or one of the engine's compute_types and cache_types; compute is None beside a compute_name."""

    compute: str | None = None
    allow_unknown: tuple[str, ...] = ()
    compute_name: str | None = None
    cache_name: str | None = None


@dataclass(frozen=True)
class SessionOptions:
    """As assay_session_options in assay/engine.h."""

    n_samples: int
    limit: int = 0
    sink_tokens: int = 0
    max_tokens: int = 0


@dataclass(frozen=True)
class Item:
    """An image or another input that begins in a step. tensors: by their published names; read-only."""

    kind: str
    offset: int
    n_tokens: int
    tensors: dict[str, np.ndarray]


@dataclass(frozen=True)
class Step:
    """The next tokens of one sample. positions: None, or int64 [n_axes, n_tokens]. n_last: how many rows of logits are
    wanted, those of the last tokens; 0: none."""

    sample: int
    tokens: list[int]
    positions: np.ndarray | None = None
    items: list[Item] = field(default_factory=list)
    n_last: int = 0


def refuse_unknown(given: dict[str, Any], known: Collection[str], where: str) -> None:
    for name, value in given.items():
        if name not in known and value is not None:
            raise Unsupported(f"{where}: member {name!r:.60} is not supported")


def count(given: dict[str, Any], name: str, where: str) -> int:
    value = member(given, name, where)
    if not is_count(value):
        raise ProtocolError(f"{where}.{name}: expected a count, found {value!r:.60}")
    return value


def objects(given: dict[str, Any], name: str, where: str) -> list[dict[str, Any]]:
    value = member(given, name, where)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ProtocolError(f"{where}.{name}: expected a list of objects, found {value!r:.60}")
    return value


def text(given: dict[str, Any], name: str, where: str) -> str:
    value = member(given, name, where)
    if not isinstance(value, str):
        raise ProtocolError(f"{where}.{name}: expected text, found {value!r:.60}")
    return value


def texts(given: dict[str, Any], name: str, where: str) -> list[str]:
    value = member(given, name, where)
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ProtocolError(f"{where}.{name}: expected a list of texts, found {value!r:.60}")
    return value


def listed(given: dict[str, Any], name: str, names: Collection[str] | None, where: str) -> str | None:
    """A member that is null, missing, or one of names."""
    if given.get(name) is None:
        return None
    if (value := text(given, name, where)) not in (names or ()):
        raise Unsupported(f"{where}.{name}: {value!r:.60} is not supported")
    return value


def integers(value: object, where: str) -> list[int]:
    if not isinstance(value, list) or not all(type(one) is int and -2**31 <= one < 2**31 for one in value):
        raise ProtocolError(f"{where}: expected a list of 32-bit integers, found {value!r:.60}")
    return value


def rows(value: object, width: int, where: str) -> np.ndarray:
    """int64 [n_axes, width], n_axes 1, 3 or 4."""
    if not isinstance(value, list) or len(value) not in (1, 3, 4):
        raise ProtocolError(f"{where}: expected a list for 1, 3 or 4 axes, found {value!r:.60}")
    axes = [integers(axis, where) for axis in value]
    if any(len(axis) != width for axis in axes):
        raise ProtocolError(f"{where}: expected {width} positions on each axis, found {[len(axis) for axis in axes]}")
    return np.array(axes, np.int64).reshape(len(axes), width)


def item(given: dict[str, Any], reader: Reader, where: str) -> Item:
    refuse_unknown(given, ("kind", "offset", "n_tokens", "tensors"), where)
    kind = text(given, "kind", where)
    if kind not in KINDS:
        raise Unsupported(f"{where}.kind: {kind!r:.60} is not supported")
    tensors = {}
    for i, one in enumerate(objects(given, "tensors", where)):
        place = f"{where}.tensors[{i}]"
        refuse_unknown(one, ("name", "dtype", "shape", "data_offsets"), place)
        tensors[text(one, "name", place)] = reader.take(one, place)
    return Item(kind, count(given, "offset", where), count(given, "n_tokens", where), tensors)


def n_last(given: dict[str, Any], where: str) -> int:
    wanted = 0
    for i, one in enumerate(objects(given, "outputs", where)):
        place = f"{where}.outputs[{i}]"
        refuse_unknown(one, ("name", "n_last"), place)
        if (name := text(one, "name", place)) != "logits":
            raise Unsupported(f"{place}: output {name!r:.60} is not supported")
        if wanted:
            raise ProtocolError(f"{place}: logits twice")
        wanted = count(one, "n_last", place)
        if wanted == 0:
            raise ProtocolError(f"{place}.n_last: expected at least 1, found 0")
    return wanted


def step(given: dict[str, Any], reader: Reader, where: str) -> Step:
    refuse_unknown(given, ("sample", "tokens", "positions", "items", "outputs"), where)
    tokens = integers(member(given, "tokens", where), f"{where}.tokens")
    positions = given.get("positions")
    return Step(count(given, "sample", where), tokens,
                None if positions is None else rows(positions, len(tokens), f"{where}.positions"),
                [item(one, reader, f"{where}.items[{i}]") for i, one in enumerate(objects(given, "items", where))],
                n_last(given, where))
