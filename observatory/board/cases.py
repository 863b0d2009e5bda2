"""What a case is, as `assay info --json` describes the case and the plan of its checkpoint; and the properties by which the scoreboard groups cases."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .running import TOP

NUMERIC = ("logits", "generate", "positions")  # kinds that every adapter is asked for
LONG = 64  # positions
AT_ONCE = 200  # paths of a command line


@dataclass(frozen=True)
class Plan:
    """Of a checkpoint; the defaults are those of one that the loader does not know. window: the smallest; 0: none."""

    family: str = ""
    window: int = 0
    ropes: frozenset[str] = frozenset()
    quantised: bool = False
    experts: bool = False
    recurrent: bool = False


@dataclass(frozen=True)
class Case:
    """n_samples 0: no prompts. n_positions: of the longest sample, with what is decoded. inputs: name -> shape."""

    name: str
    kind: str
    n_samples: int = 0
    n_positions: int = 0
    inputs: dict[str, list[int]] = field(default_factory=dict)
    limited: bool = False
    plan: Plan = Plan()

    @property
    def family(self) -> str:
        return self.plan.family or self.name.split("/")[0]

    def count(self, *names: str) -> int:
        """The images or videos of these inputs, which have a row for each."""
        return max((self.inputs[name][0] for name in names if name in self.inputs), default=0)


@dataclass(frozen=True)
class Property:
    """A row of the scoreboard; a case may have several."""

    name: str
    title: str
    has: Callable[[Case], bool]


def rope(*types: str) -> Callable[[Case], bool]:
    return lambda case: bool(case.plan.ropes & set(types))


def n_images(case: Case) -> int:
    return case.count("image_grid_thw", "image_position_ids")


PROPERTIES = (
    Property("single", "one sequence", lambda case: case.n_samples == 1 and case.kind == "logits"),
    Property("batch", "batch of unequal prompts", lambda case: case.n_samples > 1 and case.kind != "positions"),
    Property("greedy", "greedy tokens", lambda case: case.kind == "generate"),
    Property("long", f"{LONG} positions and more", lambda case: case.n_positions >= LONG and case.kind != "positions"),
    Property("window", "beyond a sliding window", lambda case: 0 < case.plan.window < case.n_positions and case.kind != "positions"),
    Property("limit", "cache with a limit", lambda case: case.limited),
    Property("linear", "linear and dynamic rope", rope("linear", "dynamic")),
    Property("llama3", "llama3 rope", rope("llama3")),
    Property("yarn", "yarn", rope("yarn")),
    Property("longrope", "longrope", rope("longrope")),
    Property("experts", "experts", lambda case: case.plan.experts),
    Property("recurrent", "linear attention (gated delta net)", lambda case: case.plan.recurrent),
    Property("quantised", "quantised weights", lambda case: case.plan.quantised),
    Property("image", "images", lambda case: case.kind != "positions" and n_images(case) > 0),
    Property("images", "several images", lambda case: case.kind != "positions" and n_images(case) > 1),
    Property("videos", "videos", lambda case: case.kind != "positions" and case.count("video_grid_thw") > 0),
    Property("positions", "positions of images (M-RoPE)", lambda case: case.kind == "positions"),
)


def read_plan(told: dict[str, Any]) -> Plan:
    """told: the member `checkpoint` of a subject of `assay info --json`."""
    attentions = [layer["attention"] for layer in told["layers"] if layer["attention"]]
    return Plan(told["family"].removesuffix("_text"), min((one["window"] for one in attentions if one["window"]), default=0),
                frozenset(rope["type"] for rope in told["ropes"]), any(storage["bits"] for storage in told["storages"]),
                any(layer["experts"] for layer in told["layers"]), any(layer["delta"] for layer in told["layers"]))


def read_case(told: dict[str, Any], name: str, plan: Plan) -> Case:
    """told: the member `case` of a subject of `assay info --json`."""
    lengths = told["prompts"]["lengths"] if told["prompts"] else []
    inputs = {one["name"]: one["shape"] for one in told["inputs"] or []}
    n_positions = max(lengths, default=0) + max(told["steps"].values() if told["steps"] else (0,))
    return Case(name, told["kind"], len(lengths), n_positions, inputs, bool(told["cache"]), plan)


def ask(assay: Path, paths: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Path -> what `assay info --json` tells about it; no entry for what it cannot read."""
    some, found = list(paths), {}
    for start in range(0, len(some), AT_ONCE):
        done = subprocess.run([str(assay), "info", "--json", "-", *some[start:start + AT_ONCE]], cwd=TOP, capture_output=True, text=True)
        found |= {one["path"]: one for one in json.loads(done.stdout)["subjects"] if one["error"] is None}
    return found


def describe(assay: Path, names: dict[str, str]) -> dict[str, Case]:
    """names: path -> name. Returns name -> case; a case that cannot be read is left out."""
    told = {path: one["case"] for path, one in ask(assay, names).items() if "case" in one}
    models = {one["model"] for one in told.values() if one["model"]}
    plans = {path: read_plan(one["checkpoint"]) for path, one in ask(assay, sorted(models)).items()}
    return {names[path]: read_case(one, names[path], plans.get(one["model"], Plan())) for path, one in told.items()}
