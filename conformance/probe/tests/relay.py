"""A relay between a probe and a correct server, which plants bugs: in the requests that it passes on, and in the answers.

The first part of a path is the number of a round; each round has bugs of its own, so that one relay serves all of them. Most requests
of a round are those of others: it is given the correct server's answers to them. The first round always asks the server itself.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Optional
from urllib.parse import urlsplit

PATHS = {"/v1/completions": "completions", "/v1/chat/completions": "chat", "/v1/responses": "responses",
         "/v1/messages": "messages"}
NUMBERS = ("logprobs", "top_logprobs", "prompt_logprobs", "include")  # members that ask for log-probabilities
SECONDS_KEPT = 120.0  # of an answer: a probe compares the times in it with its own clock
TOP_MOST = 20  # alternatives: more are refused, so that answers stay small

Request = dict[str, Any]
Answer = dict[str, Any]  # of a stream {"events": [...]}, else {"body": ...}


@dataclass
class Bug:
    """A bug of one endpoint in one form of its answers: "whole", "stream" or "refusal".

    check: of the finding that must name it; * stands for any text. request: changes the members of a request. answer: changes an
    answer, given the request as the client sent it. asks: the checks that show it, as option --only takes them, if not those of
    its own. moves: it changes more than one field. everywhere: it acts also on requests that its check does not make.
    """

    name: str
    endpoint: str
    form: str
    check: str
    request: Optional[Callable[[Request], None]] = None
    answer: Optional[Callable[[Answer, Request], None]] = None
    asks: str = ""
    moves: bool = False
    everywhere: bool = False

    @property
    def reach(self) -> tuple[str, str, Optional[bool]]:
        """The requests on which it acts: of one endpoint, in one form, which ask for log-probabilities, or which do not (None:
        any). Refusals are whole answers."""
        about_numbers = self.check.startswith(("numerics/", "discovery/")) or re.search(r"logprobs\.|:?top_logprobs$", self.check)
        return self.endpoint, "stream" if self.form == "stream" else "whole", None if self.everywhere else bool(about_numbers)

    def reaches(self, endpoint: str, request: Request) -> bool:
        asks_numbers = any(request.get(name) is not None and request[name] is not False for name in NUMBERS)
        return (self.endpoint == endpoint and self.reach[1] == ("stream" if request.get("stream") else "whole") and
                self.reach[2] in (None, asks_numbers))


def events(body: str) -> list[Any]:
    """The data of each event, with its name; text for data that is no JSON."""
    found: list[Any] = []
    for block in body.split("\n\n"):
        name = next((line[7:] for line in block.split("\n") if line.startswith("event: ")), "")
        data = next((line[6:] for line in block.split("\n") if line.startswith("data: ")), None)
        if data is not None:
            found.append([name, data if data == "[DONE]" else json.loads(data)])
    return found


def written(stream: list[Any]) -> str:
    lines = []
    for name, data in stream:
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        lines.append((f"event: {name}\n" if name else "") + f"data: {text}\n\n")
    return "".join(lines)


def changed(body: bytes, kind: str, bugs: list[Bug], form: str, request: Request) -> bytes:
    changes = [bug.answer for bug in bugs if bug.answer and (bug.form == "refusal") == (form == "refusal")]
    if not changes:
        return body
    stream = "event-stream" in kind
    answer: Answer = {"events": events(body.decode())} if stream else {"body": json.loads(body)}
    for change in changes:
        change(answer, request)
    return (written(answer["events"]) if stream else json.dumps(answer["body"], ensure_ascii=False)).encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Relay

    def log_message(self, *_: object) -> None:
        pass

    def forward(self, method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
        connection = http.client.HTTPConnection(self.server.host, timeout=60)
        connection.request(method, path, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        found = response.status, response.getheader("Content-Type", ""), response.read()
        connection.close()
        return found

    def correct(self, path: str, body: bytes) -> tuple[int, str, bytes]:
        """The server's answer: one that another round was given, but none that this round was, since ids differ."""
        relay, number = self.server, self.number()
        with relay.lock:
            kept = relay.kept.setdefault((path, body), [])
            for since, found in kept if number else ():
                if id(found) not in relay.given[number] and time.monotonic() - since < SECONDS_KEPT:
                    relay.given[number].add(id(found))
                    return found
        since, found = time.monotonic(), self.forward("POST", path, body)
        with relay.lock:
            kept.append((since, found))
            relay.given[number].add(id(found))
        return found

    def answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def number(self) -> int:
        return int(self.path[1:].partition("/")[0])

    def round(self, request: Request) -> tuple[str, list[Bug]]:
        path = "/" + self.path[1:].partition("/")[2]
        return path, [bug for bug in self.server.rounds[self.number()] if bug.reaches(PATHS.get(path, ""), request)]

    def do_GET(self) -> None:
        self.answer(*self.forward("GET", self.round({})[0], b""))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = self.read(body)
        path, bugs = self.round(asked or {})
        if asked is None:
            self.answer(*self.planted(*self.correct(path, body), bugs, {}))
            return
        if int(asked.get("top_logprobs") or 0) > TOP_MOST or int(asked.get("logprobs") or 0) > TOP_MOST:
            self.answer(400, "application/json", b'{"error":{"message":"too many alternatives"}}')
            return
        changes = [bug.request for bug in bugs if bug.request]
        request = json.loads(body) if changes else asked
        for change in changes:
            change(request)
        self.answer(*self.planted(*self.correct(path, json.dumps(request).encode() if changes else body), bugs, asked))

    @staticmethod
    def read(body: bytes) -> Optional[Request]:
        try:
            found = json.loads(body)
        except ValueError:
            return None
        return found if isinstance(found, dict) and isinstance(found.get("top_logprobs") or 0, int) else None

    @staticmethod
    def planted(status: int, kind: str, body: bytes, bugs: list[Bug], asked: Request) -> tuple[int, str, bytes]:
        form = "refusal" if status >= 400 else "stream" if "event-stream" in kind else "whole"
        return status, kind, changed(body, kind, bugs, form, asked) if body else body


class Relay(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, url: str, rounds: list[list[Bug]]):
        super().__init__(("127.0.0.1", 0), Handler)
        self.host, self.rounds = urlsplit(url).netloc, rounds
        self.lock = threading.Lock()
        self.kept: dict[tuple[str, bytes], list[tuple[float, tuple[int, str, bytes]]]] = {}  # answers, and since when
        self.given: list[set[int]] = [set() for _ in rounds]  # the answers of each round

    def url(self, number: int) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{number}"
