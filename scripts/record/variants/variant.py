"""The data that a family module defines: the variants of one architecture, and how they are published."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Config = dict[str, Any]

STANDARD = ("single", "batch", "generate")
LENGTHS = ("long-single", "long-batch", "long-generate", "prefill-1024", "decode-1024")
# The same with few rows of the prompt whose decode crosses 1,024 positions
LENGTHS_FEW_ROWS = (*LENGTHS[:-1], "rows-decode-1024")
# Of a family whose layers are made of parts that other families have
LENGTHS_DECODE = ("rows-decode-1024",)
LENGTHS_CATCH = "A rope, a mask or a cache that goes wrong at some position"


@dataclass(frozen=True)
class Groups:
    """How mlx-lm quantises a checkpoint: bits and group size of all modules. modules: (pattern, settings) for the
    modules whose path matches; settings None: not quantised."""

    bits: int
    group_size: int
    modules: tuple[tuple[str, Config | None], ...] = ()
    terse: bool = False  # config.json has a form that mlx-lm reads, but does not write (quantized.shorten)
    towers: bool = False  # those of mlx-vlm: quantised like the text model, which is not its default
    copy_alone: bool = False  # config.json has only quantization_config, which mlx-swift reads


@dataclass(frozen=True)
class Stored:
    """How a published tool stores a checkpoint's matrices (formats/). how: of writers.write, or of gguf_writer.write where it has `gguf`. runs: the types of
    formats/rounding.py."""

    how: Config
    runs: tuple[str, ...] = ("bfloat16",)


@dataclass(frozen=True)
class Variant:
    """One checkpoint and the cases recorded on it.

    `config` holds the constructor arguments of the text config in the spelling that transformers
    writes; `spelling` only decides how config.json is written. `length_limit` is the sequence
    length at which a length-dependent rope changes, None for all others.
    """

    name: str
    config: Config
    catches: str
    cases: tuple[str, ...] = ("single",)
    spelling: str = "new"  # new | old | mixed (old, but rope_scaling has rope_type instead of type) | mlx (mlx-vlm's)
    dtype: str = "float32"  # float32 | float16 | bfloat16
    n_shards: int = 1
    wrapper: str = "text"  # text | bare (a text_config, no tower) | multimodal | towers (with the towers' weights)
    experts: str = "fused"  # fused | split (one tensor per expert) | transposed (fused, [in, out])
    stop_in: str = "both"  # both | generation_config | config: the document that names the stop id
    length_limit: int | None = None
    mlx_names: bool = False  # a multimodal model's tensors have mlx-lm's names
    groups: Groups | None = None  # quantised and written by mlx-lm
    stored: Stored | None = None  # quantised and written by another published tool
    # Members of the text config in config.json: omitted (published default), or added with these values
    omits: tuple[str, ...] = ()
    writes: Config = field(default_factory=dict)
    outer: Config = field(default_factory=dict)  # members of a multimodal config beside text_config
    omits_outer: tuple[str, ...] = ()  # like omits, of the config around text_config
    # Inputs are drawn as with seeds other than 0: three more float32 runs have at most twice the noise of the logits
    typical: bool = False
    # and these runs sum term by term, and have at most three times the noise of the outputs of layers; needs typical
    typical_layers: bool = False
    # Further float32 runs, with other summation orders: of all, the one that is farthest from the truth is recorded
    more_runs: int = 0
    stores_head: bool = False  # the file contains the head although it is tied
    weight_rules: tuple[tuple[str, Callable], ...] = ()  # tried before those of the family
    prompts: tuple[tuple, ...] = ()  # of the case `pictures`: texts and pictures, see images.Part
    proves: tuple[str, ...] = ()  # what its cases have to see, see sensitivity.CHANGES: epsilons, tower-epsilons, activations


def _identity(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Family:
    """A published architecture: data, and functions for checkpoints that differ from the published modules."""

    name: str
    config_class: str  # names in the transformers package
    model_class: str
    draw_dims: Callable[[np.random.Generator], Config]
    base: Config
    variants: Callable[[Config], list[Variant]]
    random: Callable[[np.random.Generator, Config], Variant]
    old_spelling: Callable[[Config], Config] = _identity  # new config.json -> an old published one
    # an old published config.json that the published class does not read -> one that it reads
    new_spelling: Callable[[Config], Config] = _identity
    old_names: Callable[[dict], dict] = _identity  # the tensors under the names of the older spelling
    # (config.json, tensors) in the older spelling -> those of the larger published model that the family is a part of
    whole: Callable[[Config, dict], tuple[Config, dict]] | None = None
    weight_rules: tuple[tuple[str, Callable], ...] = ()  # tried before those of weights.py
    multimodal_config_class: str | None = None
    multimodal_model_class: str | None = None
    multimodal_config: Callable[[Config, bool], Config] | None = None
    text_alone: bool = False  # variants without pictures are models of the text class, also in a multimodal file
    # (checkpoint, rng) -> tensors of the file that the text model does not have
    extra_tensors: Callable[[Any, np.random.Generator], dict] | None = None
    disputed: str | None = None  # on what published systems differ about cases with images: a flag of these cases
    package: Any = None  # the module of rewrites/ that holds the classes; None: transformers does
    mlx_spelling: Callable[[Config], Config] = _identity  # the same for the spelling `mlx`
    mlx_names: Callable[[dict], dict] = _identity
    pictures: Any = None  # images.Grids: how the model takes images and videos; None: it has no tower that runs
    # changes a random variant so that mlx-lm can read and quantise it; None if mlx-lm cannot read the family
    quantizable: Callable[[Variant], Variant] | None = None
    # tensors of a checkpoint that mlx-lm wrote, under published names -> those of the published text model
    from_mlx: Callable[[dict], dict] = _identity
    groups_from_mlx: Callable[[dict], dict] = _identity  # the same of the group sizes by tensor
    # Norms whose epsilon cannot show, as regular expressions: another norm follows a linear layer behind them
    unseen_epsilons: tuple[str, ...] = ()
    # For scripts/record/configs: variants whose configs versions of transformers save, one for each spelling and each class of a text part;
    # and {published repository: (variant whose config is spelled as it is, {the object that has them, "" for the document: further members})}.
    saved: tuple[str, ...] = ()
    published: dict[str, tuple[str, dict[str, Config]]] = field(default_factory=dict)
    # The version of transformers that gives the truth, in an environment of its own (pinned.py); "": that of
    # requirements.txt
    transformers: str = ""


def rng_for(seed: int, *names: str) -> np.random.Generator:
    """An independent generator for each purpose, so that adding a variant changes no other."""
    digest = hashlib.sha256("/".join((str(seed), *names)).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "little"))


def dims_for(family: Family, seed: int) -> Config:
    """The base config: the bundled dimensions for seed 0, drawn dimensions for other seeds."""
    if seed == 0:
        return dict(family.base)
    return {**family.base, **family.draw_dims(rng_for(seed, family.name, "dims"))}


def small(base: Config, **more: Any) -> Config:
    """base with one layer, a small vocabulary and a narrow MLP: enough to test a single config member."""
    return {**base, "num_hidden_layers": 1, "vocab_size": 47, "intermediate_size": 29, **more}


def lengths(config: Config, cases: tuple[str, ...] = LENGTHS, **more: Any) -> Variant:
    """The variant with a family's long cases; nearly all their rows are recorded, so the vocabulary is tiny."""
    return Variant("lengths", {**config, "vocab_size": 11, "max_position_embeddings": 2048},
                   LENGTHS_CATCH, cases, dtype="bfloat16", **more)


def rows(config: Config, **more: Any) -> Variant:
    """The variant with a larger vocabulary, whose cases record few rows of long prompts."""
    return Variant("rows", {**config, "vocab_size": 503, "max_position_embeddings": 2048},
                   "A row compared with the truth of another position", ("rows-single", "rows-generate"),
                   dtype="bfloat16", **more)


def layer_pattern(n_layers: int, period: int) -> list[str]:
    """Every period-th layer and the last have full attention, the others sliding attention."""
    full = [(index + 1) % period == 0 for index in range(n_layers - 1)] + [True]
    return ["full_attention" if is_full else "sliding_attention" for is_full in full]
