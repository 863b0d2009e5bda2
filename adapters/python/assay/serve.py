"""Serves an engine: requests of the harness on one pipe, answers on the other."""

from __future__ import annotations

import traceback
from typing import Any, BinaryIO

import numpy as np

from . import frames
from .calls import Calls
from .engine import Engine
from .errors import ProtocolError, Stopped, described
from .pipes import claim
from .requests import is_count
from .tensors import Array, Body, Reader


class Server:
    """One request at a time, until the requests end."""

    def __init__(self, engine: Engine, requests: BinaryIO, answers: BinaryIO):
        self.requests, self.answers = requests, answers
        self.calls = Calls(engine, self._send_tap)
        self.id = 0

    def run(self) -> None:
        """Raises ProtocolError if the harness sends what is no request."""
        try:
            while (frame := frames.read(self.requests)) is not None:
                self.id, name = request_of(frame.header)
                self._answer(name, frame)
        finally:
            self.calls.free_all()

    def _answer(self, name: str, frame: frames.Frame) -> None:
        body = Body()
        try:
            reader = Reader(frame.body)
            answer = self.calls.call(name, frame.header, reader, body)
        except HarnessGone:
            raise
        except ProtocolError as error:
            answer, body = error_of("invalid", str(error)), Body()
        except Exception as error:
            status, text = described(error)
            if status == "internal":
                traceback.print_exc()  # to standard error, which the harness shows
            answer, body = error_of(status, text), Body()
        frames.write(self.answers, {"id": self.id, **answer}, body)

    def _send_tap(self, sample: int, name: str, array: Array) -> np.ndarray | None:
        """Sends one tensor, and waits for what the harness says. Raises Stopped."""
        body = Body()
        given = body.add(array)
        frames.write(self.answers, {"id": self.id, "tap": {"sample": sample, "name": name, "tensor": given}}, body)
        try:
            reply = frames.read(self.requests)
        except ProtocolError as error:
            raise HarnessGone(str(error)) from None
        if reply is None:
            raise HarnessGone("the requests end where the answer to a tap is expected")
        if reply.header.get("id") != self.id or not isinstance(reply.header.get("go_on"), bool):
            raise HarnessGone(f"expected the answer to a tap of request {self.id}, found {reply.header!r:.100}")
        if not reply.header["go_on"]:
            raise Stopped(f"stopped at {name} of sample {sample}")
        if reply.header.get("tensor") is None:
            return None
        found = Reader(reply.body).take(reply.header["tensor"], "tensor")
        wanted = (given["dtype"], given["shape"])
        if (reply.header["tensor"]["dtype"], list(found.shape)) != wanted:
            raise ProtocolError(f"tensor: expected {wanted[0]} of shape {wanted[1]}, found {reply.header['tensor']!r:.100}")
        return found


class HarnessGone(ProtocolError):
    """The requests end, or are none, in the middle of a call."""


def error_of(status: str, text: str) -> dict[str, Any]:
    return {"error": {"status": status, "text": text}}


def request_of(header: dict[str, Any]) -> tuple[int, str]:
    """(id, call) of a request."""
    if not is_count(header.get("id")):
        raise ProtocolError(f"header.id: expected a number, found {header.get('id')!r:.60}")
    if not isinstance(header.get("call"), str):
        raise ProtocolError(f"header.call: expected the name of a call, found {header.get('call')!r:.60}")
    return header["id"], header["call"]


def serve(engine: Engine) -> int:
    """Answers requests until standard input ends. Returns the process's exit status."""
    requests, answers = claim()
    try:
        Server(engine, requests, answers).run()
    except BrokenPipeError:
        return 0  # the harness has gone, and needs no answer
    except ProtocolError as error:
        traceback.print_exception(error, limit=0)
        return 1
    return 0
