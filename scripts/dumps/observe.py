"""Makes an observation of a case from tensors that another system has dumped.

    scripts/observe --case CASE.h5 --names NAMES --out OBSERVATION.h5 DUMP

DUMP is a file (.npy, .safetensors, .pt) or a directory of them. NAMES has a line for each member of the observation: the member, and
the name that the tensor has in the dump.

    prefill                 logits                          # [T, V], [1, T, V], or [B, T, V] padded on the left
    decode                  step{step}.logits               # one row for each step, or [N, V]
    tokens                  tokens                          # [M], or [B, M]
    trace/layer.{layer}.out model.layers.{layer}.output     # sample 0

{layer} stands for each layer that the case traces, {step} for each decode step, {sample} for each sample; `{layer:02d}` has two digits.
The case says what is expected; `assay diff --part` judges what there is.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from scripts.dumps.sources import BadDump, Tensors, open_dump
from scripts.record import h5

MEMBERS = ("prefill", "decode", "tokens")
SHOWN = 8  # names of a dump, in messages


def read_names(path: Path) -> Iterator[tuple[str, str]]:
    """(member, name in the dump) of each line."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) != 2:
            raise BadDump(f"{path}:{number}: found {len(words)} words, expected a member and the name of a tensor")
        if words[0] not in MEMBERS and not words[0].startswith("trace/"):
            raise BadDump(f"{path}:{number}: found member {words[0]!r}, expected {', '.join(MEMBERS)} or trace/NAME")
        yield words[0], words[1]


class Observation:
    """case: its datasets, by name. dump: the tensors."""

    def __init__(self, case: dict[str, np.ndarray], dump: Tensors):
        self.case, self.dump = case, dump
        self.lengths = [int(length) for length in case["/input/length"]]
        self.datasets: dict[str, np.ndarray] = {}

    def tensor(self, member: str, pattern: str, **numbers: int) -> np.ndarray:
        try:
            name = pattern.format(**numbers)
        except (KeyError, IndexError, ValueError) as error:
            raise BadDump(f"{member}: {pattern!r}: {error} cannot be filled in here") from error
        if name not in self.dump:
            raise BadDump(f"{member}: found no tensor {name!r}, expected one of {', '.join(sorted(self.dump)[:SHOWN])}"
                          f"{', ...' if len(self.dump) > SHOWN else ''}")
        return self.dump[name]()

    def samples(self, member: str, pattern: str, rank: int, **numbers: int) -> list[np.ndarray]:
        """The tensor of each sample, of this rank: those of a batch, or one tensor a sample."""
        n = len(self.lengths)
        if "{sample" in pattern:
            return [self.one(member, self.tensor(member, pattern, sample=b, **numbers), rank) for b in range(n)]
        whole = self.tensor(member, pattern, **numbers)
        if n == 1:
            return [self.one(member, whole, rank)]
        if whole.ndim != rank + 1 or len(whole) != n:
            raise BadDump(f"{member}: found shape {list(whole.shape)}, expected {n} samples of rank {rank}")
        return list(whole)

    @staticmethod
    def one(member: str, array: np.ndarray, rank: int) -> np.ndarray:
        while array.ndim > rank and array.shape[0] == 1:
            array = array[0]
        if array.ndim != rank:
            raise BadDump(f"{member}: found shape {list(array.shape)}, expected rank {rank}")
        return array

    def add(self, member: str, pattern: str) -> None:
        if member == "prefill":
            self.datasets["/observed/prefill"] = self.prefill(self.samples(member, pattern, 2))
        elif member == "decode":
            self.datasets["/observed/decode"] = self.decode(pattern)
        elif member == "tokens":
            self.datasets["/observed/tokens"] = np.stack(self.samples(member, pattern, 1)).astype(np.int64)
        else:
            self.traces(member.removeprefix("trace/"), pattern)

    def prefill(self, samples: list[np.ndarray]) -> np.ndarray:
        """The rows of the prompts; of padding before them, if there is any, nothing is taken."""
        for b, (rows, length) in enumerate(zip(samples, self.lengths)):
            if len(rows) < length:
                raise BadDump(f"prefill: found {len(rows)} rows of sample {b}, expected those of its {length} tokens")
        rows = [found[-length:] for found, length in zip(samples, self.lengths)]
        if "/expect/rows" in self.case:
            return np.stack([rows[b][t] for b, t in self.case["/expect/rows"]])
        most = max(self.lengths)
        out = np.full((len(rows), most, rows[0].shape[1]), np.nan, rows[0].dtype)
        for b, found in enumerate(rows):
            out[b, most - len(found):] = found
        return out

    def decode(self, pattern: str) -> np.ndarray:
        n = self.case["/input/decode"].shape[1]
        if "{step" not in pattern:
            return np.stack(self.samples("decode", pattern, 2))
        return np.stack([np.stack(self.samples("decode", pattern, 1, step=step)) for step in range(n)], axis=1)

    def traces(self, wanted: str, pattern: str) -> None:
        """Every trace of the case whose name `wanted` matches."""
        form = re.compile(re.escape(wanted).replace(re.escape("{layer}"), r"(?P<layer>\d+)"))
        matched = False
        for name in (name.removeprefix("/trace/") for name in self.case if name.startswith("/trace/")):
            match = form.fullmatch(name)
            if not match:
                continue
            matched = True
            numbers = {key: int(value) for key, value in match.groupdict().items()}
            found = self.one(f"trace/{name}", self.tensor(f"trace/{name}", pattern, **numbers), 2)
            self.datasets[f"/observed/trace/{name}"] = found[-len(self.case[f"/trace/{name}"]):]
        if not matched:
            raise BadDump(f"trace/{wanted}: the case has no such trace")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/observe", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", type=Path, metavar="DUMP")
    parser.add_argument("--case", type=Path, required=True, help="of kind logits or generate")
    parser.add_argument("--names", type=Path, required=True, help="the table of names")
    parser.add_argument("--out", type=Path, required=True, help="the observation to write")
    parser.add_argument("--source", default="", help="the system and its version, for people")
    options = parser.parse_args(arguments)
    try:
        case, _ = h5.read(options.case)
        if "/input/length" not in case:
            raise BadDump(f"{options.case}: no case of kind logits or generate: /input/length is missing")
        observation = Observation(case, open_dump(options.dump))
        for member, pattern in read_names(options.names):
            observation.add(member, pattern)
        h5.write(options.out, {"kind": "observation", "case": options.case.name, "source": options.source or options.dump.name},
                 observation.datasets)
    except (BadDump, OSError) as error:
        print(f"scripts/observe: {error}", file=sys.stderr)
        return 1
    parts = [part for part, there in (("logits", "/observed/prefill" in observation.datasets), ("tokens", "/observed/tokens" in observation.datasets),
                                      ("traces", any("/trace/" in name for name in observation.datasets))) if there]
    print(f"{options.out}: {len(observation.datasets)} members; judge it by\n"
          f"assay diff {' '.join(f'--part {part}' for part in parts)} {options.case} {options.out}")
    return 0
