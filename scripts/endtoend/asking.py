"""Asks `assay generate`, and `assay serve` one request or three at once, and compares each answer with the truth token by token."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scripts.serve.running import Server

from .rows import Case, Sample

NAME = "e2e"
PARSERS = ("--reasoning-parser", "none", "--tool-parser", "none")  # the answer is the text of its tokens
DEADLINE = 300.0
ATTEMPTS = 20  # of three requests, until the server has evaluated two of them in one step


class Wrong(Exception):
    """Why an answer is not the truth's."""


@dataclass(frozen=True)
class Answer:
    """ids: the tokens, without the stop id that ended them. prompt: the rendered prompt; None if it is not reported."""

    ids: tuple[int, ...]
    finish: str
    prompt_tokens: int
    prompt: str | None = None


def named(case: Case, number: int | None) -> str:
    return "no token" if number is None else f"{number} ({case.pieces.get(number, '?')!r})"


def compare(case: Case, sample: Sample, answer: Answer) -> None:
    """Raises Wrong with the first difference: of the prompt, of the tokens, of the end."""
    place = f"{sample.kind} {sample.file}"
    if answer.prompt is not None and answer.prompt != sample.prompt:
        raise Wrong(f"{place}: the prompt is {answer.prompt!r}, expected {sample.prompt!r}")
    if answer.prompt_tokens != sample.prompt_tokens:
        raise Wrong(f"{place}: the prompt has {answer.prompt_tokens} tokens, expected {sample.prompt_tokens}")
    for position in range(max(len(answer.ids), len(sample.ids))):
        found, expected = (ids[position] if position < len(ids) else None for ids in (answer.ids, sample.ids))
        if found != expected:
            raise Wrong(f"{place}: token {position}: found {named(case, found)}, expected {named(case, expected)}")
    if answer.finish != sample.finish:
        raise Wrong(f"{place}: the answer ends by {answer.finish!r}, expected {sample.finish!r}")


def last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no output")


def generate(assay: str, engine: str, case: Case) -> None:
    """Each sample through a process of its own."""
    for sample in case.samples:
        command = [assay, "generate", "--engine", engine, "--model", str(case.model), f"--{sample.kind}", str(case.directory / sample.file),
                   "--prompt", sample.text, "--max-tokens", str(sample.max_tokens), *PARSERS, "--json", "-"]
        made = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
        if made.returncode != 0:
            raise Wrong(f"assay generate ends with status {made.returncode}: {last_line(made.stderr)}")
        said = json.loads(made.stdout)
        ids = tuple(said["ids"])
        if said["stop"] is not None and ids[-1:] == (said["stop"]["id"],):
            ids = ids[:-1]
        compare(case, sample, Answer(ids, said["finish_reason"], said["usage"]["prompt_tokens"], said["prompt"]))


def body(case: Case, sample: Sample, stream: bool) -> bytes:
    """A request for chat completions; an image is a data URL."""
    data = base64.b64encode((case.directory / sample.file).read_bytes()).decode()
    medium = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}} if sample.kind == "image" else \
        {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}
    content = [medium, {"type": "text", "text": sample.text}]
    asked: dict[str, Any] = {"model": NAME, "messages": [{"role": "user", "content": content}], "max_tokens": sample.max_tokens,
                             "temperature": 0, "logprobs": True}
    if stream:
        asked |= {"stream": True, "stream_options": {"include_usage": True}}
    return json.dumps(asked).encode()


def ids_of(case: Case, choices: list[Any]) -> tuple[int, ...]:
    """The ids of the reported tokens: each token has a text of its own."""
    ids = {piece: number for number, piece in case.pieces.items()}
    found = []
    for choice in choices:
        for one in (choice.get("logprobs") or {}).get("content") or []:
            if one["token"] not in ids:
                raise Wrong(f"token {len(found)} of the answer is {one['token']!r}, which the tokenizer does not have")
            found.append(ids[one["token"]])
    return tuple(found)


def read(case: Case, status: int, content: bytes) -> Answer:
    """The answer of the server, whole or streamed."""
    if status != 200:
        raise Wrong(f"assay serve answers {status}: {content[:300].decode(errors='replace')}")
    if content.startswith(b"data: "):
        parts = [json.loads(line[6:]) for line in content.decode().splitlines() if line.startswith("data: ") and line != "data: [DONE]"]
    else:
        parts = [json.loads(content)]
    choices = [choice for part in parts for choice in part["choices"]]
    finish = next((choice["finish_reason"] for choice in choices if choice.get("finish_reason")), "nothing")
    usage = next((part["usage"] for part in parts if part.get("usage")), {"prompt_tokens": -1})
    ids = ids_of(case, choices)
    text = "".join((choice.get("message") or choice.get("delta") or {}).get("content") or "" for choice in choices)
    spelled = "".join(case.pieces[one] for one in ids)
    if text != spelled:
        raise Wrong(f"the text of the answer is {text!r}, and that of its tokens {spelled!r}")
    return Answer(ids, finish, usage["prompt_tokens"])


@contextlib.contextmanager
def serving(assay: str, engine: str, case: Case) -> Iterator[Server]:
    try:
        server = Server(assay, case.model, NAME, "--engine", engine, *PARSERS)
    except RuntimeError as error:
        raise Wrong(f"assay serve: {error}") from None
    try:
        yield server
        status, said = server.stop()
        if status != 0:
            raise Wrong(f"assay serve ends with status {status}: {last_line(said)}")
    finally:
        server.kill()


def one_request(server: Server, case: Case) -> None:
    """Each sample alone, as a whole answer."""
    for sample in case.samples:
        connection = server.connect(DEADLINE)
        connection.request("POST", "/v1/chat/completions", body(case, sample, stream=False), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        compare(case, sample, read(case, answer.status, answer.read()))
        connection.close()


def all_at_once(server: Server, bodies: list[bytes]) -> list[tuple[int, bytes]]:
    """The answers to requests whose last bytes are sent one right after the other."""
    connections = [server.connect(DEADLINE) for _ in bodies]
    for connection, content in zip(connections, bodies):
        connection.putrequest("POST", "/v1/chat/completions")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(content)))
        connection.endheaders(content[:-1])
    found: list[tuple[int, bytes]] = [(0, b"no answer")] * len(bodies)

    def receive(k: int, connection: http.client.HTTPConnection) -> None:
        try:
            answer = connection.getresponse()
            found[k] = (answer.status, answer.read())
        except (OSError, http.client.HTTPException) as error:
            found[k] = (0, str(error).encode())

    threads = [threading.Thread(target=receive, args=(k, one)) for k, one in enumerate(connections)]
    for connection, content in zip(connections, bodies):
        connection.send(content[-1:])
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for connection in connections:
        connection.close()
    return found


def three_requests(server: Server, case: Case) -> None:
    """All samples at once, streamed, until two were evaluated in one step; every answer must be the truth's."""
    bodies = [body(case, sample, stream=True) for sample in case.samples]
    for _ in range(ATTEMPTS):
        before = server.metric("assay_step_samples_total") - server.metric("assay_steps_total")
        for sample, (status, content) in zip(case.samples, all_at_once(server, bodies)):
            compare(case, sample, read(case, status, content))
        if server.metric("assay_step_samples_total") - server.metric("assay_steps_total") > before:
            return
    raise Wrong(f"in {ATTEMPTS} attempts the server never evaluated two of three requests in one step")
