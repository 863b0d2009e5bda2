"""Raw HTTP over a socket: sends bytes, and reads answers until the server closes or a count of answers is complete."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import struct
import time
from typing import Any, NamedTuple

from .requests import MESSAGES
from .running import Server


class Answer(NamedTuple):
    status: int
    kind: str
    content: bytes


class Broken(Exception):
    """Why bytes are no answer of HTTP."""


def send(to: socket.socket, content: bytes) -> None:
    """What the server refuses to take is lost."""
    with contextlib.suppress(OSError):
        to.sendall(content)


def receive(source: socket.socket) -> bytes:
    """Everything until the server closes. TimeoutError after the socket's timeout."""
    found = bytearray()
    while True:
        try:
            some = source.recv(65536)
        except ConnectionError:
            return bytes(found)
        if not some:
            return bytes(found)
        found += some


def vanish(client: socket.socket) -> None:
    """Closes with a reset, as the kernel does for a client that crashed."""
    with contextlib.suppress(OSError):
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def join_chunks(content: bytes) -> tuple[bytes, bytes]:
    """A body in chunks, and what follows it."""
    found = b""
    while True:
        size, separator, content = content.partition(b"\r\n")
        if not separator or not size:
            raise Broken(f"the size of a chunk is {size[:40]!r}")
        n = int(size, 16)
        if len(content) < n + 2 or content[n:n + 2] != b"\r\n":
            raise Broken("a chunk is cut")
        found += content[:n]
        content = content[n + 2:]
        if n == 0:
            return found, content


def parse(content: bytes) -> list[Answer]:
    """The answers that the bytes hold, one behind the other."""
    found = []
    while content:
        head, separator, content = content.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        words = lines[0].split(b" ")
        if not separator or len(words) < 2 or words[0] not in (b"HTTP/1.1", b"HTTP/1.0"):
            raise Broken(f"no head of an answer: {head[:80]!r}")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines[1:])}
        status = int(words[1])
        if status == 100:
            continue
        if fields.get(b"transfer-encoding", b"") == b"chunked":
            body, content = join_chunks(content)
        elif b"content-length" in fields:
            n = int(fields[b"content-length"])
            if len(content) < n:
                raise Broken(f"the body has {len(content)} bytes of {n}")
            body, content = content[:n], content[n:]
        else:
            body, content = content, b""
        found.append(Answer(status, fields.get(b"content-type", b"").decode("latin-1"), body))
    return found


def exchange(server: Server, content: bytes, half: float | None = None) -> bytes:
    """Sends bytes and reads until the server closes. half: seconds after which the writing side is closed, since the request may
    not be complete; None: it is complete, and says "Connection: close"."""
    with server.dial() as client:
        send(client, content)
        if half is None:
            return receive(client)
        client.settimeout(half)
        found = b""
        end = time.monotonic() + 2 * half
        with contextlib.suppress(TimeoutError, ConnectionError):
            while time.monotonic() < end:
                some = client.recv(65536)
                if not some:
                    return found
                found += some
        with contextlib.suppress(OSError):
            client.shutdown(socket.SHUT_WR)
        client.settimeout(60)
        return found + receive(client)


def statuses(content: bytes) -> list[int]:
    """The statuses of answers to malformed HTTP. libmicrohttpd 0.9.75 writes the head of its own error pages twice, so that they
    are not parsed."""
    if content and not content.startswith(b"HTTP/1."):
        raise Broken(f"no head of an answer: {content[:80]!r}")
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", content)]


def strict(content: bytes) -> Any:
    def refuse(name: str) -> None:
        raise Broken(f"{name} is no JSON")
    return json.loads(content.decode("utf-8"), parse_constant=refuse)


def check(answer: Answer, path: str) -> None:
    """Raises Broken unless the answer is one that a client of the endpoint can read: JSON or events, an error in the form of the
    protocol, and never a fault of the server."""
    try:
        if answer.status == 200 and answer.kind.startswith("text/event-stream"):
            for line in answer.content.decode("utf-8").splitlines():
                if line.startswith("data: ") and line != "data: [DONE]":
                    strict(line[6:].encode())
            return
        document = strict(answer.content)
    except ValueError as error:
        raise Broken(f"status {answer.status}: {error}: {answer.content[:200]!r}") from None
    if answer.status == 200:
        return
    if answer.status not in (400, 404, 413):
        raise Broken(f"status {answer.status}: {answer.content[:200]!r}")
    error = document.get("error") if isinstance(document, dict) else None
    if not isinstance(error, dict) or not isinstance(error.get("message"), str) or not error["message"]:
        raise Broken(f"an error without a message: {answer.content[:200]!r}")
    if (document.get("type") == "error") != (path == MESSAGES):
        raise Broken(f"an error of another protocol: {answer.content[:200]!r}")
