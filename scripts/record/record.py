"""Records whole variants: checkpoint, cases, traces."""

from __future__ import annotations

import os
import time
from pathlib import Path

from .case import case_file, cases, plan, sensitivity
from .checkpoint.checkpoint import Checkpoint
from .formats import rows, stored
from .operations import positions
from .rewrites import published
from .support import checksums
from .variants.variant import Family, Variant, dims_for


def record_variant(family: Family, variant: Variant, seed: int, directory: Path,
                   traces: str = "by case") -> list[str]:
    """Writes one variant below `directory`; returns a line for each case.

    traces: `by case`, or `layers` everywhere.
    """
    started = time.monotonic()
    checkpoint = Checkpoint(family, variant, seed, published.check)
    idle_id = checkpoint.idle_id
    recordings, left_out = draw_cases(checkpoint, idle_id)
    stops = [r.stop_id for r in recordings if r.stop_id is not None]
    checkpoint.write(directory / "model", stops or [idle_id], idle_id)
    checksums.write(directory / "model")
    lines = [f"  left out: {why}" for why in left_out]
    for recording in recordings:
        path = directory / f"{recording.case.name}.h5"
        detail = recording.case.traces if traces == "by case" else traces
        if checkpoint.variant.stored and detail == "fine":  # of other variants of the family
            detail = "layers"
        model = os.path.relpath(directory / "model" / stored.model_file(checkpoint.variant.stored), path.parent)
        result = case_file.write(checkpoint, recording, path, model, detail)
        line = (f"  {recording.case.name}: noise {result['noise']:.1e}, {result['draws']} draws")
        if result["cached"] > case_file.CACHE_AGREES:
            line += (f"; note: cache and whole-sequence disagree by {result['cached']:.1e} "
                     "(flagged disputed)")
        if result["missing"]:
            line += f"; no run in {', '.join(result['missing'])}"
        lines.append(line)
    lines += [positions.write(checkpoint, case, directory / f"{case.name}.h5")
              for case in plan.plan(variant) if case.kind == "positions"]
    lines += [sensitivity.prove(checkpoint, recordings, kind) for kind in variant.proves]
    size = sum(f.stat().st_size for f in directory.rglob("*") if f.is_file())
    head = f"{family.name}/{variant.name or directory.name}: {size / 1024:.0f} KiB, " \
           f"{time.monotonic() - started:.1f} s"
    return [head, *lines]


def draw_cases(checkpoint: Checkpoint, idle_id: int) -> tuple[list[cases.Recording], list[str]]:
    """The cases of a variant, and the reasons why some were left out: with drawn dimensions there may be no
    suitable prompt."""
    recordings: list[cases.Recording] = []
    left_out: list[str] = []
    for case in plan.plan(checkpoint.variant):
        if case.kind == "positions":
            continue
        try:
            recordings.append(cases.draw(checkpoint, case, idle_id, recordings))
        except cases.IllConditioned as error:
            if checkpoint.seed == 0:
                raise
            left_out.append(str(error))
    if not recordings:
        raise cases.IllConditioned("; ".join(left_out))
    return recordings, left_out


def family_variants(family: Family, seed: int, only: list[str] | None) -> list[Variant]:
    base = dims_for(family, seed)
    made = [*family.variants(base), *rows.variants(family, base)]
    return [v for v in made if not only or v.name in only]
