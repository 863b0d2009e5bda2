"""Records cases of a user's checkpoint: which rows and tokens they have, and their files."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from ..case import case_file, cases
from ..runs import narrow
from ..support import distances, h5, shards
from . import coded, documents, links, prompts, skeleton
from .documents import Unsupported
from .prompts import Sample
from .runs import Result, Runs

# The largest float32 noise of a case relative to its largest logit (conformance/judge/noise.h, conf_noise_max).
MOST_NOISE = 2.0 ** -14


@dataclass(frozen=True)
class Request:
    """What the command line asks for. config: of a GGUF file, the directory of the published model. rows: `last:N`, `all` or a list of
    positions. types: beside float64 and float32; None: bfloat16, or those of llama.cpp for a GGUF file. root: cases name the checkpoint by its path below it; None: by links next to them."""

    checkpoint: Path
    config: Path | None
    root: Path | None
    prompts: Path
    images: Path | None
    out: Path
    rows: str
    n_decode: int
    types: tuple[str, ...] | None
    traces: tuple[str, ...]
    catches: str | None
    shard: shards.Shard | None
    whole: bool
    keep_work: bool
    note: Callable[[str], None]

    def types_of_runs(self) -> tuple[str, ...]:
        return coded.usual_types(self.checkpoint) if self.types is None else self.types

    def texts(self) -> Path:
        """The directory with config.json and tokenizer."""
        if not self.checkpoint.is_file():
            return self.checkpoint
        if self.config is None or not (self.config / "config.json").is_file():
            raise Unsupported(f"--config {self.config}: found no config.json, expected the directory of the published model from which {self.checkpoint} "
                              "was made")
        return self.config


def wanted_rows(text: str, sample: Sample) -> tuple[int, ...]:
    """The listed positions of a prompt; its last row is always one of them, because it decides the first token."""
    n = len(sample.prompt)
    if text == "all":
        return tuple(range(n))
    if text.startswith("last:"):
        return tuple(range(max(0, n - int(text[5:])), n))
    listed = [int(part) for part in text.split(",")]
    for row in listed:
        if not -n <= row < n:
            raise Unsupported(f"{sample.place}: --rows: found {row}, expected {-n} to {n - 1} for this prompt of {n} tokens")
    return tuple(sorted({row % n for row in listed} | {n - 1}))


def open_work(request: Request, samples: list[Sample], named: dict[str, str]) -> Path:
    """The directory for what passes leave. If there is one, it must be of the same request."""
    digest = hashlib.sha256()
    for sample in samples:
        digest.update(json.dumps([sample.case, list(sample.prompt)]).encode())
        for medium in sample.prompt.media:
            for name, array in medium.arrays.items():
                digest.update(f"{name} {array.shape}".encode() + array.tobytes())
    described = {
        "checkpoint": (request.out / f"{named.get('model', 'model')}.crc32").read_text(), "prompts": digest.hexdigest(), "rows": request.rows,
        "decode": request.n_decode, "traces": list(request.traces), "whole": request.whole, "threads": torch.get_num_threads(),
        "versions": [torch.__version__, transformers.__version__]}
    work, text = request.out / (f"work-{request.shard}" if request.shard else "work"), json.dumps(described, indent=1)
    manifest = work / "request.json"
    if manifest.exists() and manifest.read_text() != text:
        earlier = json.loads(manifest.read_text())
        name = next(name for name in described if described[name] != earlier.get(name))
        raise Unsupported(f"{manifest}: belongs to a recording with another value of `{name}`; remove {work} to start again")
    if manifest.exists():
        request.note(f"continues the recording in {work}")
    work.mkdir(parents=True, exist_ok=True)
    manifest.write_text(text)
    return work


@contextlib.contextmanager
def locked(work: Path) -> Iterator[None]:
    """Refuses a second process that records the same: after a node has failed, a shard may be started again while the first process
    still runs. A process that ends gives the lock back, however it ends."""
    with open(work / "lock", "w") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Unsupported(f"{work}: another process is recording there: {error.strerror}") from None
        yield


def of_shard(samples: list[Sample], request: Request) -> list[Sample]:
    """The samples of the cases of the request's shard. A case costs the tokens of its passes; all of them go through the same layers."""
    if request.shard is None:
        return samples
    names = list(dict.fromkeys(sample.case for sample in samples))
    costs = [sum(len(s.prompt) * (1 + request.n_decode) for s in samples if s.case == name) for name in names]
    kept = {names[i] for i in request.shard.kept(costs)}
    return [sample for sample in samples if sample.case in kept]


def record(request: Request) -> list[str]:
    """Records all cases, or those of a shard. Returns a line for each. Raises Unsupported if one cannot be judged; the others are
    written."""
    documents.check(request.checkpoint)
    config = skeleton.read_config(request.texts())
    skeleton.model_class(config, request.texts())
    samples = prompts.read_prompts(request.prompts, request.texts(), request.images, config.get_text_config().vocab_size)
    samples = of_shard(samples, request)
    if not samples:
        return [f"shard {request.shard}: no case"]
    names = list(dict.fromkeys(sample.case for sample in samples))
    first = {next(i for i, s in enumerate(samples) if s.case == name) for name in names}
    rows = [wanted_rows(request.rows, sample) for sample in samples]
    named = links.refer_to(request.checkpoint, request.root, request.out)
    work = open_work(request, samples, named)
    with locked(work):
        return record_in(request, samples, names, first, rows, named, work)


def record_in(request: Request, samples: list[Sample], names: list[str], first: set[int], rows: list[tuple[int, ...]], named: dict[str, str],
              work: Path) -> list[str]:
    runs = Runs(request.texts(), request.checkpoint, samples, rows, request.n_decode, request.traces, first, work, request.whole, request.note)
    truth, decode = runs.truth()
    narrower = {name: runs.narrower(name, decode) for name in ("float32", *request.types_of_runs())}
    lines, refused = [], []
    for name in names:
        of_case = [i for i, sample in enumerate(samples) if sample.case == name]
        case = Case(name, [samples[i] for i in of_case], [rows[i] for i in of_case], [decode[i] for i in of_case],
                    [truth[i] for i in of_case], {k: [v[i] for i in of_case] for k, v in narrower.items()})
        try:
            lines.append(write(case, request, named, runs.whole))
        except Unsupported as error:
            refused.append(str(error))
    if not request.keep_work:
        shutil.rmtree(work)
    if refused:
        raise Unsupported("\n".join([*lines, *refused]))
    return lines


@dataclass(frozen=True)
class Case:
    name: str
    samples: list[Sample]
    rows: list[tuple[int, ...]]
    decode: list[list[int]]
    truth: list[Result]
    runs: dict[str, list[Result]]

    def largest(self) -> float:
        return float(max(np.abs(part).max() for r in self.truth for part in (r.prefill, r.decode) if part.size))

    def noise(self, name: str) -> float:
        return float(max(np.abs(a - b).max() for r, t in zip(self.runs[name], self.truth)
                         for a, b in ((r.prefill, t.prefill), (r.decode, t.decode)) if a.size))

    def distances(self, name: str) -> np.ndarray:
        """The largest of each of the three distances of a run's rows from the truth."""
        truth, run = (np.concatenate([part for r in results for part in (r.prefill, r.decode) if part.size]).astype(np.float64)
                      for results in (self.truth, self.runs[name]))
        return distances.distances(truth, run).max(-1)

    def deciding(self, sample: int) -> np.ndarray:
        """The rows [N, V] that decide the greedy tokens."""
        return np.concatenate([self.truth[sample].prefill[-1:], self.truth[sample].decode])[:len(self.decode[sample])]

    def stream(self, sample: int, stops: list[int]) -> list[int]:
        """The greedy tokens up to the stop id."""
        tokens = self.decode[sample]
        end = next((k + 1 for k, token in enumerate(tokens) if token in stops), len(tokens))
        return tokens[:end]


def decided(case: Case, stops: list[int], note: Callable[[str], None]) -> int:
    """The number of greedy tokens that no candidate within its bound can change, of all samples of a case: on each deciding
    row the largest logit leads by more than twice the bound."""
    least = 2 * narrow.APART * max(case.noise("float32"), cases.FLOOR * case.largest())
    most = max(len(tokens) for tokens in case.decode)
    for index, sample in enumerate(case.samples):
        margins = cases.margins(case.deciding(index))[:len(case.stream(index, stops))]
        if (margins <= least).any():
            step = int((margins <= least).argmax())
            note(f"{sample.place}: greedy token {step} leads by {margins[step]:.1e}, less than {least:.1e}, twice the bound of "
                 f"a float32 engine: case {case.name} has the tokens before it")
            most = min(most, step)
    return most


def listed(rows: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(rows)


def run_datasets(name: str, results: list[Result], dtype: Any) -> dict[str, np.ndarray]:
    return {f"/expect/{name}/prefill": listed([r.prefill for r in results]).astype(dtype),
            f"/expect/{name}/decode": np.stack([r.decode for r in results]).astype(dtype)}


def left_out(case: Case, name: str, stops: list[int], n_tokens: int) -> str | None:
    """Why a run in a narrower type cannot judge candidates (cases.narrow_runs)."""
    noise = case.noise(name)
    if narrow.APART * noise >= case.largest():
        return f"its noise is {noise:.1e}, and logits of zero would agree with a largest logit of {case.largest():.1e}"
    if n_tokens and stops and not all(
            narrow.stops_alike(case.deciding(i), noise, np.array(case.stream(i, stops)[:n_tokens]), stops)
            for i in range(len(case.samples))):
        return f"its noise is {noise:.1e}, which may end a stream elsewhere"
    return None


def token_datasets(case: Case, stops: list[int], n_tokens: int) -> dict[str, Any]:
    tokens = np.full((len(case.samples), n_tokens), -1, np.int32)
    finish = []
    for index, row in enumerate(tokens):
        stream = case.stream(index, stops)[:n_tokens]
        row[:len(stream)] = stream
        finish.append("stop" if stream[-1] in stops else "length")
    return {"/expect/tokens": tokens, "/expect/finish": finish}


def write(case: Case, request: Request, named: dict[str, str], whole: bool) -> str:
    """Writes the file of a case. Returns a line about it."""
    noise, largest = case.noise("float32"), case.largest()
    if noise > MOST_NOISE * largest:
        raise Unsupported(f"case {case.name}: the float32 run is {noise:.1e} away from the truth, expected at most "
                          f"{MOST_NOISE * largest:.1e} for a largest logit of {largest:.1e}: float32 cannot decide this prompt "
                          "(an expert near a tie?); use another one")
    stops = documents.stop_ids(request.texts())
    n_tokens = decided(case, stops, request.note) if request.n_decode else 0
    datasets: dict[str, Any] = {
        "/input/tokens": h5.left_pad([np.array(s.prompt, np.int32) for s in case.samples], 0),
        "/input/length": np.array([len(s.prompt) for s in case.samples], np.int32),
        "/input/decode": np.array(case.decode, np.int32).reshape(len(case.samples), request.n_decode),
        "/expect/rows": np.array([(i, row) for i, rows in enumerate(case.rows) for row in rows], np.int32),
        **run_datasets("truth", case.truth, np.float64), **run_datasets("float32", case.runs["float32"], np.float32),
        **prompts.datasets(case.samples)}
    parts = [f"{case.name}.h5: {len(case.samples)} samples, {len(datasets['/expect/rows'])} rows, {n_tokens} greedy tokens, "
             f"noise {noise:.1e}"]
    for name in request.types_of_runs():
        reason = left_out(case, name, stops, n_tokens)
        if reason is None and name in cases.WITH_ROWS:
            datasets |= run_datasets(name, case.runs[name], np.float32)
        elif reason is None:
            datasets[f"/expect/{name}/noise"] = case.distances(name)
        parts.append(f"{name} {case.noise(name):.1e}" if reason is None else f"no run in {name}: {reason}")
    if n_tokens:
        datasets |= token_datasets(case, stops, n_tokens)
    traces, again = case.truth[0].traces, case.runs["float32"][0].traces
    datasets |= {f"/trace/{name}": tensor for name, tensor in traces.items()}
    attributes = {"kind": "generate" if n_tokens else "logits", **named, "source": source(whole),
                  "recorder": "scripts/record/own"}
    if request.catches:
        attributes["catches"] = request.catches
    unfinished = request.out / f".{case.name}.{os.getpid()}"
    h5.write(unfinished, attributes, datasets,
             {f"/trace/{name}": np.abs(again[name] - tensor).max() for name, tensor in traces.items()})
    unfinished.replace(request.out / f"{case.name}.h5")
    return "; ".join(parts)


def source(whole: bool) -> str:
    """case_file.SOURCE with the number of threads of this run, and whether the model was cut."""
    n = torch.get_num_threads()
    threads = "one thread" if n == 1 else f"{n} threads"
    return case_file.SOURCE.replace("one thread", threads) + ("" if whole else ", layer by layer")
