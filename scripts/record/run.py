"""Runs what the command line asks for: recording variants, the check, or random configurations."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import families, pinned
from .case import plan
from .checkpoint.checkpoint import quiet
from .record import family_variants, record_variant
from .support import archives
from .support.comparing import compare
from .variants.variant import Variant


def run(options: argparse.Namespace) -> int:
    quiet()
    if options.random:
        from . import random_draw
        return random_draw.run(options)
    if not options.check:
        record(options, options.out)
        archives.store(options.out)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        made = record(options, Path(scratch))
        return compare(Path(scratch), options.out, made)


SPECIAL = ("positions", "rope", "threads", "trained", "bundle")


@dataclass(frozen=True)
class Unit:
    """What one shard records whole: a variant of a family, or a special group. cost: how many cases it has."""

    name: str
    variant: Variant | None
    cost: int


def units(options: argparse.Namespace) -> list[Unit]:
    """All that the command line asks for. A special group counts as a family of 20 cases."""
    found: list[Unit] = []
    for name in options.family or (*families.NAMES, *SPECIAL):
        if name in SPECIAL:
            found += [Unit(name, None, 20)] if name == "rope" or not options.variant else []
        else:
            found += [Unit(name, variant, len(plan.plan(variant)))
                      for variant in family_variants(families.load(name), options.seed, options.variant)]
    return found


def record(options: argparse.Namespace, out: Path) -> list[Path]:
    """Records below `out`; returns the recorded paths relative to it. If all variants of a family are recorded,
    the path is the family's directory, so that the check also finds files that no variant makes any more.
    """
    made: list[Path] = []
    wanted = units(options)
    if not wanted:
        raise RuntimeError("no variant has that name; see scripts/record/families/")
    if options.shard:
        wanted = [wanted[i] for i in options.shard.kept([unit.cost for unit in wanted])]
    for unit in wanted:
        if unit.variant is None:
            made += record_special(unit.name, options, out)
            continue
        place, family = Path(unit.name) / unit.variant.name, families.load(unit.name)
        if pinned.is_elsewhere(family):
            pinned.record(family, [unit.variant.name], options, out)
        else:
            print("\n".join(record_whole(unit, options, out / place)), flush=True)
        made.append(place if options.variant or options.shard else Path(unit.name))
    return made


def record_whole(unit: Unit, options: argparse.Namespace, place: Path) -> list[str]:
    """Records a variant next to its place, and then moves it there: a shard that is started again while its first process still
    runs leaves a whole variant."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}.", dir=place.parent) as scratch:
        unfinished = Path(scratch) / place.name
        lines = record_variant(families.load(unit.name), unit.variant, options.seed, unfinished)
        shutil.rmtree(place, ignore_errors=True)
        unfinished.replace(place)
    return lines


def record_special(name: str, options: argparse.Namespace, out: Path) -> list[Path]:
    if name == "rope":
        from .operations import rope
        files = rope.record(out / "rope", options.seed, options.variant)
        return [Path("rope") / file for file in files] if options.variant else [Path("rope")]
    if name == "positions":
        from .operations import positions
        return [Path("positions") / place for place in positions.record(out / "positions", options.seed)]
    if name == "threads":
        from .thread import recording as threads
        return [Path("threads") / file for file in threads.record(out / "threads", options.seed)]
    if name == "trained":
        from .trained import cases as trained_cases
        return [Path("trained") / place for place in trained_cases.record(out / "trained", options.seed)]
    from .bundle import cases as bundle
    return [Path("bundle") / place for place in bundle.record(
        out / "bundle", options.seed, options.out / "bundle" if options.check else None)]
