"""Runs what the command line asks for: recording variants, the check, or random configurations."""

from __future__ import annotations

import argparse
import filecmp
import shutil
import tempfile
from pathlib import Path

from . import families
from .checkpoint import quiet
from .record import family_variants, record_variant


def run(options: argparse.Namespace) -> int:
    quiet()
    if options.random:
        from . import random_draw
        return random_draw.run(options)
    if not options.check:
        record(options, options.out)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        made = record(options, Path(scratch))
        return compare(Path(scratch), options.out, made)


def record(options: argparse.Namespace, out: Path) -> list[Path]:
    """Records below `out`; returns the recorded paths relative to it. If all variants of a family are recorded,
    the path is the family's directory, so that the check also finds files that no variant makes any more.
    """
    made: list[Path] = []
    for name in options.family or (*families.NAMES, "positions", "rope", "threads", "trained", "bundle"):
        if name == "rope":
            from . import rope
            files = rope.record(out / "rope", options.seed, options.variant)
            made += [Path("rope") / file for file in files] if options.variant else [Path("rope")]
            continue
        if name == "positions":
            if not options.variant:
                from . import positions
                made += [Path("positions") / place
                         for place in positions.record(out / "positions", options.seed)]
            continue
        if name == "threads":
            if not options.variant:
                from . import threads
                made += [Path("threads") / file
                         for file in threads.record(out / "threads", options.seed)]
            continue
        if name == "trained":
            if not options.variant:
                from . import trained_cases
                made += [Path("trained") / place
                         for place in trained_cases.record(out / "trained", options.seed,
                                                       not options.no_observations)]
            continue
        if name == "bundle":
            if not options.variant:
                from .bundle import cases as bundle
                made += [Path("bundle") / place
                         for place in bundle.record(out / "bundle", options.seed, not options.no_observations,
                                                    options.out / "bundle" if options.check else None)]
            continue
        family = families.load(name)
        for variant in family_variants(family, options.seed, options.variant):
            place = Path(name) / variant.name
            shutil.rmtree(out / place, ignore_errors=True)
            lines = record_variant(family, variant, options.seed, out / place,
                                   not options.no_observations)
            print("\n".join(lines), flush=True)
            made.append(place if options.variant else Path(name))
    if not made:
        raise RuntimeError("no variant has that name; see scripts/record/families/")
    return made


def files_below(place: Path) -> list[Path]:
    """The file itself, or all files below a directory."""
    return [file for file in (place, *sorted(place.rglob("*"))) if file.is_file()]


def compare(fresh: Path, committed: Path, places: list[Path]) -> int:
    """Compares byte by byte; prints every file that differs or exists on one side only. Returns 1 if there is
    one."""
    n_files = 0
    differing: list[str] = []
    for place in dict.fromkeys(places):
        for ours, theirs in ((fresh, committed), (committed, fresh)):
            for file in files_below(ours / place):
                relative = file.relative_to(ours)
                n_files += ours is fresh
                other = theirs / relative
                if not other.is_file():
                    differing.append(f"{relative}: only in {ours}")
                elif ours is fresh and not filecmp.cmp(file, other, shallow=False):
                    differing.append(f"{relative}: bytes differ")
    print("\n".join(differing) if differing else f"{n_files} files recorded again, none differs")
    return 1 if differing else 0
