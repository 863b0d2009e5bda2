"""Reads answers with the official clients, and compares the result with the expected message.

    python read_streams.py DIR

DIR has ENDPOINT-NAME.sse, .json and .txt (the expected message), as lib/dialogue/response/tests/write_responses writes them. Prints
one line for each answer; the exit status is 1 if a client raises an error or returns another message.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import functools
import http.server
import json
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import anthropic
import openai

Said = tuple[str, str, list[tuple[str, Any]], str]  # reasoning, content, calls, finish reason


class Server(http.server.BaseHTTPRequestHandler):
    """Answers every request with `body`."""
    body, status, kind = b"", 200, ""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(self.status)
        self.send_header("content-type", self.kind)
        self.send_header("content-length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: Any) -> None:
        pass


# Making a client takes longer than reading an answer.
@functools.cache
def openai_client(url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0)


@functools.cache
def anthropic_client(url: str) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)


def check_usage(usage: Any, *must: int) -> None:
    found = (usage.input_tokens, usage.output_tokens) if len(must) == 2 else (usage.total_tokens,)
    if found != must:
        raise ValueError(f"usage: {usage}")


def chat(url: str, streams: bool) -> Said:
    """Reads chat completions: with the client's helper that joins chunks, and chunk by chunk for reasoning, which the helper
    ignores."""
    client = openai_client(url)
    asked: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
    if streams:
        with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
            for _ in stream:
                pass
            try:
                made = stream.get_final_completion()
            except openai.LengthFinishReasonError as error:
                made = error.completion
            except openai.ContentFilterFinishReasonError:
                made = stream.current_completion_snapshot
        reasoning = "".join(getattr(choice.delta, "reasoning_content", None) or "" for chunk in
                            client.chat.completions.create(**asked, stream=True) for choice in chunk.choices)
    else:
        made = client.chat.completions.create(**asked)
        reasoning = getattr(made.choices[0].message, "reasoning_content", None) or ""
    check_usage(made.usage, 5)
    message = made.choices[0].message
    calls = [(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or []]
    return reasoning, message.content or "", calls, made.choices[0].finish_reason


def completions(url: str, streams: bool) -> Said:
    """Joins the chunks of a stream, and checks that each character has its logprob at its offset."""
    client = openai_client(url)
    asked: dict[str, Any] = {"model": "m", "prompt": "a", "logprobs": 1}
    text, tokens, offsets, reason, usage = "", [], [], "", None
    answers = client.completions.create(**asked, stream=True, stream_options={"include_usage": True}) if streams else \
        [client.completions.create(**asked)]
    for answer in answers:
        usage = answer.usage or usage
        for choice in answer.choices:
            text += choice.text
            tokens += choice.logprobs.tokens
            offsets += choice.logprobs.text_offset
            reason = choice.finish_reason or reason
            if choice.logprobs.token_logprobs != [-0.5] * len(choice.logprobs.tokens):
                raise ValueError(f"logprobs: {choice.logprobs}")
    check_usage(usage, 5)
    if tokens != list(text) or offsets != list(range(len(text))):
        raise ValueError(f"tokens {tokens} at {offsets} of {text!r}")
    return "", text, [], reason


def messages(url: str, streams: bool) -> Said:
    client = anthropic_client(url)
    asked: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}]}
    if streams:
        with client.messages.stream(**asked) as stream:
            made = stream.get_final_message()
    else:
        made = client.messages.create(**asked)
    check_usage(made.usage, 3, 2)
    return ("".join(block.thinking for block in made.content if block.type == "thinking"),
            "".join(block.text for block in made.content if block.type == "text"),
            [(block.name, block.input) for block in made.content if block.type == "tool_use"], made.stop_reason or "")


def responses(url: str, streams: bool) -> Said:
    client = openai_client(url)
    if streams:
        last = None
        with client.responses.stream(model="m", input="a") as stream:
            for event in stream:
                last = event
        if last is None or last.type not in ("response.completed", "response.incomplete"):
            raise openai.APIError(last.type if last else "nothing", request=None, body=None)
        made = last.response
    else:
        made = client.responses.create(model="m", input="a")
    check_usage(made.usage, 5)
    return ("".join(part.text for item in made.output if item.type == "reasoning" for part in item.content or []),
            made.output_text, [(item.name, json.loads(item.arguments)) for item in made.output
                               if item.type == "function_call"], made.status or "")


def expected(file: Path) -> Said:
    reasoning, content, calls, why = file.with_suffix(".txt").read_bytes().decode().split("\x1e")
    return reasoning, content, [(call.split(" ", 1)[0], json.loads(call.split(" ", 1)[1]))
                                for call in calls.split("\x1f") if call], why


def read(file: Path, url: str) -> str | None:
    """Reads one file with the client of its endpoint; returns an error message, or None."""
    must, streams = expected(file), file.suffix == ".sse"
    Server.body = file.read_bytes()
    Server.kind = "text/event-stream" if streams else "application/json"
    Server.status = 500 if must[3] == "failed" and not streams else 200
    read_one = {"chat": chat, "completions": completions, "messages": messages, "responses": responses}[file.name.split("-")[0]]
    try:
        found = read_one(url, streams)
    except (openai.APIError, anthropic.APIError) as error:
        told = "no luck" in str(error) or "response.failed" in str(error)
        return None if must[3] == "failed" and told else f"{type(error).__name__}: {error}"
    except Exception as error:  # any error of a client that cannot read the answer
        return f"{type(error).__name__}: {error}"
    return None if found == must else f"found {found}, expected {must}"


def main(arguments: list[str]) -> int:
    warnings.simplefilter("ignore")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    failed = 0
    files = sorted(file for file in Path(arguments[0]).iterdir() if file.suffix in (".sse", ".json"))
    for file in files:
        wrong = read(file, f"http://127.0.0.1:{server.server_port}")
        failed += wrong is not None
        print(f"{file.name}: {wrong or 'ok'}")
    server.shutdown()
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
