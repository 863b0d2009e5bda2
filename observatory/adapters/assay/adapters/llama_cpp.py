"""llama.cpp as an engine, through llama-cpp-python: all samples in one batch of sequences, in one cache, in float32 on a CPU.

    assay run --engine 'exec:python3 -m assay assay.adapters.llama_cpp' fixtures

A checkpoint that is a GGUF file is evaluated as it is: products round their inputs as ggml does for the types in it (--compute q8_K, q8_0, …).
Another is written into a GGUF file in a temporary directory; gguf/families.py says which families, and what of them is refused.
What is judged is llama_decode with several sequences in one unified cache of float32, without flash attention; forks are llama_memory_seq_cp,
rewinds llama_memory_seq_rm. A context whose capacity does not suffice is replaced by a larger one, which gets the states of all sequences.
"""

from __future__ import annotations

import ctypes
import mmap
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import llama_cpp as api
import numpy as np

from assay import checkpoint
from assay.engine import Engine as Base
from assay.engine import StepOptions, Tap
from assay.errors import Unsupported
from assay.requests import ModelOptions, SessionOptions, Step

from . import llama_cpp_context, shared
from .gguf import convert, families
from .gguf.families import Config, Family
from .llama_cpp_context import N_BATCH, Capacity, Context
from .llama_cpp_taps import Taps

HEADER = 1 << 26  # bytes within which a file names its tensors
KINDS = {None: "F32", "F32": "F32", "BF16": "BF16"}


@dataclass
class Model:
    handle: Any
    family: Family
    config: Config
    stop_ids: list[int]
    biased: frozenset[str]  # of attn_output and ffn_down, those that a bias follows

    def taps(self) -> Taps:
        return Taps(self.family, self.biased)


@dataclass
class Session:
    """samples: how many tokens each has; its number is that of its sequence."""

    model: Model
    context: Context
    samples: dict[int, int]
    taps: Taps | None = None

    def reserve(self, n_sequences: int, n_tokens: int, tapped: bool = False) -> None:
        """Replaces the context if it cannot have n_tokens in all sequences together, or if it does not show its tensors."""
        capacity = self.context.capacity.grown(n_sequences, n_tokens)
        if capacity == self.context.capacity and tapped == (self.taps is not None):
            return
        taps = self.model.taps() if tapped else None
        new = Context(self.model.handle, capacity, taps.callback if taps else None)
        self.context = llama_cpp_context.moved(self.context, new, [number for number, n in self.samples.items() if n])
        self.taps = taps


@dataclass
class Rows:
    """The tokens of a step, those of one sample after those of another."""

    tokens: np.ndarray
    positions: np.ndarray
    sequences: np.ndarray
    wanted: np.ndarray

    @staticmethod
    def of(steps: list[Step], samples: dict[int, int], all_wanted: bool) -> Rows:
        """llama.cpp leaves rows out of the last layer that are not wanted: with a tap all are."""
        lengths = [len(step.tokens) for step in steps]
        return Rows(np.concatenate([step.tokens for step in steps]).astype(np.int32),
                    np.concatenate([samples[step.sample] + np.arange(n) for step, n in zip(steps, lengths)]).astype(np.int32),
                    np.repeat(np.array([step.sample for step in steps], np.int32), lengths),
                    np.concatenate([np.arange(n) >= (0 if all_wanted else n - step.n_last) for step, n in zip(steps, lengths)]))


class Engine(Base):
    name, version, taps = "llama.cpp", version("llama-cpp-python"), True

    def __init__(self) -> None:
        llama_cpp_context.start()

    def model_open(self, directory: str, options: ModelOptions) -> Model:
        if Path(directory).is_file():
            return open_file(directory, options)
        if options.compute not in KINDS:
            raise Unsupported(f"compute {options.compute} is not supported")
        with tempfile.TemporaryDirectory(prefix="assay-llama.cpp-") as place:
            path = Path(place) / "model.gguf"
            family, config, biased = convert.write(Path(directory), path, KINDS[options.compute])
            handle = llama_cpp_context.load(str(path))
        return Model(handle, family, config, stop_ids(Path(directory), config), biased)

    def model_vocab(self, model: Model) -> int:
        return int(api.llama_vocab_n_tokens(api.llama_model_get_vocab(model.handle)))

    def stop_ids(self, model: Model) -> Sequence[int]:  # type: ignore[override]
        return model.stop_ids

    def session_open(self, model: Model, options: SessionOptions) -> Session:
        if options.limit:
            raise Unsupported("a limit is not supported: llama.cpp shifts the positions of its context only where the application does")
        n_cells = max(options.n_samples, 1) * (options.max_tokens or N_BATCH)
        capacity = Capacity(1, 1).grown(max(options.n_samples, 1), n_cells)
        return Session(model, Context(model.handle, capacity), dict.fromkeys(range(options.n_samples), 0))

    def step(self, session: Session, steps: list[Step], options: StepOptions) -> list[np.ndarray]:
        placeholders = session.model.config.get("placeholders", ())
        for step in steps:
            if step.items or step.positions is not None or any(token in placeholders for token in step.tokens):
                raise Unsupported("items, their placeholder tokens and positions are not supported")
        tokens = sum(session.samples.values()) + sum(len(step.tokens) for step in steps)
        session.reserve(len(session.samples), tokens, options.tap is not None)
        try:
            outputs = evaluate(session, steps, options.tap)
        except BaseException:
            for step in steps:
                session.context.remove(step.sample, session.samples[step.sample])
            raise
        for step in steps:
            session.samples[step.sample] += len(step.tokens)
        return outputs

    def free(self, owned: object) -> None:
        if isinstance(owned, Session):
            owned.context.free()
        elif isinstance(owned, Model):
            api.llama_model_free(owned.handle)

    def join(self, session: Session) -> int:  # type: ignore[override]
        number = shared.new_number(session.samples)
        session.reserve(number + 1, 0, session.taps is not None)
        session.samples[number] = 0
        return number

    def leave(self, session: Session, sample: int) -> None:  # type: ignore[override]
        session.context.remove(sample, 0)
        del session.samples[sample]

    def rewind(self, session: Session, sample: int, n_tokens: int) -> None:  # type: ignore[override]
        if n_tokens < session.samples[sample] and not session.context.remove(sample, n_tokens):
            raise Unsupported(f"llama_memory_seq_rm does not remove the tokens from {n_tokens} on")
        session.samples[sample] = n_tokens

    def fork(self, origin: Session, sample: int, into: Session) -> int:  # type: ignore[override]
        number = self.join(into)
        n_tokens = origin.samples[sample]
        try:
            if origin is into:
                into.context.copy(sample, number)
            elif n_tokens:
                into.reserve(len(into.samples), sum(into.samples.values()) + n_tokens, into.taps is not None)
                into.context.restore(number, origin.context.state(sample))
        except BaseException:
            self.leave(into, number)
            raise
        into.samples[number] = n_tokens
        return number


def open_file(path: str, options: ModelOptions) -> Model:
    """A model of a GGUF file, with its weights in their blocks: repacked ones depend on the processor."""
    if options.compute is not None:
        raise Unsupported(f"compute {options.compute} is not supported: a GGUF file is evaluated as it is")
    handle = llama_cpp_context.load(path, repacked=False)
    value = ctypes.create_string_buffer(64)
    api.llama_model_meta_val_str(handle, b"general.architecture", value, len(value))
    architecture = value.value.decode(errors="replace")
    family = next((row for row in families.FAMILIES.values() if row.architecture == architecture), Family(architecture))
    vocab = api.llama_model_get_vocab(handle)
    ends = [token for token in range(api.llama_vocab_n_tokens(vocab)) if api.llama_vocab_is_eog(vocab, token)]
    return Model(handle, family, {}, ends, biases(path))


def biases(path: str) -> frozenset[str]:
    """Of attn_output and ffn_down those that a bias follows: the names of tensors stand before their numbers."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return frozenset(name for name in ("attn_output", "ffn_down") if data.find(f"blk.0.{name}.bias".encode(), 0, HEADER) >= 0)


def stop_ids(directory: Path, config: Config) -> list[int]:
    """Those of generation_config.json, or of config.json."""
    path = directory / "generation_config.json"
    holder = checkpoint.read_json(path) if path.exists() else {}
    ids = holder.get("eos_token_id", config.get("eos_token_id"))
    return shared.sorted_ids(ids)


def evaluate(session: Session, steps: list[Step], tap: Tap | None) -> list[np.ndarray]:
    rows = Rows.of(steps, session.samples, tap is not None)
    if session.taps is not None:
        session.taps.reset(tap)
    pieces = [slice(begin, begin + N_BATCH) for begin in range(0, len(rows.tokens), N_BATCH)]
    logits = np.concatenate([session.context.decode(rows.tokens[piece], rows.positions[piece], rows.sequences[piece], rows.wanted[piece])
                             for piece in pieces])
    if session.taps is not None and tap is not None:
        for name, values in session.taps.taken().items():
            for step in steps:
                tap(step.sample, name, values[rows.sequences == step.sample])
    owners = rows.sequences[rows.wanted]
    return [logits[owners == step.sample][-step.n_last:] for step in steps if step.n_last]
