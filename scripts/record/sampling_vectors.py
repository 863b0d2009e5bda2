"""Records the distributions that transformers' logits processors produce: lib/dialogue/tests/vectors/sampling.json.

`python -m scripts.record.sampling_vectors` from the repository's root. Logits are drawn so that no two are equal and
no cumulative sum is near top_p or min_p, because it is unspecified which of several equal tokens is removed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from transformers import (LogitsProcessorList, MinPLogitsWarper, RepetitionPenaltyLogitsProcessor,
                          TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper)

PATH = Path("lib/dialogue/tests/vectors/sampling.json")
N_VECTORS = 150
CLEAR = 1e-9  # relative distance of every sum and ratio from its bound


def draw(rng: np.random.Generator) -> tuple[dict[str, Any], list[float], list[int]]:
    """Sampling parameters of a request, logits, and the previous tokens."""
    size = int(rng.integers(2, 40))
    logits = (rng.standard_normal(size) * rng.choice([0.5, 2.0, 6.0])).tolist()
    if rng.integers(6) == 0:
        logits[int(rng.integers(size))] = -np.inf
    seen = rng.integers(0, size, int(rng.integers(0, 6))).tolist()
    parameters: dict[str, Any] = {"temperature": float(rng.choice([0.1, 0.7, 1.0, 1.5, 4.0]))}
    if rng.integers(2):
        parameters["top_k"] = int(rng.integers(1, size + 3))
    if rng.integers(2):
        parameters["top_p"] = float(rng.uniform(0.05, 0.99))
    if rng.integers(2):
        parameters["min_p"] = float(rng.uniform(0.001, 0.6))
    if rng.integers(2):
        parameters["repetition_penalty"] = float(rng.choice([0.7, 1.1, 1.8]))
    return parameters, logits, seen


def processors(parameters: dict[str, Any]) -> LogitsProcessorList:
    """The processors, in the order in which generate() applies them."""
    made = LogitsProcessorList()
    if "repetition_penalty" in parameters:
        made.append(RepetitionPenaltyLogitsProcessor(parameters["repetition_penalty"]))
    made.append(TemperatureLogitsWarper(parameters["temperature"]))
    if "top_k" in parameters:
        made.append(TopKLogitsWarper(parameters["top_k"]))
    if "top_p" in parameters:
        made.append(TopPLogitsWarper(parameters["top_p"]))
    if "min_p" in parameters:
        made.append(MinPLogitsWarper(parameters["min_p"]))
    return made


def probabilities(parameters: dict[str, Any], logits: list[float], seen: list[int]) -> list[float]:
    scores = torch.tensor([logits], dtype=torch.float64)
    ids = torch.tensor([seen], dtype=torch.int64)
    return processors(parameters)(ids, scores).softmax(-1)[0].tolist()


def is_clear(parameters: dict[str, Any], logits: list[float], seen: list[int]) -> bool:
    """Whether the same tokens remain if a bound is changed slightly."""
    def left(**moved: Any) -> list[bool]:
        return [p > 0 for p in probabilities({**parameters, **moved}, logits, seen)]
    return all(left(**{name: parameters[name] * (1 + step)}) == left()
               for name in ("top_p", "min_p") if name in parameters for step in (-CLEAR, CLEAR))


def main() -> None:
    rng = np.random.default_rng(0)
    vectors = []
    while len(vectors) < N_VECTORS:
        parameters, logits, seen = draw(rng)
        if is_clear(parameters, logits, seen):
            vectors.append({"parameters": parameters, "seen": seen,
                            "logits": [None if x == -np.inf else x for x in logits],
                            "probabilities": probabilities(parameters, logits, seen)})
    lines = ",\n".join(json.dumps(vector, separators=(",", ":")) for vector in vectors)
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text(f'{{"source": "transformers {transformers.__version__}", "vectors": [\n{lines}]}}\n')
    print(f"{PATH}: {len(vectors)} vectors")


if __name__ == "__main__":
    main()
