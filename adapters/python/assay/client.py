"""The harness's side of the protocol, for tests of engines without the program `assay`. It trusts the engine with time and
memory, as `assay` does not: see `timeout`."""

from __future__ import annotations

import itertools
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import frames
from .errors import ProtocolError
from .tensors import Array, Body, Reader, member

Visit = Callable[[int, str, np.ndarray], bool]  # (sample, name, tensor): whether the step goes on


class Refused(Exception):
    """An engine answered with an error."""

    def __init__(self, status: str, text: str):
        super().__init__(f"{status}: {text}")
        self.status, self.text = status, text


class Client:
    """Starts the command of an engine; a context manager. timeout: seconds after which the engine is killed if it has not answered
    a call."""

    def __init__(self, command: Sequence[str], timeout: float = 60, **options: Any):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        self.timeout = timeout
        self.ids, self.numbers = itertools.count(1), itertools.count()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> int:
        """Ends the requests; returns the exit status."""
        assert self.process.stdin and self.process.stdout
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            return self.process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self.process.stdout.close()

    def call(self, name: str, body: Body | None = None, visit: Visit | None = None, **members: Any) -> tuple[dict[str, Any], Reader]:
        """One request and its answer. Raises Refused for an error, ProtocolError for what is no answer."""
        number = next(self.ids)
        watchdog = threading.Timer(self.timeout, self.process.kill)
        watchdog.start()
        try:
            self._send({"call": name, "id": number, **members}, body)
            while True:
                frame = self._receive(number)
                if "tap" not in frame.header:
                    return frame.header, Reader(frame.body)
                self._send({"id": number, "go_on": show_tap(frame, visit)}, None)
        finally:
            watchdog.cancel()

    def _send(self, header: dict[str, Any], body: Body | None) -> None:
        try:
            frames.write(self.process.stdin, header, body)  # type: ignore[arg-type]
        except BrokenPipeError:
            raise ProtocolError(f"the engine has ended{self._status()}") from None

    def _status(self) -> str:
        try:
            status = self.process.wait(1)
        except subprocess.TimeoutExpired:
            return ""
        return f", killed by {signal.Signals(-status).name}" if status < 0 else f" with exit status {status}"

    def _receive(self, number: int) -> frames.Frame:
        frame = frames.read(self.process.stdout)  # type: ignore[arg-type]
        if frame is None:
            raise ProtocolError(f"the engine has ended{self._status()}")
        if frame.header.get("id") != number:
            raise ProtocolError(f"header.id: expected {number}, found {frame.header.get('id')!r:.60}")
        if (error := frame.header.get("error")) is not None:
            if not isinstance(error, dict) or not all(isinstance(error.get(name), str) for name in ("status", "text")):
                raise ProtocolError(f"header.error: expected status and text, found {error!r:.60}")
            raise Refused(error["status"], error["text"])
        return frame

    # ---- Calls ----

    def hello(self) -> dict[str, Any]:
        return self.call("hello", protocol=1)[0]

    def model_open(self, directory: str, compute: str | None = None, compute_name: str | None = None,
                   cache_name: str | None = None) -> tuple[int, int]:
        """(the model's number, the width of its logits)"""
        number = next(self.numbers)
        answer, _ = self.call("model_open", model=number, dir=str(directory), compute=compute, compute_name=compute_name,
                              cache_name=cache_name, allow_unknown=[])
        return number, member(answer, "vocab", "model_open")

    def session_open(self, model: int, n_samples: int, limit: int = 0, sink_tokens: int = 0, max_tokens: int = 0) -> int:
        number = next(self.numbers)
        self.call("session_open", session=number, model=model, n_samples=n_samples, limit=limit, sink_tokens=sink_tokens,
                  max_tokens=max_tokens)
        return number

    def step(self, session: int, steps: Sequence[dict[str, Any]], padded_width: int = 0, visit: Visit | None = None) -> list[np.ndarray]:
        """steps: `step_of`. Returns the outputs, in order."""
        body = Body()
        described = [{**step, "items": [describe_item(item, body) for item in step["items"]]} for step in steps]
        answer, reader = self.call("step", body, visit, session=session, padded_width=padded_width, steps=described)
        outputs = member(answer, "outputs", "step")
        wanted = [output["n_last"] for step in steps for output in step["outputs"]]
        if not isinstance(outputs, list) or len(outputs) != len(wanted):
            raise ProtocolError(f"step.outputs: expected {len(wanted)}, found {outputs!r:.100}")
        arrays = [reader.take(output, f"step.outputs[{i}]") for i, output in enumerate(outputs)]
        reader.finish("step")
        for i, (array, n_last) in enumerate(zip(arrays, wanted)):
            if array.ndim != 2 or len(array) != n_last:
                raise ProtocolError(f"step.outputs[{i}]: expected {n_last} rows, found shape {array.shape}")
        return arrays


def step_of(sample: int, tokens: Sequence[int], n_last: int | None = None, items: Sequence[tuple[str, dict[str, Array]]] = ()) -> dict[str, Any]:
    """n_last: None: all rows. items: (kind, tensors)."""
    rows = len(tokens) if n_last is None else n_last
    return {"sample": sample, "tokens": [int(token) for token in tokens], "positions": None, "items": items,
            "outputs": [{"name": "logits", "n_last": rows}] if rows else []}


def describe_item(item: tuple[str, dict[str, Array]], body: Body) -> dict[str, Any]:
    kind, tensors = item
    return {"kind": kind, "offset": 0, "n_tokens": 0,
            "tensors": [{"name": name, **body.add(array)} for name, array in tensors.items()]}


def show_tap(frame: frames.Frame, visit: Visit | None) -> bool:
    tap = frame.header["tap"]
    if not isinstance(tap, dict):
        raise ProtocolError(f"header.tap: expected an object, found {tap!r:.60}")
    if visit is None:
        raise ProtocolError("a tap's tensor, though no tap was asked for")
    reader = Reader(frame.body)
    tensor = reader.take(member(tap, "tensor", "tap"), "tap.tensor")
    reader.finish("tap")
    return visit(member(tap, "sample", "tap"), member(tap, "name", "tap"), tensor)
