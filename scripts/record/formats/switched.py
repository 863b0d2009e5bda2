"""The stacks of experts that mlx-lm writes (its switch_layers): their matrices one by one, by the names of the published checkpoints."""

from __future__ import annotations

import re
from typing import Any

STACK = re.compile(r"(.*)\.switch_mlp\.(gate_proj|up_proj|down_proj)\.(.*)")
MATRIX = re.compile(r"(.*)\.experts\.\d+\.(\w+)")
NUMBERED = {"gate_proj": "w1", "down_proj": "w2", "up_proj": "w3"}  # of Mixtral and those after it, by the name of the block
BLOCKS = ("block_sparse_moe", "feed_forward")


def apart(header: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The entries of a safetensors header, with one for each matrix of a stack instead of that of the stack."""
    made: dict[str, dict[str, Any]] = {}
    for name, entry in header.items():
        if (hit := STACK.fullmatch(name)) is None or not entry["shape"]:
            made[name] = entry
            continue
        n, (begin, end) = entry["shape"][0], entry["data_offsets"]
        part = NUMBERED[hit[2]] if hit[1].endswith(BLOCKS) else hit[2]
        step = (end - begin) // max(1, n)
        for i in range(n):
            made[f"{hit[1]}.experts.{i}.{part}.{hit[3]}"] = entry | {"shape": entry["shape"][1:],
                                                                     "data_offsets": [begin + i * step, begin + (i + 1) * step]}
    return made


def stack_of(x: str) -> str:
    """The module of mlx-lm that has the matrix X."""
    if (hit := MATRIX.fullmatch(x)) is None:
        return x
    return f"{hit[1]}.switch_mlp.{next((own for own, number in NUMBERED.items() if number == hit[2]), hit[2])}"
