"""Configs of published repositories: those of bundled checkpoints, with the members of `published` of their families. The sizes are those of
the checkpoints."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from .. import families
from . import sources

# mlx-vlm, or the repository itself, has the class that reads these: the bundled checkpoints have its spelling, so that the row is read as they
# are.
WITHOUT_CLASS = ("moondream3", "falcon_ocr", "ernie4_5_vl_moe/base")


def extended(document: dict[str, Any], members: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A copy with further members, by the path of the object that has them."""
    document = copy.deepcopy(document)
    for path, further in members.items():
        place = document
        for name in filter(None, path.split(".")):
            place = place[name]
        place |= further
    return document


def configs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Repository, checkpoint and config of each."""
    for family in families.NAMES:
        for repository, (variant, members) in families.load(family).published.items():
            checkpoint = f"{family}/{variant}"
            yield repository, checkpoint, extended(sources.config(checkpoint), members)
