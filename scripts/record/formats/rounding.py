"""The types in which engines compute with quantised matrices, as rows: how the inputs of a product are rounded, and keys and values in a
cache. `<compute>+<cache>` names both."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch.nn import functional

from ..runs.narrow import Narrow
from ..runs.traces import mixer
from ..runs.truth import OtherLinear, Run
from .layout import E2M1
from .exact import Inputs

Rounder = Callable[[torch.Tensor], torch.Tensor]
CODES = torch.tensor(E2M1[:8], dtype=torch.float32)


def to(dtype: torch.dtype, x: torch.Tensor) -> torch.Tensor:
    """Rounded to a type; those of 8 bits are limited to their largest number."""
    most = torch.finfo(dtype).max
    return (x.clamp(-most, most) if dtype.itemsize == 1 else x).to(dtype).to(x.dtype)


def tf32(x: torch.Tensor) -> torch.Tensor:
    """10 bits of fraction, half to even."""
    bits = x.float().contiguous().view(torch.int32)
    return ((bits + 0xfff + (bits >> 13 & 1)) & ~0x1fff).view(torch.float32).to(x.dtype)


def ratio(x: torch.Tensor, by: torch.Tensor | float) -> torch.Tensor:
    """x / by, and 0 where that divides by 0."""
    by = torch.as_tensor(by, dtype=x.dtype)
    return torch.where(by != 0, x / torch.where(by != 0, by, 1), 0)


def rows(x: torch.Tensor, size: int) -> torch.Tensor:
    """The last axis in groups of `size`; 0: one group."""
    return x.reshape(*x.shape[:-1], -1, size or x.shape[-1])


def symmetric(x: torch.Tensor, size: int, most: float, low: int, high: int, scale_type: torch.dtype = torch.float32) -> torch.Tensor:
    """Whole codes from low to high, half to even, of one scale (largest magnitude / most) a group; the product has the scale in its type."""
    parts = rows(x, size)
    scale = parts.abs().amax(-1, keepdim=True) / most
    codes = torch.round(ratio(parts, scale)).clamp(low, high)
    return (codes * to(scale_type, scale)).reshape(x.shape)


def q8_k(x: torch.Tensor) -> torch.Tensor:
    """ggml's Q8_K: a scale of float32 for 256 numbers, of which the largest becomes -127."""
    parts = rows(x, 256)
    top = parts.gather(-1, parts.abs().argmax(-1, keepdim=True))
    inverse = ratio(torch.full_like(top, -127.0), top)
    codes = torch.round(inverse * parts).clamp(max=127)
    return (codes * ratio(torch.ones_like(top), inverse)).reshape(x.shape)


def q4_0(x: torch.Tensor) -> torch.Tensor:
    """ggml's Q4_0: the largest of 32 numbers becomes -8."""
    parts = rows(x, 32)
    top = parts.gather(-1, parts.abs().argmax(-1, keepdim=True))
    scale = top / -8
    codes = torch.floor(ratio(parts, scale) + 8.5).clamp(max=15) - 8
    return (codes * to(torch.float16, scale)).reshape(x.shape)


def fp8(x: torch.Tensor, size: int, least: float = 0.0) -> torch.Tensor:
    parts = rows(x, size)
    scale = parts.abs().amax(-1, keepdim=True).clamp(min=least) / 448
    return (to(torch.float8_e4m3fn, ratio(parts, scale)) * scale).reshape(x.shape)


def static_fp8(x: torch.Tensor, scale: float) -> torch.Tensor:
    return to(torch.float8_e4m3fn, x / scale) * scale


def e2m1(x: torch.Tensor) -> torch.Tensor:
    """Rounded to e2m1, ties to the even code, limited to 6."""
    middle = (CODES[1:] + CODES[:-1]) / 2
    below = torch.bucketize(x.abs(), middle)  # a tie goes to the smaller code
    tie = below < 7
    tie &= x.abs() == middle[below.clamp(max=6)]
    return CODES[below + (tie & (below % 2 == 1))].copysign(x)


def nvfp4(x: torch.Tensor, scale: float) -> torch.Tensor:
    parts = rows(x, 16)
    own = to(torch.float8_e4m3fn, parts.abs().amax(-1, keepdim=True) / 6 / scale)
    return (e2m1(ratio(parts, own * scale)) * own * scale).reshape(x.shape)


def mxfp4(x: torch.Tensor) -> torch.Tensor:
    """compressed-tensors': the power of two of the largest of 32, rounded up from 1.75 on, over 4."""
    parts = rows(x, 32)
    fraction, power = torch.frexp(parts.abs().amax(-1, keepdim=True))
    scale = torch.ldexp(torch.ones_like(fraction), power - 1 + (fraction >= 0.875).int() - 2)
    return (e2m1(parts / scale) * scale).reshape(x.shape)


q8_0 = partial(symmetric, size=32, most=127, low=-127, high=127, scale_type=torch.float16)
half, brain = partial(to, torch.float16), partial(to, torch.bfloat16)

class Q8_1:
    """ggml's Q8_1: the numbers of Q8_0, and the sum of a block in float16, which is rounded from the scale in float32."""

    def __init__(self, inputs: Inputs):
        if inputs.minimums is None:
            raise RuntimeError(f"{inputs.kind}: no minimums to multiply sums with")
        self.minimums = inputs.minimums

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return q8_0(x)

    def besides(self, x: torch.Tensor) -> torch.Tensor:
        """What the product is more than that of the rounded inputs: what the stored sums are more than the sums of the stored numbers, times
        the minimums."""
        parts = rows(x, 32)
        scale = parts.abs().amax(-1, keepdim=True) / 127
        total = torch.round(ratio(parts, scale)).sum(-1)
        excess = half(scale[..., 0] * total) - half(scale)[..., 0] * total
        return functional.linear(excess, self.minimums)


# The inputs of products with ggml's types
GGML: dict[str, Rounder | type[Q8_1] | None] = {
    "F32": None, "F16": half, "BF16": brain, "Q4_1": Q8_1, "Q5_1": Q8_1,
    **dict.fromkeys(("Q4_0", "Q5_0", "Q8_0", "IQ4_NL", "MXFP4", "NVFP4", "Q1_0", "Q2_0"), q8_0),
    **dict.fromkeys(("Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_XS", "TQ1_0", "TQ2_0"), q8_k)}


def of_ggml(inputs: Inputs) -> Rounder | None:
    found = GGML[inputs.kind]
    return Q8_1(inputs) if found is Q8_1 else found


COMPUTES: dict[str, Callable[[Inputs], Rounder | None]] = {
    "float32": lambda inputs: None,  # with a cache
    **dict.fromkeys(("q8_0", "q8_1", "q8_K"), of_ggml),
    "int8-token": lambda inputs: partial(symmetric, size=0, most=127.5, low=-128, high=127),
    "fp8-token": lambda inputs: partial(fp8, size=0),
    "fp8-group128": lambda inputs: fp8_groups,
    "fp8-static": lambda inputs: partial(static_fp8, scale=inputs.scale),
    "nvfp4": lambda inputs: partial(nvfp4, scale=inputs.scale),
    "mxfp4": lambda inputs: mxfp4,
}
WHOLE = {"float16": torch.float16, "bfloat16": torch.bfloat16}  # the whole model in a type, its exact weights rounded once

CACHES: dict[str, Rounder] = {
    "f16": half, "bf16": brain, "fp8_e4m3": partial(to, torch.float8_e4m3fn), "fp8_e5m2": partial(to, torch.float8_e5m2),
    "int8": partial(symmetric, size=0, most=127, low=-127, high=127), "q8_0": q8_0, "q4_0": q4_0}


def fp8_groups(x: torch.Tensor) -> torch.Tensor:
    """Groups of 128 from the first input on; the last may be shorter."""
    padded = functional.pad(x, (0, -x.shape[-1] % 128))
    return fp8(padded, 128, 1e-10)[..., :x.shape[-1]]


class RoundInputs(OtherLinear):
    """Rounds the inputs of products. rounders: by the address of a weight's storage, one for each of equal parts of its outputs."""

    def __init__(self, rounders: dict[int, tuple[Rounder | None, ...]], others: Rounder | None = None):
        super().__init__()
        self.rounders, self.others = rounders, others

    def linear(self, x, weight, bias=None):
        rounders = self.rounders.get(weight.untyped_storage().data_ptr(), (self.others,))
        made = []
        for rounder, part in zip(rounders, weight.chunk(len(rounders), dim=0)):
            made.append(functional.linear(rounder(x) if rounder and x.numel() else x, part))
            if isinstance(rounder, Q8_1) and x.numel():
                made[-1] += rounder.besides(x)
        out = torch.cat(made, dim=-1)
        return out if bias is None else out + bias


@contextlib.contextmanager
def rounded_cache(model: torch.nn.Module, rounder: Rounder | None) -> Iterator[None]:
    """Attention of this model sees keys and values as a cache keeps them."""
    module = sys.modules[type(mixer(model.model.layers[0])).__module__]
    published = module.eager_attention_forward

    def attention(layer, query, key, value, *args, **kwargs):
        return published(layer, query, rounder(key), rounder(value), *args, **kwargs)
    if rounder is not None:
        module.eager_attention_forward = attention
    try:
        yield
    finally:
        module.eager_attention_forward = published


class Whole(Narrow):
    """The published model in float16 or bfloat16."""

    def __init__(self, build: Callable, state: dict, dtype: torch.dtype, cache: Rounder | None):
        super().__init__(build, state, dtype)
        self.cache = cache

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        with super().running(), rounded_cache(self.model, self.cache):
            yield


class Rounded(Run):
    """The published model in float32, with the inputs of products rounded. weights: rounded too."""

    def __init__(self, build: Callable, state: dict, rounders: dict[str, tuple[Rounder | None, ...]], cache: Rounder | None,
                 others: Rounder | None = None):
        super().__init__(build, state, torch.float32)
        own = self.model.state_dict()
        self.mode = RoundInputs({own[name].untyped_storage().data_ptr(): found for name, found in rounders.items()}, others)
        self.cache = cache

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        with super().running(), rounded_cache(self.model, self.cache), self.mode:
            yield


def runs(build: Callable, state: dict, inputs: dict[str, tuple[Inputs, ...]], names: tuple[str, ...]) -> dict[str, Run]:
    """The runs by name, of a model with these stored weights. inputs: of its quantised matrices."""
    made: dict[str, Run] = {}
    for name in names:
        compute, _, kept = name.partition("+")
        cache = CACHES[kept] if kept else None
        if compute in WHOLE:
            made[name] = Whole(build, state, WHOLE[compute], cache)
        elif compute == "tf32":
            rounded = {k: tf32(v.float()) if v.dim() > 1 else v for k, v in state.items()}
            made[name] = Rounded(build, rounded, {}, cache, tf32)
        else:
            rounders = {k: tuple(COMPUTES[compute](one) for one in parts) for k, parts in inputs.items()}
            made[name] = Rounded(build, state, rounders, cache)
    return made
