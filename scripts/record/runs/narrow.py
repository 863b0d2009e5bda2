"""Runs of the published model in bfloat16 and int8, which define the noise for engines in these types
(README.md)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch.nn import functional

from .traces import Routing
from .truth import OtherLinear, Run

CODES = 127  # the codes are -127 to 127
APART = 4.0  # required gap in multiples of the noise: correct candidates stay below 2.2 times, on both sides of a decision

BUILT_IN_FLOAT32 = ("mlp.gate.wg.weight",)  # by a dtype of their own: HunYuan's routers

# Group sizes of the equal parts into which a fused weight's outputs divide; 0: this part is not quantised.
Parts = tuple[int, ...]


def int8(x: torch.Tensor, group: int) -> torch.Tensor:
    """x rounded to int8 codes, with one scale for each group of its last axis: the largest magnitude becomes 127
    (symmetric), codes are rounded half to even."""
    if x.numel() == 0:  # of an expert that no token chooses
        return x
    rows = x.reshape(-1, group)
    top = rows.abs().amax(-1)
    scale = torch.where(top > 0, top / CODES, 1)
    none = torch.zeros(len(rows), dtype=torch.int32)
    codes = torch.fake_quantize_per_channel_affine(rows, scale, none, 0, -CODES, CODES)
    return codes.reshape(x.shape)


def bfloat16(x: torch.Tensor, _group: int) -> torch.Tensor:
    return x.to(torch.bfloat16).to(x.dtype)


class RoundInputs(OtherLinear):
    """Rounds the inputs of products with the given weights.

    parts: by the address of a weight's storage, which its slices and tied copies share.
    """

    def __init__(self, parts: dict[int, Parts], rounded: Callable):
        super().__init__()
        self.parts, self.rounded = parts, rounded
        self.seen: set[int] = set()

    def linear(self, x, weight, bias=None):
        place = weight.untyped_storage().data_ptr()
        parts = self.parts.get(place, (0,))
        self.seen.add(place)
        made = [functional.linear(self.rounded(x, group) if group else x, rows)
                for group, rows in zip(parts, weight.chunk(len(parts), dim=0))]
        out = torch.cat(made, dim=-1)
        return out if bias is None else out + bias


class Narrow(Run):
    """The published model in bfloat16 or float16; buffers that its loader leaves in float32 (rope frequencies) stay
    float32, as do parameters that it keeps so (routers of ERNIE and HunYuan)."""

    def _refuse_other_types(self) -> None:
        kept = (*(getattr(self.model, "_keep_in_fp32_modules_strict", None) or ()), *BUILT_IN_FLOAT32)
        for name, tensor in self.model.named_parameters():
            if tensor.dtype is torch.float32 and any(part in name for part in kept):
                continue
            if tensor.is_floating_point() and tensor.dtype is not self.dtype:
                raise RuntimeError(f"{name} is {tensor.dtype}, not {self.dtype}")


class Rounding(Run):
    """The published model in float32, with the inputs of products rounded.

    groups: group sizes by parameter name.
    """

    def __init__(self, build: Callable, state: dict, groups: dict[str, Parts], rounded: Callable):
        super().__init__(build, state, torch.float32)
        own = self.model.state_dict()
        self.mode = RoundInputs({own[name].untyped_storage().data_ptr(): parts
                                 for name, parts in groups.items()}, rounded)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        with super().running(), self.mode:
            yield


def runs(build: Callable, state: dict, groups: dict[str, Parts]) -> dict[str, Run]:
    """The runs, by the name of their group below /expect. groups: the quantised weights; empty: the checkpoint is
    not quantised."""
    if not groups:
        return {"bfloat16": Narrow(build, state, torch.bfloat16)}
    plain = {name: tensor if name in groups else tensor.to(torch.bfloat16)
             for name, tensor in state.items()}
    return {"bfloat16": Rounding(build, plain, dict.fromkeys(state, (1,)), bfloat16),
            "int8": Rounding(build, state, groups, int8)}


def routes_alike(truth: list[Routing], found: list[Routing]) -> bool:
    """Whether a run chooses the truth's experts, and no correct candidate with its noise could choose others: the
    gap between the last chosen expert and the first one not chosen is at least APART times the largest
    change of a share."""
    if not truth:
        return True
    moved = max(float(np.abs(t.shares - f.shares).max()) for t, f in zip(truth, found))
    same = all((t.chosen() == f.chosen()).all() for t, f in zip(truth, found))
    return same and min(routing.gap() for routing in truth) >= APART * moved


def stops_alike(truth: np.ndarray, noise: float, tokens: np.ndarray, stops: list[int]) -> bool:
    """Whether no correct candidate could end a stream elsewhere. truth: [>= len(tokens), V], the rows that decide
    the tokens."""
    ends = np.isin(np.arange(truth.shape[1]), stops)
    return all(abs(row[ends].max() - row[~ends].max()) >= APART * noise
               for row, _ in zip(truth, tokens))
