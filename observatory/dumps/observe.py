"""Makes an observation of a case from tensors that another system has dumped.

    scripts/observe --case CASE.h5 --names NAMES --out OBSERVATION.h5 DUMP

DUMP is a file (.npy, .safetensors, .pt) or a directory of them. NAMES is a bundled table, or a file with a line for each member of the
observation: the member, and the name that the tensor has in the dump.

    prefill                 logits                          # [T, V], [1, T, V], or [B, T, V] padded on the left
    decode                  step{step}.logits               # one row for each step, or [N, V]
    tokens                  tokens                          # [M], or [B, M]
    trace/layer.{layer}.out model.layers.{layer}.output     # sample 0

A file's only tensor is named by its path below DUMP, without the suffix; a tensor of several by its own name or, if other files have
the same one, by PATH/NAME. {layer} stands for each layer that the case traces, {step} for each decode step from 0, {sample} for
each sample; {layer:02d} has two digits, {step+1} counts from 1. `*` is any text without `/` and `.`, and must fit one tensor. A member with
a `?` after it is left out if the case or the dump does not have it. [T, V] may also be the samples of a batch one after the other, without
padding; of a case with listed rows, only these.
The case says what is expected; `assay diff --part` judges what there is.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

import numpy as np

from observatory.dumps import names
from observatory.dumps.sources import BadDump, Tensors, open_dump
from scripts.record.support import h5


class Observation:
    """case: its datasets, by name. dump: the tensors."""

    def __init__(self, case: dict[str, np.ndarray], dump: Tensors):
        self.case, self.dump = case, dump
        self.lengths = [int(length) for length in case["/input/length"]]
        self.datasets: dict[str, np.ndarray] = {}
        self.left_out: list[str] = []

    def tensor(self, member: str, pattern: str, **numbers: int) -> np.ndarray:
        try:
            return self.dump[names.lookup(names.filled(pattern, numbers), self.dump)]()
        except BadDump as error:
            raise type(error)(f"{member}: {error}") from None

    def samples(self, member: str, pattern: str, rank: int, **numbers: int) -> list[np.ndarray]:
        """The tensor of each sample, of this rank: those of a batch, or one tensor a sample."""
        n = len(self.lengths)
        if "{sample" in pattern:
            return [self.one(member, self.tensor(member, pattern, sample=b, **numbers), rank) for b in range(n)]
        whole = self.tensor(member, pattern, **numbers)
        if n == 1:
            return [self.one(member, whole, rank)]
        if rank == 2 and whole.ndim == 2 and len(whole) == sum(self.lengths):  # samples without padding, one after the other
            return np.split(whole, np.cumsum(self.lengths)[:-1])
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

    def add(self, line: names.Line) -> None:
        """A member of the observation. An optional one that is missing is noted."""
        try:
            if line.optional and line.member == "decode" and not self.case["/input/decode"].shape[1]:
                raise names.Missing("decode: the case has no decode steps")
            self.add_member(line.member, line.pattern)
        except names.Missing as error:
            if not line.optional:
                raise
            self.left_out.append(str(error))

    def add_member(self, member: str, pattern: str) -> None:
        if member == "prefill":
            self.datasets["/observed/prefill"] = self.prefill(self.samples(member, pattern, 2))
        elif member == "decode":
            self.datasets["/observed/decode"] = self.decode(pattern)
        elif member == "tokens":
            self.datasets["/observed/tokens"] = np.stack(self.samples(member, pattern, 1)).astype(np.int64)
        else:
            self.traces(member.removeprefix("trace/"), pattern)

    def prefill(self, samples: list[np.ndarray]) -> np.ndarray:
        """The rows of the prompts; of padding before them, if there is any, nothing is taken. A case with listed rows may have these
        alone in the dump."""
        if "/expect/rows" in self.case:
            listed = [[t for sample, t in self.case["/expect/rows"] if sample == b] for b in range(len(samples))]
            if all(len(rows) == len(ts) for rows, ts in zip(samples, listed)):
                samples = [self.scattered(rows, ts, n) for rows, ts, n in zip(samples, listed, self.lengths)]
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

    @staticmethod
    def scattered(rows: np.ndarray, positions: list[int], length: int) -> np.ndarray:
        """Rows of a whole prompt, of which only the listed ones are known."""
        out = np.full((length, rows.shape[1]), np.nan, rows.dtype)
        out[positions] = rows
        return out

    def decode(self, pattern: str) -> np.ndarray:
        n = self.case["/input/decode"].shape[1]
        if "{step" not in pattern:
            return np.stack(self.samples("decode", pattern, 2))
        return np.stack([np.stack(self.samples("decode", pattern, 1, step=step)) for step in range(n)], axis=1)

    def first(self, member: str, pattern: str, **numbers: int) -> np.ndarray:
        """The rows of sample 0, which alone is traced: all of a tensor, or its part of a batch."""
        whole = self.tensor(member, pattern, sample=0, **numbers)
        if whole.ndim == 3 and len(whole) == len(self.lengths):
            return whole[0]
        whole = self.one(member, whole, 2)
        return whole[:self.lengths[0]] if len(self.lengths) > 1 and len(whole) == sum(self.lengths) else whole

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
            found = self.first(f"trace/{name}", pattern, **numbers)
            self.datasets[f"/observed/trace/{name}"] = found[-len(self.case[f"/trace/{name}"]):]
        if not matched:
            raise names.Missing(f"trace/{wanted}: the case has no such trace")

    def parts(self) -> list[str]:
        """The parts that `assay diff` can judge: logits of prompts without those of the decode steps are none."""
        decode = "/observed/decode" in self.datasets or not self.case["/input/decode"].shape[1]
        there = {"logits": "/observed/prefill" in self.datasets and decode, "tokens": "/observed/tokens" in self.datasets,
                 "traces": any("/trace/" in name for name in self.datasets)}
        return [part for part, whole in there.items() if whole]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/observe", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", type=Path, metavar="DUMP")
    parser.add_argument("--case", type=Path, required=True, help="of kind logits or generate")
    parser.add_argument("--names", required=True, metavar="NAMES", help=f"the table of names: a file, or {', '.join(names.bundled())}")
    parser.add_argument("--out", type=Path, required=True, help="the observation to write")
    parser.add_argument("--source", default="", help="the system and its version, for people")
    options = parser.parse_args(arguments)
    try:
        case, _ = h5.read(options.case)
        if "/input/length" not in case:
            raise BadDump(f"{options.case}: no case of kind logits or generate: /input/length is missing")
        observation = Observation(case, open_dump(options.dump))
        for line in names.read(names.find(options.names)):
            observation.add(line)
        if not observation.datasets:
            raise BadDump("\n  ".join(["found no member of the observation", *observation.left_out]))
        h5.write(options.out, {"kind": "observation", "case": options.case.name, "source": options.source or options.dump.name},
                 observation.datasets)
    except (BadDump, OSError) as error:
        print(f"scripts/observe: {error}", file=sys.stderr)
        return 1
    for text in observation.left_out:
        print(f"left out: {text}")
    parts = " ".join(f"--part {part}" for part in observation.parts())
    print(f"{options.out}: {len(observation.datasets)} members; judge it by\nassay diff {parts} {options.case} {options.out}")
    return 0
