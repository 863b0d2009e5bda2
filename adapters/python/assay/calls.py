"""The calls of the protocol, carried out by an engine: what it is given has been checked, and so is what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import requests
from .engine import Engine, StepOptions, Tap
from .errors import Invalid, ProtocolError, Unsupported
from .requests import ModelOptions, SessionOptions, Step
from .tensors import Array, Body, Reader, is_count

PROTOCOL = 1
FLOATS: dict[str, np.dtype[Any]] = {"F32": np.dtype(np.float32), "F64": np.dtype(np.float64)}
COMMON = ("call", "id")


@dataclass
class Model:
    handle: Any
    vocab: int


@dataclass
class Session:
    handle: Any
    model: int
    options: SessionOptions
    samples: dict[int, int]  # number: how many tokens it has
    tap: Tap | None = None


@dataclass
class Calls:
    engine: Engine
    send_tap: Callable[[int, str, Array], np.ndarray | None]
    models: dict[int, Model] = field(default_factory=dict)
    sessions: dict[int, Session] = field(default_factory=dict)

    def call(self, name: str, header: dict[str, Any], reader: Reader, body: Body) -> dict[str, Any]:
        """The answer's members. Raises ProtocolError for a malformed request, and what the engine raises."""
        known = REQUESTS.get(name)
        if known is None or name in OPTIONAL and name not in self.engine.can():
            raise Unsupported(f"call {name!r:.60} is not supported")
        requests.refuse_unknown(header, (*COMMON, *known), name)
        method = getattr(self, f"_{name}")
        return method(header, reader, body) or {}

    def free_all(self) -> None:
        for owned in (self.sessions, self.models):
            while owned:
                self.engine.free(owned.popitem()[1].handle)

    # ---- Objects ----

    def _model(self, header: dict[str, Any], where: str) -> Model:
        number = requests.count(header, "model", where)
        if number not in self.models:
            raise Invalid(f"{where}.model: {number} is not open")
        return self.models[number]

    def _session(self, header: dict[str, Any], where: str, name: str = "session") -> Session:
        number = requests.count(header, name, where)
        if number not in self.sessions:
            raise Invalid(f"{where}.{name}: {number} is not open")
        return self.sessions[number]

    def _sample(self, session: Session, header: dict[str, Any], where: str) -> int:
        number = requests.count(header, "sample", where)
        if number not in session.samples:
            raise Invalid(f"{where}.sample: the session has no sample {number}")
        return number

    def _new(self, session: Session, number: object, n_tokens: int, where: str) -> dict[str, Any]:
        """Adds a sample whose number the engine has chosen."""
        if not is_count(number) or number in session.samples:
            raise TypeError(f"{where}: expected the number of a new sample, found {number!r}")
        session.samples[number] = n_tokens  # type: ignore[index]
        return {"sample": number}

    # ---- Calls ----

    def _hello(self, header: dict[str, Any], _reader: Reader, _body: Body) -> dict[str, Any]:
        self.free_all()
        if (asked := requests.count(header, "protocol", "hello")) != PROTOCOL:
            raise Unsupported(f"hello.protocol: version {asked} is not supported; expected {PROTOCOL}")
        engine = self.engine
        listed = {"compute_types": engine.compute_types, "cache_types": engine.cache_types}
        return {"protocol": PROTOCOL, "name": engine.name, "version": engine.version, "logits": engine.logits, "can": engine.can(),
                **{member: list(names) for member, names in listed.items() if names is not None}}

    def _model_open(self, header: dict[str, Any], _reader: Reader, _body: Body) -> dict[str, Any]:
        number = requests.count(header, "model", "model_open")
        if number in self.models:
            raise Invalid(f"model_open.model: {number} is open already")
        directory = requests.text(header, "dir", "model_open")
        compute = header.get("compute")
        if compute not in (None, "F32", "BF16", "I8"):
            raise Unsupported(f"model_open.compute: {compute!r:.60} is not supported")
        named = requests.listed(header, "compute_name", self.engine.compute_types, "model_open")
        cached = requests.listed(header, "cache_name", self.engine.cache_types, "model_open")
        if compute and named:
            raise Invalid("model_open.compute_name: found a compute beside it")
        ignored = requests.texts(header, "allow_unknown", "model_open") if header.get("allow_unknown") is not None else []
        handle = self.engine.model_open(directory, ModelOptions(compute, tuple(ignored), named, cached))
        try:
            answer: dict[str, Any] = {"vocab": int(self.engine.model_vocab(handle))}
            if self.engine.stop_ids is not None:
                answer["stop_ids"] = sorted(map(int, self.engine.stop_ids(handle)))
            if self.engine.model_note is not None:
                answer["note"] = self.engine.model_note(handle)
        except BaseException:
            self.engine.free(handle)
            raise
        self.models[number] = Model(handle, answer["vocab"])
        return answer

    def _model_free(self, header: dict[str, Any], _reader: Reader, _body: Body) -> None:
        model = self._model(header, "model_free")
        number = header["model"]
        if any(session.model == number for session in self.sessions.values()):
            raise Invalid(f"model_free.model: {number} has open sessions")
        del self.models[number]
        self.engine.free(model.handle)

    def _session_open(self, header: dict[str, Any], _reader: Reader, _body: Body) -> None:
        where = "session_open"
        number = requests.count(header, "session", where)
        if number in self.sessions:
            raise Invalid(f"{where}.session: {number} is open already")
        model = self._model(header, where)
        options = SessionOptions(requests.count(header, "n_samples", where),
                                 *(requests.count(header, name, where) if header.get(name) is not None else 0
                                   for name in ("limit", "sink_tokens", "max_tokens")))
        if options.sink_tokens >= options.limit if options.limit else options.sink_tokens:
            raise Invalid(f"{where}: sink_tokens {options.sink_tokens} of limit {options.limit}")
        handle = self.engine.session_open(model.handle, options)
        self.sessions[number] = Session(handle, header["model"], options, dict.fromkeys(range(options.n_samples), 0))

    def _session_free(self, header: dict[str, Any], _reader: Reader, _body: Body) -> None:
        session = self._session(header, "session_free")
        del self.sessions[header["session"]]
        self.engine.free(session.handle)

    def _step(self, header: dict[str, Any], reader: Reader, body: Body) -> dict[str, Any]:
        session = self._session(header, "step")
        width = requests.count(header, "padded_width", "step") if header.get("padded_width") is not None else 0
        steps = [requests.step(given, reader, f"step.steps[{i}]") for i, given in enumerate(requests.objects(header, "steps", "step"))]
        reader.finish("step")
        check_steps(session, steps, self.models[session.model].vocab)
        outputs = self.engine.step(session.handle, steps, StepOptions(width, session.tap))
        wanted = [step for step in steps if step.n_last]
        if len(outputs) != len(wanted):
            raise TypeError(f"the engine's step returned {len(outputs)} outputs; expected {len(wanted)}")
        specs = [body.add(self._logits(output, step, self.models[session.model].vocab)) for output, step in zip(outputs, wanted)]
        for step in steps:
            session.samples[step.sample] += len(step.tokens)
        return {"outputs": specs}

    def _logits(self, output: Any, step: Step, vocab: int) -> np.ndarray:
        found, dtype = np.asarray(output), FLOATS[self.engine.logits]
        if found.shape != (step.n_last, vocab):
            raise TypeError(f"logits of sample {step.sample} have shape {found.shape}; expected {(step.n_last, vocab)}")
        if found.dtype.kind != "f" or not np.can_cast(found.dtype, dtype):
            raise TypeError(f"logits of sample {step.sample} are {found.dtype}; expected {dtype}")
        return found.astype(dtype, copy=False)

    def _join(self, header: dict[str, Any], _reader: Reader, _body: Body) -> dict[str, Any]:
        session = self._session(header, "join")
        return self._new(session, self.engine.join(session.handle), 0, "join")  # type: ignore[misc]

    def _leave(self, header: dict[str, Any], _reader: Reader, _body: Body) -> None:
        session = self._session(header, "leave")
        sample = self._sample(session, header, "leave")
        self.engine.leave(session.handle, sample)  # type: ignore[misc]
        del session.samples[sample]

    def _rewind(self, header: dict[str, Any], _reader: Reader, _body: Body) -> None:
        session = self._session(header, "rewind")
        sample = self._sample(session, header, "rewind")
        n_tokens = requests.count(header, "n_tokens", "rewind")
        if n_tokens > session.samples[sample]:
            raise Invalid(f"rewind.n_tokens: {n_tokens}, but sample {sample} has {session.samples[sample]} tokens")
        self.engine.rewind(session.handle, sample, n_tokens)  # type: ignore[misc]
        session.samples[sample] = n_tokens

    def _fork(self, header: dict[str, Any], _reader: Reader, _body: Body) -> dict[str, Any]:
        origin, into = self._session(header, "fork", "from"), self._session(header, "fork", "into")
        sample = self._sample(origin, header, "fork")
        if origin.model != into.model:
            raise Invalid(f"fork: from a session of model {origin.model} into one of model {into.model}")
        limits = [(one.options.limit, one.options.sink_tokens) for one in (origin, into)]
        if limits[0] != limits[1]:
            raise Invalid(f"fork: from a session with limit and sink_tokens {limits[0]} into one with {limits[1]}")
        number = self.engine.fork(origin.handle, sample, into.handle)  # type: ignore[misc]
        return self._new(into, number, origin.samples[sample], "fork")

    def _tap(self, header: dict[str, Any], _reader: Reader, _body: Body) -> None:
        session = self._session(header, "tap")
        names = None if header.get("names") is None else requests.texts(header, "names", "tap")
        session.tap = None if names is None else Tap(names, self.send_tap)

    def _positions(self, header: dict[str, Any], reader: Reader, _body: Body) -> dict[str, Any]:
        model = self._model(header, "positions")
        n_axes = requests.count(header, "n_axes", "positions")
        given = header.get("step")
        if not isinstance(given, dict):
            raise ProtocolError(f"positions.step: expected an object, found {given!r:.60}")
        step = requests.step({"sample": 0, "items": [], **given, "outputs": [], "positions": None}, reader, "positions.step")
        reader.finish("positions")
        check_tokens(step, model.vocab, "positions.step")
        found, delta = self.engine.positions(model.handle, step, n_axes)  # type: ignore[misc]
        if (shape := np.shape(found)) != (n_axes, len(step.tokens)):
            raise TypeError(f"positions have shape {shape}; expected {(n_axes, len(step.tokens))}")
        return {"positions": np.asarray(found).astype(int).tolist(), "delta": int(delta)}

    def _rope(self, header: dict[str, Any], reader: Reader, body: Body) -> dict[str, Any]:
        x = reader.take(header.get("x"), "rope.x")
        reader.finish("rope")
        if x.ndim != 3 or x.shape[2] != requests.count(header, "head_dim", "rope") or x.dtype != FLOATS[self.engine.logits]:
            raise ProtocolError(f"rope.x: {x.dtype} of shape {x.shape}; expected {self.engine.logits} [n_positions, n_heads, head_dim]")
        position = requests.rows(header.get("position"), len(x), "rope.position")
        answer = self.engine.rope(requests.text(header, "config", "rope"), position, x)  # type: ignore[misc]
        return {name: body.add(np.asarray(array, x.dtype)) for name, array in zip(("out", "cos", "sin"), answer)}


def check_tokens(step: Step, vocab: int, where: str) -> None:
    if not step.tokens:
        raise Invalid(f"{where}.tokens: none; expected at least 1")
    for i, token in enumerate(step.tokens):
        if not 0 <= token < vocab:
            raise Invalid(f"{where}.tokens[{i}]: {token} is outside the vocabulary of {vocab} tokens")
    if step.positions is not None and step.positions.min() < 0:
        raise Invalid(f"{where}.positions: {step.positions.min()} is below 0")


def check_steps(session: Session, steps: list[Step], vocab: int) -> None:
    """What a step may not ask for. Raises Invalid."""
    seen: set[int] = set()
    for i, step in enumerate(steps):
        where = f"step.steps[{i}]"
        if step.sample not in session.samples:
            raise Invalid(f"{where}.sample: the session has no sample {step.sample}")
        if step.sample in seen:
            raise Invalid(f"{where}.sample: sample {step.sample} has a step already")
        seen.add(step.sample)
        check_tokens(step, vocab, where)
        if step.n_last > len(step.tokens):
            raise Invalid(f"{where}.outputs: n_last is {step.n_last}; the step has {len(step.tokens)} tokens")


REQUESTS = {"hello": ("protocol",), "model_open": ("model", "dir", "compute", "compute_name", "cache_name", "allow_unknown"), "model_free": ("model",),
            "session_open": ("session", "model", "n_samples", "limit", "sink_tokens", "max_tokens"), "session_free": ("session",),
            "step": ("session", "padded_width", "steps"), "join": ("session",), "leave": ("session", "sample"),
            "rewind": ("session", "sample", "n_tokens"), "fork": ("from", "sample", "into"), "tap": ("session", "names"),
            "positions": ("model", "n_axes", "step"), "rope": ("config", "head_dim", "position", "x")}
OPTIONAL = ("join", "leave", "rewind", "fork", "tap", "positions", "rope")
