"""Sends streamed completions to a server at once, and times their events."""

from __future__ import annotations

import http.client
import json
import statistics
import threading
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .running import Silent

SECONDS = 600.0  # until an answer must have come
PATH = "/v1/completions"


@dataclass(frozen=True)
class Answer:
    """Seconds on the monotonic clock, and what the server counts."""
    sent: float
    first: float  # the first event with text
    last: float   # the end of the stream
    pause: float  # the longest one between two events with text
    n_prompt: int
    n_tokens: int


@dataclass(frozen=True)
class Load:
    """What requests that were sent at once took, in seconds. speed: generated tokens per second, from the first request
    to the last answer. first, worst: the time to the first token, median and worst. pause: the longest one within an
    answer."""
    speed: float
    first: float
    worst: float
    pause: float


def read_answer(answer: http.client.HTTPResponse, sent: float) -> Answer:
    """Raises Silent if the stream is no complete answer."""
    first, latest, pause = 0.0, 0.0, 0.0
    usage, event = None, {}
    while line := answer.readline():
        if not line.startswith(b"data:") or line.strip() == b"data: [DONE]":
            continue
        event = json.loads(line[len(b"data:"):])
        if any(choice.get("text") for choice in event.get("choices", ())):
            now = time.monotonic()
            first, pause, latest = first or now, max(pause, now - (latest or now)), now
        usage = event.get("usage") or usage
    if not first or not usage:
        raise Silent(f"found no text or no usage; the last event is {json.dumps(event)[:200]}")
    return Answer(sent, first, time.monotonic(), pause, usage["prompt_tokens"], usage["completion_tokens"])


def ask(netloc: str, body: bytes, start: threading.Barrier, found: list[Any], index: int) -> None:
    """Stores the answer, or why there is none."""
    try:
        connection = http.client.HTTPConnection(netloc, timeout=SECONDS)
        connection.connect()
        start.wait()
        sent = time.monotonic()
        connection.request("POST", PATH, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        if answer.status != 200:
            raise Silent(f"status {answer.status}: {answer.read(200)!r}")
        found[index] = read_answer(answer, sent)
        connection.close()
    except (Silent, OSError, ValueError, KeyError, http.client.HTTPException, threading.BrokenBarrierError) as error:
        start.abort()
        found[index] = error


def send(url: str, bodies: list[bytes]) -> list[Answer]:
    """Sends all bodies at once, each on a connection of its own. Raises Silent if one has no complete answer."""
    start = threading.Barrier(len(bodies))
    found: list[Any] = [None] * len(bodies)
    threads = [threading.Thread(target=ask, args=(urlsplit(url).netloc, body, start, found, i))
               for i, body in enumerate(bodies)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in found:
        if not isinstance(one, Answer):
            raise Silent(f"{type(one).__name__}: {one}")
    return found


def body(model: str, prompt: list[int], n_tokens: int) -> bytes:
    """A greedy completion of n_tokens tokens, whatever they are."""
    return json.dumps({"model": model, "prompt": prompt, "max_tokens": n_tokens, "temperature": 0, "ignore_eos": True,
                       "stream": True, "stream_options": {"include_usage": True}}).encode()


def measure(url: str, model: str, prompts: list[list[int]], n_tokens: int) -> Load:
    """Completes all prompts at once. Raises Silent also if an answer has another length than n_tokens, or another number
    of tokens in its prompt."""
    answers = send(url, [body(model, prompt, n_tokens) for prompt in prompts])
    for answer, prompt in zip(answers, prompts):
        if (answer.n_prompt, answer.n_tokens) != (len(prompt), n_tokens):
            raise Silent(f"counts {answer.n_prompt} tokens of a prompt of {len(prompt)}, and {answer.n_tokens} generated ones of "
                         f"{n_tokens}")
    waits = [answer.first - answer.sent for answer in answers]
    seconds = max(a.last for a in answers) - min(a.sent for a in answers)
    return Load(sum(a.n_tokens for a in answers) / seconds, statistics.median(waits), max(waits), max(a.pause for a in answers))
