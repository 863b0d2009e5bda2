"""What a family module states: the variants of one architecture, and how they are published."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Config = dict[str, Any]

STANDARD = ("single", "batch", "generate")
LENGTHS = ("long-single", "long-batch", "long-generate", "prefill-1024", "decode-1024")


@dataclass(frozen=True)
class Groups:
    """How mlx-lm quantises a checkpoint: bits and group size of all modules, and of those whose
    path a pattern finds; None leaves them alone."""

    bits: int
    group_size: int
    modules: tuple[tuple[str, Config | None], ...] = ()
    terse: bool = False  # config.json says of modules what mlx-lm reads, but does not write
    copy_alone: bool = False  # config.json says it in quantization_config alone, as mlx-swift reads it


@dataclass(frozen=True)
class Variant:
    """One checkpoint and the cases that are recorded on it.

    `config` holds the constructor arguments of the text config in the spelling that transformers
    writes; `spelling` only decides how config.json is written. `length_limit` is the sequence
    length at which a length-dependent rope changes, None for all others.
    """

    name: str
    config: Config
    catches: str
    cases: tuple[str, ...] = ("single",)
    spelling: str = "new"  # new | old | mixed (old, but rope_scaling says rope_type for type)
    dtype: str = "float32"  # float32 | float16 | bfloat16
    n_shards: int = 1
    wrapper: str = "text"  # text | multimodal | towers (multimodal, with the towers' weights)
    experts: str = "fused"  # fused | split (one tensor per expert) | transposed (fused, [in, out])
    stop_in: str = "both"  # both | generation_config | config: the document that names the stop id
    length_limit: int | None = None
    mlx_names: bool = False  # a multimodal model's tensors are named as mlx-lm does
    groups: Groups | None = None  # written by mlx-lm, in its affine groups
    # Members of the text config in config.json: left to the published default, or written so
    omits: tuple[str, ...] = ()
    writes: Config = field(default_factory=dict)
    outer: Config = field(default_factory=dict)  # members of a multimodal config beside text_config
    # Inputs are chosen as with other seeds than 0: three more float32 runs have the same noise
    typical: bool = False
    stores_head: bool = False  # a tied head is in the file all the same
    weight_rules: tuple[tuple[str, Callable], ...] = ()  # tried before those of the family


def _identity(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Family:
    """A published architecture: data, and hooks where its checkpoints differ from its modules."""

    name: str
    config_class: str  # names in the transformers package
    model_class: str
    draw_dims: Callable[[np.random.Generator], Config]
    base: Config
    variants: Callable[[Config], list[Variant]]
    random: Callable[[np.random.Generator, Config], Variant]
    old_spelling: Callable[[Config], Config] = _identity  # new config.json -> an old published one
    weight_rules: tuple[tuple[str, Callable], ...] = ()  # tried before those of weights.py
    multimodal_config_class: str | None = None
    multimodal_model_class: str | None = None
    multimodal_config: Callable[[Config, bool], Config] | None = None
    # (checkpoint, rng) -> tensors that the file carries though the text model has no place for them
    extra_tensors: Callable[[Any, np.random.Generator], dict] | None = None
    # a random variant as mlx-lm can read it, to quantise it; None where it reads none
    quantizable: Callable[[Variant], Variant] | None = None


def rng_for(seed: int, *names: str) -> np.random.Generator:
    """An independent generator for every purpose, so that one more variant changes no other."""
    digest = hashlib.sha256("/".join((str(seed), *names)).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "little"))


def dims_for(family: Family, seed: int) -> Config:
    """The base config: the bundled dimensions for seed 0, freshly drawn ones for any other."""
    if seed == 0:
        return dict(family.base)
    return {**family.base, **family.draw_dims(rng_for(seed, family.name, "dims"))}


def small(base: Config, **more: Any) -> Config:
    """One layer, a short vocabulary and a narrow MLP: enough where one member of a config shows."""
    return {**base, "num_hidden_layers": 1, "vocab_size": 47, "intermediate_size": 29, **more}


def lengths(config: Config, **more: Any) -> Variant:
    """Long cases of a family: every row of them is recorded, so the vocabulary is tiny."""
    return Variant("lengths", {**config, "vocab_size": 11, "max_position_embeddings": 2048},
                   "A rope, a mask or a cache that goes wrong at some position", LENGTHS,
                   dtype="bfloat16", **more)


def layer_pattern(n_layers: int, period: int) -> list[str]:
    """Every period-th layer attends fully, the others slide; the last layer is always full."""
    full = [(index + 1) % period == 0 for index in range(n_layers - 1)] + [True]
    return ["full_attention" if is_full else "sliding_attention" for is_full in full]
