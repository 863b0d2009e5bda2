"""Records random configurations, with one small case each, over all families in turn."""

from __future__ import annotations

import argparse
import shutil
import time
from dataclasses import replace

import numpy as np

from . import families, pinned
from .media.images import draw_parts
from .record import record_variant
from .variants.dims import grouped_dims, pick
from .variants.variant import Config, Family, Groups, Variant, rng_for

MOST_TRIES = 8
MOST_ROUTERS = 3
BITS = (2, 3, 4, 5, 6, 8)
GROUP_SIZES = (32, 64, 128)
MODULES = ("q_proj", "k_proj", "v_proj", "qkv_proj", "o_proj", "gate_proj", "up_proj",
           "gate_up_proj", "down_proj", "embed_tokens", "lm_head")


def draw_groups(rng: np.random.Generator) -> Groups:
    """Draws bits and group size for all modules, and for some modules their own settings, or none (unquantised).
    A module's own group size divides the general one, because mlx-lm does not quantise a matrix whose width
    is not a multiple of the general group size."""
    size = pick(rng, GROUP_SIZES)
    own = []
    for _ in range(int(rng.integers(4))):
        module, where = pick(rng, MODULES), pick(rng, ("", r"layers\.0\..*", r"layers\.1\..*"))
        said = {"group_size": pick(rng, [n for n in GROUP_SIZES if n <= size]),
                "bits": pick(rng, BITS)}
        own.append((rf"{where}\b{module}$", pick(rng, (said, said, said, None))))
    return Groups(pick(rng, BITS), size, tuple(own))


def draw_case(rng: np.random.Generator, config: Config) -> str:
    """`random` has greedy tokens, and therefore seldom a run in a narrower type; `narrow` and `forced` have such
    runs. A model with many routers gets `random`: no prompt keeps all its experts far from a tie."""
    experts = config.get("enable_moe_block", "num_experts_per_tok" in config)
    if experts and config["num_hidden_layers"] > MOST_ROUTERS:
        return "random"
    return pick(rng, ("random", "narrow" if experts else "forced"))


def draw(family: Family, rng: np.random.Generator, name: str) -> Variant:
    """The family's own choices on drawn dimensions, and drawn storage. If mlx-lm can quantise the family, one
    draw in two is quantised."""
    base = {**family.base, **family.draw_dims(rng)}
    groups = draw_groups(rng) if family.quantizable and rng.integers(2) else None
    if groups:
        base |= grouped_dims(rng, base, groups.group_size)
    variant = family.random(rng, base)
    variant = replace(
        variant, name=name, dtype=pick(rng, ("float32", "float16", "bfloat16")),
        spelling=pick(rng, ("new", "old")), n_shards=pick(rng, (1, 1, 1, 2)),
        stop_in=pick(rng, ("both", "config", "generation_config")),
        cases=(draw_case(rng, variant.config),))
    if "vision_config" in variant.outer:
        return replace(variant, cases=("pictures",), prompts=draw_parts(family.pictures, rng))
    if not groups:
        return variant
    variant = replace(variant, groups=groups, n_shards=1, spelling="old", wrapper="text")
    return family.quantizable(variant)


class Refused(RuntimeError):
    """No draw of a configuration could be recorded."""


def record_one(family: Family, options: argparse.Namespace, name: str) -> tuple[list[str], Variant]:
    """Records the first draw that neither the publisher's code nor a check rejects; prints the rejected ones.
    Returns the lines of record_variant and the variant. Raises Refused if all tries are rejected."""
    place = options.out / "random" / name
    for attempt in range(MOST_TRIES):
        shutil.rmtree(place, ignore_errors=True)
        try:
            variant = draw(family, rng_for(options.seed, "random", name, str(attempt)), name)
            lines = record_variant(family, variant, options.seed, place, "layers")
            return [f"{lines[0]} (attempt {attempt + 1})", *lines[1:]], variant
        except Exception as error:  # from any library that processes the configuration
            if isinstance(error, OSError) and error.errno is not None:
                raise  # a full disk does not reject the configuration
            reason = " ".join(str(error).split())
            print(f"{name}, attempt {attempt + 1}: refused: {type(error).__name__}: {reason}",
                  flush=True)
    shutil.rmtree(place, ignore_errors=True)
    raise Refused(f"{name}: skipped, {MOST_TRIES} draws were refused")


def run(options: argparse.Namespace) -> int:
    """Writes options.random configurations, printing one line for each. Returns 1 if one was skipped because all
    its draws were rejected."""
    names = [name for name in options.family or families.NAMES if name in families.NAMES]
    elsewhere = [name for name in names if pinned.is_elsewhere(families.load(name))]
    for name in elsewhere if options.family else ():  # each with its own N configurations
        pinned.record(families.load(name), [], options, options.out)
    names = [name for name in names if name not in elsewhere]
    if not names:
        return 0
    started = time.monotonic()
    n_skipped = 0
    for index in range(options.random):
        family = families.load(names[index % len(names)])
        try:
            lines, variant = record_one(family, options, f"{family.name}-{index:04d}")
        except Refused as error:
            n_skipped += 1
            print(f"{index + 1}/{options.random} {error}", flush=True)
            continue
        what = f"{variant.dtype}, {variant.spelling}, {variant.wrapper}, {variant.experts}"
        if variant.groups:
            what += f", {variant.groups.bits} bits in {variant.groups.group_size}"
        print(f"{index + 1}/{options.random} {lines[0]} ({what});{lines[1]}", flush=True)
    spent = time.monotonic() - started
    print(f"{options.random - n_skipped} configurations in {spent:.0f} s, {n_skipped} skipped",
          flush=True)
    return 1 if n_skipped else 0
