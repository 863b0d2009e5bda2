"""What a case is, as `assay info` describes the case and the plan of its checkpoint; and the properties by which the scoreboard groups cases."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

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


def lines_of(block: str, label: str) -> list[str]:
    """The values of the lines that begin with the label."""
    return re.findall(rf"^{label} +(.*)$", block, re.MULTILINE)


def read_plan(block: str) -> Plan:
    windows = [int(n) for n in re.findall(r", window (\d+)", block)]
    family = re.findall(r"\((\w+)\)$", lines_of(block, "model")[0])
    return Plan(family[0].removesuffix("_text") if family else "", min(windows, default=0),
                frozenset(line.split(",")[0] for line in lines_of(block, r"rope \d+")),
                any(" bits in groups" in line for line in lines_of(block, "stored")),
                bool(re.search(r"^ +experts \d", block, re.MULTILINE)), "gated delta net" in block)


def read_case(block: str, name: str, plan: Plan) -> Case:
    numbers = [[int(n) for n in re.findall(r"\d+", line)] for line in lines_of(block, "samples")]
    steps = [[int(n) for n in re.findall(r"\d+", line)] for line in lines_of(block, "steps")] or [[0, 0]]
    inputs = {one.split(" ")[0]: [int(n) for n in re.findall(r"\d+", one.split("[")[-1])] for one in lines_of(block, "input")}
    n_samples, n_positions = (numbers[0][0], max(numbers[0][2:]) + max(steps[0])) if numbers else (0, 0)
    return Case(name, lines_of(block, "kind")[0], n_samples, n_positions, inputs, bool(lines_of(block, "caches")), plan)


def ask(assay: Path, paths: Iterable[str]) -> dict[str, str]:
    """Path -> what `assay info` prints of it; no entry for what it cannot read."""
    some, blocks = list(paths), {}
    for start in range(0, len(some), AT_ONCE):
        done = subprocess.run([str(assay), "info", *some[start:start + AT_ONCE]], cwd=TOP, capture_output=True, text=True)
        for block in done.stdout.split("\n\n"):
            if head := re.match(r"(?:case|model) +(.*?)(?: \(\w+\))?$", block.lstrip("\n"), re.MULTILINE):
                blocks[head[1]] = block
    return blocks


def describe(assay: Path, names: dict[str, str]) -> dict[str, Case]:
    """names: path -> name. Returns name -> case; a case that cannot be read is left out."""
    blocks = ask(assay, names)
    models = {path: found[0] for path, block in blocks.items() if (found := lines_of(block, "model"))}
    plans = {path: read_plan(block) for path, block in ask(assay, sorted(set(models.values()))).items()}
    return {names[path]: read_case(block, names[path], plans.get(models.get(path, ""), Plan())) for path, block in blocks.items()}
