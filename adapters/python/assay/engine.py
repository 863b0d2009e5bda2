"""The base class of engines in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from .requests import Item, ModelOptions, SessionOptions, Step  # noqa: F401 # re-exported
from .tensors import Array

OPTIONAL = ("stop_ids", "join", "leave", "rewind", "fork", "positions", "rope")


class Tap:
    """Receives tensors of a step. An engine asks `wants(name)` first, and then calls it once for each sample with
    the tensor [n_tokens, width], of the sample's tokens in this step alone. Names are those of assay/engine.h: embed,
    layer.00.attn, layer.00.mlp, layer.00.out, norm, ... Returns the values with which the engine continues, if it has
    `tap_writes`. Raises Stopped, which the engine lets through after it has restored its samples."""

    def __init__(self, names: Sequence[str], send: Callable[[int, str, Array], Union[np.ndarray, None]]):
        self.names, self.send = frozenset(names), send

    def wants(self, name: str) -> bool:
        return not self.names or name in self.names

    def __call__(self, sample: int, name: str, array: Array) -> np.ndarray | None:
        return self.send(sample, name, array) if self.wants(name) else None


@dataclass(frozen=True)
class StepOptions:
    """padded_width: an engine that batches by left padding pads to this many tokens; 0: it chooses."""

    padded_width: int = 0
    tap: Tap | None = None


class Engine:
    """An engine has five methods: model_open, model_vocab, session_open, step and free.

    They are the six required functions of assay/engine.h under the same names, with model_free and session_free as one.
    Nothing less can judge an engine: a checkpoint is opened, the width of its logits is known before memory for them is
    allocated, a session holds the state of some samples, and a step appends tokens and gives logits. `free` is there because
    memory of a library is not always freed with the Python object.

    Models and sessions are whatever objects the engine likes. `serve` keeps them, and has checked before a call that
    the model, the session and the samples exist, that a step has tokens, all in the vocabulary, no sample twice, positions of 0 and
    more, an n_last in range, and that a rewind is to no more tokens than the sample has. It counts the tokens of samples, and after a
    step that raised every sample must have the tokens that it had before.

    Class attributes: `name` (one word), `version`, `logits` ("F32" or "F64"), `taps` (whether `step` calls its tap),
    `tap_writes`, and `compute_types` and `cache_types`, the names of types ("q8_K") that ModelOptions may ask for; None: it is told
    none, and a name only chooses the noise by which it is judged. The optional calls that an engine can answer are the methods of OPTIONAL that it defines.
    """

    name = "engine"
    version = "0"
    logits = "F32"
    taps = False
    tap_writes = False
    compute_types: Sequence[str] | None = None
    cache_types: Sequence[str] | None = None

    def model_open(self, directory: str, options: ModelOptions) -> Any:
        """Opens a Hugging Face checkpoint. What the engine cannot compute it refuses by raising Unsupported."""
        raise NotImplementedError("model_open")

    def model_vocab(self, model: Any) -> int:
        """The width of logits: the rows of the checkpoint's head."""
        raise NotImplementedError("model_vocab")

    def session_open(self, model: Any, options: SessionOptions) -> Any:
        """Samples 0 ... n_samples - 1, without tokens."""
        raise NotImplementedError("session_open")

    def step(self, session: Any, steps: list[Step], options: StepOptions) -> list[np.ndarray]:
        """Appends tokens to samples. Returns the logits [n_last, vocab] of each step with n_last > 0, in order: in
        the type `logits`, or one that converts to it exactly."""
        raise NotImplementedError("step")

    def free(self, owned: Any) -> None:
        """Called once with each model and each session that is not used any more."""
        raise NotImplementedError("free")

    # Optional: an engine that defines one answers the call of that name.
    stop_ids: Callable[[Any], Sequence[int]] | None = None  # (model): the sorted ids that end generation
    model_note: Callable[[Any], str | None] | None = None  # (model): one line on it that its user may not expect
    join: Callable[[Any], int] | None = None  # (session): the number of a new sample, which no other has
    leave: Callable[[Any, int], None] | None = None  # (session, sample)
    rewind: Callable[[Any, int, int], None] | None = None  # (session, sample, n_tokens)
    fork: Callable[[Any, int, Any], int] | None = None  # (from, sample, into): the number of the copy
    # (model, step, n_axes): the positions [n_axes, n_tokens], and the largest + 1 less n_tokens
    positions: Callable[[Any, Step, int], tuple[np.ndarray, int]] | None = None
    # (config, position [n_axes, n], x [n, n_heads, head_dim]): out like x, cos and sin [n, dim]
    rope: Callable[[str, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None

    def can(self) -> list[str]:
        """The optional calls that this engine answers."""
        methods = [name for name in OPTIONAL if getattr(self, name) is not None]
        return methods + ["tap"] * self.taps + ["tap_writes"] * (self.taps and self.tap_writes)
