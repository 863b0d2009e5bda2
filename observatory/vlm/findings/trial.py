"""A case that mlx-vlm runs as it is published, and again with a cause repaired, for the entries of observatory/FINDINGS.md."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from scripts.record.support import h5

from ...observe.table import LIMIT, judge
from ..observation import run
from ..repairs import general as repairs
from ..spelling import respelled, with_config

FIXTURES = Path("fixtures")
SHOWN: dict[str, Callable[[], float]] = {}  # name -> function: largest error in bounds; infinite: no result


@dataclass(frozen=True)
class Trial:
    """A case and how it is run."""

    case: str
    together: bool = False
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        how = ["together" if self.together else "alone"]
        how += [f"{name} {value}" for name, value in self.options.items()]
        return f"{self.case}, {', '.join(how)}"


class RepairFails(Exception):
    """A repaired run diverges."""


def shows(function: Callable[[], float]) -> Callable[[], float]:
    SHOWN[function.__name__.replace("_", "-")] = function
    return function


def entry(name: str, title: str, *runs: Callable[[], float]) -> None:
    """The entry `name` is shown by these runs."""
    def worst() -> float:
        return max(run() for run in runs)
    worst.__doc__ = title
    SHOWN[name] = worst


def below(place: str, *names: str) -> list[str]:
    return [f"{place}/{name}" for name in names]


def alone(cases: list[str], *causes: repairs.Repair, loads: tuple[repairs.Repair, ...] = (), **options: Any) -> Callable[[], float]:
    """Each sample on its own, as `compare` says. options: of Trial."""
    return lambda: compare([Trial(case, options=options) for case in cases], *causes, loads=loads)


def together(cases: list[str], *causes: repairs.Repair, loads: tuple[repairs.Repair, ...] = (), **options: Any) -> Callable[[], float]:
    """The samples of a case in one batch generator, as `compare` says."""
    return lambda: compare([Trial(case, True, options) for case in cases], *causes, loads=loads)


def together_alone(cases: list[str], *causes: repairs.Repair) -> Callable[[], float]:
    """Samples in one batch generator, as published, which no repair mends; each alone agrees if these causes are repaired."""
    def run() -> float:
        worst = 0.0
        for case in cases:
            (found, _), (one, _) = times(Trial(case, True)), times(Trial(case), causes)
            print(f"  {case}: {found:.3g} times the bound; alone {one:.3g}")
            worst = max(worst, found)
            if one > 1:
                raise RepairFails(case)
        return worst
    return run


@contextlib.contextmanager
def opened(case: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """(checkpoint in the spelling that mlx-vlm reads, its config)."""
    model = FIXTURES / case.rpartition("/")[0] / "model"
    config = json.loads((model / "config.json").read_text())
    other = respelled(config)
    if other is None:
        yield model, config
        return
    with with_config(model, other) as place:
        yield place, other


def first_tensor(case: str, golden: dict[str, np.ndarray], found: dict[str, np.ndarray]) -> str:
    """The first recorded tensor that is out of its bound."""
    place = {"patch": 0, "out": 1, "merged": 3, "attn": 0, "mlp": 1, "experts": 2}
    with h5py.File(FIXTURES / f"{case}.h5") as file:
        noise = {name: data.attrs.get("noise") for name, data in file.get("trace", {}).items()}

    def rank(name: str) -> tuple:
        parts = name.split(".")
        stage = ("vision", "audio", "embed", "layer", "norm").index(parts[0])
        if parts[-1] in ("patch", "merged") or "deepstack" in parts:
            return stage, {"patch": -1, "merged": 1000}.get(parts[-1], 1001), 0
        return stage, int(parts[1]) if len(parts) > 2 else 0, place.get(parts[-1], 0) + 2 * (parts[-1] == "out")

    for name in sorted(noise, key=rank):
        tensor = found.get(f"/observed/trace/{name}")
        if tensor is not None and noise[name] and np.abs(tensor - golden[f"/trace/{name}"]).max() > LIMIT * noise[name]:
            return f"; first tensor {name}"
    return ""


def times(trial: Trial, causes: tuple[repairs.Repair, ...] = ()) -> tuple[float, str]:
    """(the error of a run in bounds, infinite without a result; the first tensor that is wrong). causes: what is
    repaired."""
    golden, attributes = h5.read(FIXTURES / f"{trial.case}.h5")
    with opened(trial.case) as (model, config), contextlib.ExitStack() as stack:
        for repair in causes:
            stack.enter_context(repair(config))
        try:
            found = run(model, golden, trial.together, attributes.get("cache_limit"), **trial.options)
        except Exception as error:  # any error of mlx-vlm is its result
            if causes:
                raise
            print(f"  {trial}: {type(error).__name__}: {str(error)[:100]}")
            return np.inf, ""
    judged = judge(golden, found)
    return (judged.times if judged.agrees or judged.times > 1 else np.inf), first_tensor(trial.case, golden, found)


def compare(trials: list[Trial], *causes: repairs.Repair, loads: tuple[repairs.Repair, ...] = ()) -> float:
    """Prints each trial as published and repaired; the largest error as published. loads: repairs without which mlx-vlm
    does not open the checkpoint, in both runs."""
    worst = 0.0
    for trial in trials:
        (found, tensor), (repaired, _) = times(trial, loads), times(trial, (*loads, *causes))
        print(f"  {trial}: {found:.3g} times the bound{tensor}; repaired {repaired:.3g}", flush=True)
        worst = max(worst, found)
        if not repaired <= 1:
            raise RepairFails(str(trial))
    return worst
