"""An engine whose logits are a formula of all tokens of a sample, and which fails on demand."""

from __future__ import annotations

import os

import numpy as np

from assay import Engine, FormatError, ModelOptions, SessionOptions, Step, StepOptions, Unsupported

VOCAB = 16
FAILURES = {9: MemoryError(), 10: Unsupported("token 10\nis not\tsupported"), 11: KeyError("eleven"), 12: FormatError("weights: bad")}


def logits(tokens: list[int]) -> np.ndarray:
    """[len(tokens), VOCAB]: row t depends on tokens 0 ... t, in order."""
    state = 1
    rows = []
    for token in tokens:
        state = (state * 31 + token + 7) % 1009
        rows.append([(state * (i + 1)) % 127 / 8 for i in range(VOCAB)])
    return np.array(rows, np.float32)


class Toy(Engine):
    name, version, taps, tap_writes = "toy", "1", True, True
    compute_types = ("q8_K",)

    def model_open(self, directory: str, options: ModelOptions) -> str:
        if directory == "missing":
            raise FileNotFoundError(directory)
        return f"{directory} in {options.compute_name}"

    def model_note(self, model: str) -> str | None:
        return model if "q8_K" in model else None

    def model_vocab(self, model: str) -> int:
        return VOCAB

    def session_open(self, model: str, options: SessionOptions) -> dict[int, list[int]]:
        if options.limit:
            raise Unsupported("limit is not supported")
        return {number: [] for number in range(options.n_samples)}

    def step(self, session: dict[int, list[int]], steps: list[Step], options: StepOptions) -> list[np.ndarray]:
        after, outputs = {}, []
        for step in steps:
            for token in step.tokens:
                if token == 13:
                    os._exit(13)
                if token in FAILURES:
                    raise FAILURES[token]
            tokens = after[step.sample] = session[step.sample] + step.tokens
            rows = logits(tokens)[-len(step.tokens):]
            if options.tap:
                changed = options.tap(step.sample, "norm", rows)
                rows = rows if changed is None else changed
            if step.tokens == [14]:
                rows = rows[:, 1:]
            if step.n_last:
                outputs.append(rows[-step.n_last:] + sum(float(one.sum()) for item in step.items for one in item.tensors.values()))
        session.update(after)
        return outputs

    def free(self, owned: object) -> None:
        pass

    def join(self, session: dict[int, list[int]]) -> int:
        number = next(n for n in range(len(session) + 1) if n not in session)
        session[number] = []
        return number

    def leave(self, session: dict[int, list[int]], sample: int) -> None:
        del session[sample]

    def rewind(self, session: dict[int, list[int]], sample: int, n_tokens: int) -> None:
        del session[sample][n_tokens:]

    def fork(self, origin: dict[int, list[int]], sample: int, into: dict[int, list[int]]) -> int:
        number = self.join(into)
        into[number] = list(origin[sample])
        return number
