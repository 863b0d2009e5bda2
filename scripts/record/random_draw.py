"""Draws whole configurations at random: one small case each, over all families in turn."""

from __future__ import annotations

import argparse
import shutil
import time
from dataclasses import replace

import numpy as np

from . import families
from .cases import IllConditioned
from .dims import pick
from .record import record_variant
from .variant import Family, Variant, rng_for

MOST_TRIES = 8


def draw(family: Family, rng: np.random.Generator, name: str) -> Variant:
    """The family's own choices on fresh dimensions, and how the checkpoint is stored."""
    variant = family.random(rng, {**family.base, **family.draw_dims(rng)})
    return replace(
        variant, name=name, cases=("random",),
        dtype=pick(rng, ("float32", "float16", "bfloat16")),
        spelling=pick(rng, ("new", "old")), n_shards=pick(rng, (1, 1, 1, 2)),
        stop_in=pick(rng, ("both", "config", "generation_config")))


def run(options: argparse.Namespace) -> int:
    """Writes options.random configurations; prints one line for each."""
    names = [name for name in options.family or families.NAMES if name != "rope"]
    started = time.monotonic()
    for index in range(options.random):
        family = families.load(names[index % len(names)])
        name = f"{family.name}-{index:04d}"
        place = options.out / "random" / name
        for attempt in range(MOST_TRIES):
            shutil.rmtree(place, ignore_errors=True)
            variant = draw(family, rng_for(options.seed, "random", name, str(attempt)), name)
            try:
                lines = record_variant(family, variant, options.seed, place, False, "layers")
                break
            except IllConditioned:
                continue
        else:
            raise RuntimeError(f"{name}: no well conditioned configuration in {MOST_TRIES} tries")
        what = f"{variant.dtype}, {variant.spelling}, {variant.wrapper}, {variant.experts}"
        print(f"{index + 1}/{options.random} {lines[0]} ({what}, attempt {attempt + 1});"
              f"{lines[1]}", flush=True)
    spent = time.monotonic() - started
    print(f"{options.random} configurations in {spent:.0f} s", flush=True)
    return 0
