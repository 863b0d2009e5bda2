"""Replays recorded cases through an engine's process, with h5py: python -m tests.cases COMMAND... -- CASE.h5...

Each case is evaluated whole (prompts of a batch in one step, then token by token), with its samples one after the other, in chunks,
and, where the engine can, after a rewind and in a fork. An error is printed in multiples of the noise, of which 4 are allowed.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from assay.client import Client, Refused, step_of

ALLOWED = 4.0  # conformance/judge/noise.h
FLOOR_ULPS = 16
MEDIA = {"image": ("pixel_values", "image_grid_thw"), "video": ("pixel_values_videos", "video_grid_thw", "second_per_grid_ts", "video_second_per_grid")}


@dataclass
class Sample:
    prompt: list[int]
    decode: list[int]
    truth: np.ndarray  # [len(prompt) + len(decode), vocab]
    items: list[tuple[str, dict[str, np.ndarray]]] = field(default_factory=list)


@dataclass
class Case:
    samples: list[Sample]
    model: Path
    noise: float
    limit: int
    sink_tokens: int
    traces: dict[str, tuple[np.ndarray, float]]  # and their noise


def media_of(given: h5py.Group, kind: str) -> list[tuple[int, dict[str, np.ndarray]]]:
    """(sample, tensors) of each image or video, whose rows are as many as its grid says, or equally many."""
    if f"{kind}_sample" not in given:
        return []
    owners = given[f"{kind}_sample"][...]
    names = [name for name in given if name in MEDIA[kind] or kind == "image" and name == "image_position_ids"]
    grids = given[MEDIA[kind][1]][...] if MEDIA[kind][1] in given else None
    found, row = [], 0
    for i, owner in enumerate(owners):
        tensors = {}
        for name in names:
            array = given[name][...]
            if len(array) == len(owners):
                tensors[name] = array[i:i + 1]
            elif grids is not None:
                tensors[name] = array[row:row + int(grids[i].prod())]
        row += int(grids[i].prod()) if grids is not None else 0
        found.append((int(owner), tensors))
    return found


def read(path: Path) -> Case:
    with h5py.File(path) as file:
        given, truth, once = file["input"], file["expect/truth"], file["expect/float32"]
        n_samples = len(given["length"])
        samples = []
        for i, length in enumerate(given["length"][...]):
            prompt = given["tokens"][i][-length:].tolist()
            decode = given["decode"][i].tolist() if "decode" in given else []
            rows = np.concatenate([truth["prefill"][i][-length:], truth["decode"][i]])
            samples.append(Sample(prompt, [t for t in decode if t >= 0], rows))
        for kind in MEDIA:
            for owner, tensors in media_of(given, kind):
                samples[owner].items.append((kind, tensors))
        largest = max(float(np.nanmax(np.abs(truth[part][...]))) for part in ("prefill", "decode"))
        distance = max(float(np.nanmax(np.abs(truth[part][i][begin:] - once[part][i][begin:])))
                       for i in range(n_samples) for part in ("prefill", "decode")
                       for begin in [truth[part].shape[1] - len(samples[i].prompt) if part == "prefill" else 0])
        floor = FLOOR_ULPS * float(np.spacing(np.float32(largest)))
        traces = {name: file["trace"][name][...] for name in file.get("trace", ())}
        noises = {name: float(file["trace"][name].attrs.get("noise", 0)) for name in traces}
        limit, sink_tokens = (int(file.attrs.get(name, 0)) for name in ("cache_limit", "cache_kept"))
        traces = {name: (rows, max(noises[name], FLOOR_ULPS * float(np.spacing(np.float32(np.abs(rows).max())))))
                  for name, rows in traces.items()}
        return Case(samples, path.parent / file.attrs["model"].decode(), max(distance, floor), limit, sink_tokens, traces)


class Replay:
    def __init__(self, client: Client, case: Case, model: int, can: list[str]):
        self.client, self.case, self.model, self.can = client, case, model, can
        self.worst = 0.0

    def judge(self, sample: Sample, begin: int, rows: np.ndarray) -> None:
        error = np.abs(rows - sample.truth[begin:begin + len(rows)]).max()
        self.worst = max(self.worst, float(error) / self.case.noise)

    def session(self, n: int) -> int:
        return self.client.session_open(self.model, n, self.case.limit, self.case.sink_tokens, max(len(s.truth) for s in self.case.samples))

    def decode(self, session: int, samples: dict[int, Sample]) -> None:
        for n in range(max(len(s.decode) for s in samples.values())):
            going = {number: s for number, s in samples.items() if n < len(s.decode)}
            outputs = self.client.step(session, [step_of(number, [s.decode[n]]) for number, s in going.items()])
            for s, rows in zip(going.values(), outputs):
                self.judge(s, len(s.prompt) + n, rows)

    def whole(self) -> None:
        samples = dict(enumerate(self.case.samples))
        session = self.session(len(samples))
        outputs = self.client.step(session, [step_of(i, s.prompt, items=s.items) for i, s in samples.items()])
        for s, rows in zip(samples.values(), outputs):
            self.judge(s, 0, rows)
        self.decode(session, samples)

    def rest(self) -> None:
        """Samples take turns: each one's prompt, with more padding, while the others rest; then all decode together, in another
        order."""
        samples = dict(enumerate(self.case.samples))
        session = self.session(len(samples))
        for i, s in samples.items():
            self.judge(s, 0, self.client.step(session, [step_of(i, s.prompt, items=s.items)], len(s.prompt) + 3)[0])
        self.decode(session, dict(reversed(samples.items())))

    def chunk(self, n: int = 3) -> None:
        if any(s.items for s in self.case.samples):
            raise Refused("unsupported", "prompts with images are not divided here")
        samples = dict(enumerate(self.case.samples))
        session = self.session(len(samples))
        for begin in range(0, max(len(s.prompt) for s in samples.values()), n):
            going = {i: s for i, s in samples.items() if begin < len(s.prompt)}
            outputs = self.client.step(session, [step_of(i, s.prompt[begin:begin + n]) for i, s in going.items()])
            for s, rows in zip(going.values(), outputs):
                self.judge(s, begin, rows)
        self.decode(session, samples)

    def rewind(self) -> None:
        samples = dict(enumerate(self.case.samples))
        session = self.session(len(samples))
        for i, s in samples.items():
            self.client.step(session, [step_of(i, s.prompt, 0, s.items)])
            self.client.step(session, [step_of(i, [s.prompt[0]] * 2, 0)])
        for i, s in samples.items():
            self.client.call("rewind", session=session, sample=i, n_tokens=len(s.prompt) - 1)
        outputs = self.client.step(session, [step_of(i, s.prompt[-1:]) for i, s in samples.items()])
        for s, rows in zip(samples.values(), outputs):
            self.judge(s, len(s.prompt) - 1, rows)
        self.decode(session, samples)

    def fork(self) -> None:
        session, copies = self.session(len(self.case.samples)), {}
        for i, s in enumerate(self.case.samples):
            self.client.step(session, [step_of(i, s.prompt, 0, s.items)])
            copies[self.client.call("fork", **{"from": session, "sample": i, "into": session})[0]["sample"]] = s
        self.client.step(session, [step_of(i, [s.prompt[0]], 0) for i, s in enumerate(self.case.samples)])
        if "leave" in self.can:
            self.client.call("leave", session=session, sample=0)
        self.decode(session, copies)

    def tap(self) -> None:
        """Errors of tensors of the first sample, in multiples of their own noise."""
        session, seen = self.session(len(self.case.samples)), {}
        self.client.call("tap", session=session, names=sorted(self.case.traces))

        def visit(sample: int, name: str, tensor: np.ndarray) -> bool:
            seen.setdefault((sample, name), tensor)
            return True

        self.client.step(session, [step_of(i, s.prompt, items=s.items) for i, s in enumerate(self.case.samples)], visit=visit)
        for name, (rows, noise) in self.case.traces.items():
            if (0, name) not in seen:
                raise Refused("unsupported", f"no tensor {name}")
            if seen[0, name].shape != rows.shape:
                raise AssertionError(f"{name}: {seen[0, name].shape}, expected {rows.shape}")
            self.worst = max(self.worst, float(np.abs(seen[0, name] - rows).max()) / noise)


def manner(replay: Replay, name: str) -> str:
    if name in ("rewind", "fork", "tap") and name not in replay.can or name == "tap" and not replay.case.traces:
        return "-"
    replay.worst = 0.0
    try:
        getattr(replay, name)()
    except Refused as error:
        if error.status != "unsupported":
            raise
        return f"({error.text[:60]})"
    return f"{replay.worst:.2f}" + ("" if replay.worst <= ALLOWED else " FAIL")


def main(arguments: list[str]) -> int:
    cut = arguments.index("--")
    failed = 0
    with Client(arguments[:cut], timeout=300) as client:
        can: list[Any] = client.hello()["can"]
        for path in map(Path, arguments[cut + 1:]):
            case = read(path)
            try:
                model, _ = client.model_open(str(case.model))
                replay = Replay(client, case, model, can)
                line = "  ".join(f"{name} {manner(replay, name)}" for name in ("whole", "rest", "chunk", "rewind", "fork", "tap"))
            except Refused as error:
                line = str(error)
            failed += "FAIL" in line or "internal" in line or "invalid" in line
            print(f"{'/'.join(path.parts[-3:])}: {line}", flush=True)
            client.hello()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
