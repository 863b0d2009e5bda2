"""Runs processes and reads their answers: peers in their venvs, `assay bench`, and the logits of both."""

from __future__ import annotations

import array
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from . import draw
from .cells import GROUPS, Point, System, Time

TOP = Path(__file__).resolve().parents[2]
AGREE_PROMPT = 32


class Failure(Exception):
    """The reason why a process gave no answer."""


class Bench(NamedTuple):
    """The results of one call of `assay bench`: the machine, times and limits of engines, and error messages."""
    machine: dict[str, Any]
    times: dict[tuple[str, Point], Time]
    limits: dict[tuple[str, Point], tuple[float, str]]
    troubles: list[str]


class Likeness(NamedTuple):
    error: float
    alike: float  # cosine
    same_token: bool


def ask(command: list[str], seconds: float) -> dict[str, Any]:
    """Runs a command, and returns the JSON that it printed as a whole or in its last line. Raises Failure."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=TOP,
                              errors="replace", env=os.environ | {"HF_HUB_OFFLINE": "1"})
    except subprocess.TimeoutExpired:
        raise Failure(f"no answer within {seconds:g} s") from None
    except OSError as error:
        raise Failure(str(error)) from None
    lines = done.stdout.strip().splitlines()
    for text in (done.stdout, lines[-1] if lines else ""):
        try:
            return json.loads(text)
        except ValueError:
            continue
    said = done.stderr.strip().splitlines()
    raise Failure(said[-1] if said else f"exit status {done.returncode}")


def peer_command(python: Path, system: System, models: Path) -> list[str]:
    return [str(python), "-m", "observatory.peers.measure", "--peer", system.peer, "--model",
            str(models / system.model), "--group", system.group, "--how", system.how]


def prompt_words(command: list[str], point: Point) -> list[str]:
    """The arguments of observatory.peers.measure for a point's prompt. The model of a peer for images may be no checkpoint;
    what the tower takes stands in the float32 one beside it."""
    words = ["--prompt", str(point.prompt)]
    if not point.pictures:
        return words
    model = Path(command[command.index("--model") + 1])
    return [*words, "--images", str(point.pictures), "--checkpoint", str(model.parent / GROUPS["f32"])]


def measure_peer(command: list[str], point: Point, n_ids: int, n_tokens: int, seed: int,
                 seconds: float) -> tuple[Time, str]:
    """The time, and the peer's own remarks (`told`)."""
    answer = ask([*command, "--measure", point.measure, *prompt_words(command, point),
                  "--batch", str(point.batch), "--tokens", str(n_tokens), "--ids", str(n_ids),
                  "--seed", str(seed), "--asked", repr(time.monotonic())], seconds)
    tokens = {"first token": 1, "prefill": point.prompt * point.batch,
              "decode": answer["steps"] * point.batch}[point.measure]
    warm = answer["seconds"] - (answer["loading"] if point.measure == "first token" else 0)
    return Time(tokens / answer["seconds"], answer["peak_bytes"], tokens / warm), answer["told"]


def read_bench(answer: dict[str, Any], asked: list[Point] | None = None) -> Bench:
    """Reads a JSON document of `assay bench` in which each point occurs once. asked: points, to find those with
    images, of which the document has the number only."""
    found = Bench(answer["machine"], {}, {}, [])
    for one in answer["results"]:
        point = Point(one["measure"], one["prompt"], one["batch"])
        point = next((p for p in asked or [] if p.pictures and p._replace(pictures=None) == point
                      and p.pictures.n == one["images"]), point)
        if one["best"] is None:
            found.troubles.append(f"{one['engine']}, {point}: {one['reason']}")
            continue
        key = one["engine"], point
        found.times[key] = Time(one["best"], one["peak_bytes"], one["best"])
        if one["fraction"] is not None:
            found.limits[key] = one["fraction"], one["bound"]
    return found


def measure_assay(assay: Path, model: Path, engines: list[str], extra: list[str],
                  asked: list[Point], batch: int, n_tokens: int, seed: int, seconds: float) -> Bench:
    words = [("--engine", name) for name in engines]
    words += [("--context" if p.measure == "decode" else "--prompt", str(p.pictures or p.prompt))
              for p in asked]
    return read_bench(ask(
        [str(assay), "bench", "--model", str(model), "--repeat", "1", "--json", "-",
         "--tokens", str(n_tokens), "--seed", str(seed), "--batch", str(batch),
         "--timeout", f"{seconds:g}", *(word for pair in words for word in pair), *extra],
        seconds * (2 + len(asked)) * len(engines)), asked)


def find_engine(assay: Path, name: str) -> Path:
    """The module of an engine: a path, or the name of a bundled engine in the program's build directory."""
    if "/" in name:
        return Path(name)
    found = sorted(assay.resolve().parents[1].glob(f"*/{name}.so"))
    if not found:
        raise Failure(f"{name}: there is no */{name}.so in {assay.resolve().parents[1]}")
    return found[0]


def read_floats(path: Path, n: int) -> list[array.array]:
    """Reads rows of n float32, and removes the file."""
    data = array.array("f", path.read_bytes())
    path.unlink()
    if n == 0 or len(data) % n or not data:
        raise Failure(f"{len(data)} logits, expected a multiple of {n}")
    return [data[at:at + n] for at in range(0, len(data), n)]


def our_logits(assay: Path, engine: str, model: Path, n_ids: int, out: Path,
               seconds: float, compute: str = "", shown: Point | None = None) -> list[array.array]:
    """shown: a prompt with images instead of tokens alone."""
    tokens = ",".join(map(str, draw.tokens(0, 2 * AGREE_PROMPT, n_ids)[:AGREE_PROMPT]))
    prompt = (["--images", str(shown.pictures), "--ids", str(n_ids)] if shown
              else ["--tokens", tokens])
    ask([sys.executable, "-m", "observatory.peers.ours", "--engine", str(find_engine(assay, engine)),
         "--model", str(model), *prompt, "--out", str(out),
         "--compute", compute], seconds)
    return read_floats(out, n_ids)


def peer_logits(command: list[str], n_ids: int, out: Path, seconds: float,
                shown: Point | None = None) -> list[array.array]:
    """Two rows of logits: the same position prefilled, and decoded; of a prompt with images one, prefilled."""
    point = shown or Point("prefill", AGREE_PROMPT)
    ask([*command, "--logits", str(out), *prompt_words(command, point), "--ids", str(n_ids),
         "--seed", "0"], seconds)
    return read_floats(out, n_ids)


def likeness(truth: array.array, found: list[array.array]) -> Likeness:
    """How close the rows are to `truth`: the worst value over all rows."""
    error, alike, best = 0.0, 1.0, max(range(len(truth)), key=truth.__getitem__)
    same = True
    for row in found:
        if not all(map(math.isfinite, row)):
            return Likeness(math.inf, 0, False)
        error = max(error, max(abs(a - b) for a, b in zip(truth, row)))
        norm = math.sqrt(math.fsum(a * a for a in truth) * math.fsum(b * b for b in row))
        alike = min(alike, math.fsum(a * b for a, b in zip(truth, row)) / norm if norm else 0)
        same = same and max(range(len(row)), key=row.__getitem__) == best
    return Likeness(error, alike, same)


def checkpoint_command(python: Path, shape: str, group: str, path: Path) -> list[str]:
    bits = {"8-bit": ["--bits", "8"], "4-bit": ["--bits", "4"]}.get(group, [])
    dtype = "float32" if GROUPS[group] == "float32" else "bfloat16"
    return [str(python), "-m", "scripts.record.bench_checkpoint", "--shape", shape,
            "--dtype", dtype, *bits, str(path)]
