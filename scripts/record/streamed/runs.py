"""The runs of a request: the float64 truth with its greedy tokens, and runs in narrower types, over all samples at once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch

from ..media.images import special_ids
from ..media.parts import Prompt
from . import passes
from .documents import Unsupported
from .passes import Model, Sequence
from .prompts import Sample
from .replay import CannotCut

TYPES = {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16}


@dataclass
class Result:
    """Of one run and sample: logits [R, V] of the listed rows and [N, V] of decode; traces by name."""

    prefill: np.ndarray
    decode: np.ndarray
    traces: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass
class Runs:
    """texts: the directory with config.json. checkpoint: with the weights. rows: the listed positions of each sample. traced: the samples that have
    traces, the first of each case. work: the directory for what passes leave. whole: the model is not cut into layers."""

    texts: Path
    checkpoint: Path
    samples: list[Sample]
    rows: list[tuple[int, ...]]
    n_decode: int
    traces: tuple[str, ...]
    traced: set[int]
    work: Path
    whole: bool
    note: Callable[[str], None]

    def truth(self) -> tuple[list[Result], list[list[int]]]:
        """The results of the truth, and the greedy tokens of each sample [N]. Each decode row is the last of a pass over the
        prompt and the tokens so far."""
        return self._cut_if_possible("float64", self._truth)

    def narrower(self, name: str, decode: list[list[int]]) -> list[Result]:
        """The results of a run in another type over the truth's tokens."""
        return self._cut_if_possible(name, lambda model: self._narrower(model, name, decode))

    def _cut_if_possible(self, name: str, run: Callable):
        dtype, rounded = (TYPES[name], "") if name in TYPES else (torch.float32, name)

        def note(line: str) -> None:
            self.note(f"{name}: {line}")

        found = self.work / "whole"  # what an earlier attempt found out
        if not self.whole and not found.exists():
            try:
                return run(Model(self.texts, dtype, False, note, self.checkpoint, rounded))
            except CannotCut as error:
                self.note(f"the published model cannot be cut into layers: {error}; it runs whole, with all weights in memory")
                found.touch()
                shutil.rmtree(self.work / name, ignore_errors=True)
        self.whole = True
        return run(Model(self.texts, dtype, True, note, self.checkpoint, rounded))

    def _prompts(self) -> list[Sequence]:
        return [Sequence(f"{i:04d}", sample.prompt, rows, self.traces if i in self.traced else ())
                for i, (sample, rows) in enumerate(zip(self.samples, self.rows))]

    def _truth(self, model: Model) -> tuple[list[Result], list[list[int]]]:
        sequences, place = self._prompts(), self.work / "float64" / "prompt"
        model.run(sequences, place)
        results = [Result(passes.rows(s, place), np.empty((0, 0)), passes.traces(s, place)) for s in sequences]
        last = [result.prefill[-1] for result in results]
        decode: list[list[int]] = [[] for _ in self.samples]
        steps: list[list[np.ndarray]] = [[] for _ in self.samples]
        media = special_ids(model.model.config.to_dict())
        for step in range(self.n_decode):
            for index, row in enumerate(last):
                decode[index].append(int(row.argmax()))
                if self.samples[index].n_images and decode[index][-1] in media:
                    raise Unsupported(f"{self.samples[index].place}: greedy token {step} is {decode[index][-1]}, which stands "
                                      f"for an image: use --decode {step}")
            self.note(f"float64: token {step + 1} of {self.n_decode}")
            sequences = [self._continued(i, decode[i]) for i in range(len(self.samples))]
            place = self.work / "float64" / f"decode-{step:04d}"
            model.run(sequences, place)
            last = [passes.rows(s, place)[-1] for s in sequences]
            for index, row in enumerate(last):
                steps[index].append(row)
        for result, rows in zip(results, steps):
            result.decode = np.stack(rows) if rows else result.prefill[:0]
        return results, decode

    def _continued(self, index: int, tokens: list[int], n_rows: int = 1, name: str = "") -> Sequence:
        """The prompt and tokens; the wanted rows are the last ones."""
        whole: Prompt = self.samples[index].prompt + tokens
        return Sequence(f"{index:04d}{name}", whole, tuple(range(len(whole) - n_rows, len(whole))))

    def _narrower(self, model: Model, name: str, decode: list[list[int]]) -> list[Result]:
        """Decode rows are those of one pass over the prompt and all tokens, unless the model's ropes depend on the length."""
        prompts, place, n = self._prompts(), self.work / name, self.n_decode
        traced = prompts if name == "float32" else [Sequence(s.name, s.tokens, s.rows) for s in prompts]
        lengths = range(1, n + 1) if model.length_dependent else [n] if n else []
        continued = [[self._continued(i, decode[i][:k], 1 if model.length_dependent else n, f"-{k:04d}") for k in lengths]
                     for i in range(len(self.samples))]
        model.run(traced + [s for one in continued for s in one], place)
        results = []
        for prompt, more in zip(traced, continued):
            prefill = passes.rows(prompt, place)
            rows = np.concatenate([passes.rows(s, place) for s in more]) if more else prefill[:0]
            results.append(Result(prefill, rows, passes.traces(prompt, place)))
        return results
