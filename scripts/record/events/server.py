"""Runs the published server's three endpoints on a stub engine that returns given chunks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

MODEL = "model"
CHAT, MESSAGES, RESPONSES = "/v1/chat/completions", "/v1/messages", "/v1/responses"

Chunk = dict[str, Any]


@dataclass
class Exchange:
    """A request, the server's options, and the engine's output: `chunks`, with a failure before the chunk with index
    `raise_at`."""
    endpoint: str
    request: dict[str, Any]
    server: dict[str, Any]
    chunks: list[Chunk]
    raise_at: int | None = None

    def input(self) -> dict[str, Any]:
        return {"endpoint": self.endpoint, "request": self.request, "server": self.server,
                "chunks": self.chunks, "raise_at": self.raise_at}

    def asked(self, stream: bool) -> dict[str, Any]:
        request = {**self.request, "stream": stream}
        if not stream:
            request.pop("stream_options", None)
        return request


class Engine:
    """The stub engine: the members of an engine that the endpoints use."""
    model_name = MODEL
    is_mllm = False
    preserve_native_tool_format = False
    tokenizer = None

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange

    async def stream_chat(self, messages: Any, **options: Any) -> AsyncIterator[Any]:
        from vllm_mlx.engine.base import GenerationOutput
        text = ""
        for number, chunk in enumerate([*self.exchange.chunks, None]):
            if number == self.exchange.raise_at:
                raise RuntimeError("the engine failed")
            if chunk is not None:
                text += chunk["new_text"]
                yield GenerationOutput(text=text, **chunk)

    async def chat(self, messages: Any, **options: Any) -> Any:
        last = None
        async for last in self.stream_chat(messages):
            pass
        return last


@dataclass
class Answer:
    status: int
    body: str
    generic: int = 0  # texts in which the server's fallback parser, which was not configured, found or dropped a call
    notes: list[str] = field(default_factory=list)


def configure(server: Any, exchange: Exchange) -> None:
    """Sets the server's options, which are variables of its module."""
    from vllm_mlx.reasoning import get_parser
    options = exchange.server
    name = options.get("reasoning_parser")
    server._engine = Engine(exchange)
    server._model_name = MODEL
    server._reasoning_parser_name = name
    server._reasoning_parser = get_parser(name)() if name else None
    server._tool_call_parser = options.get("tool_parser")
    server._enable_auto_tool_choice = bool(options.get("auto_tool_choice"))
    server._tool_parser_instance = None
    server._default_chat_template_kwargs = options.get("default_chat_template_kwargs")
    server._responses_store.clear()


class Generic:
    """Counts the texts that the server's fallback parser changes; it runs if the configured parser finds nothing."""

    def __init__(self, server: Any) -> None:
        self.server, self.parse, self.n = server, server.parse_tool_calls, 0

    def __enter__(self) -> "Generic":
        def counted(*arguments: Any, **named: Any) -> Any:
            text, calls = self.parse(*arguments, **named)
            drops = not self.server._enable_auto_tool_choice and text.split() != arguments[0].split()
            self.n += bool(calls) or drops
            return text, calls
        self.server.parse_tool_calls = counted
        return self

    def __exit__(self, *_: Any) -> None:
        self.server.parse_tool_calls = self.parse


async def post(app: Any, path: str, body: dict[str, Any]) -> tuple[int, str]:
    """Sends one request through ASGI; the client never disconnects. Returns status and body."""
    said: dict[str, Any] = {"status": 0, "body": b""}
    sent = [{"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}]
    forever = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if sent:
            return sent.pop()
        await forever.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            said["status"] = message["status"]
        elif message["type"] == "http.response.body":
            said["body"] += message.get("body", b"")

    scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": path,
             "raw_path": path.encode(), "root_path": "", "scheme": "http", "query_string": b"",
             "headers": [(b"host", b"server"), (b"content-type", b"application/json")],
             "client": ("client", 1), "server": ("server", 80)}
    try:
        await app(scope, receive, send)
    except RuntimeError as error:  # a failure that no stream reports
        if str(error) != "the engine failed":
            raise
        said["status"] = said["status"] or 500
    return said["status"], said["body"].decode()


def ask(exchange: Exchange, stream: bool) -> Answer:
    import vllm_mlx.server as server
    configure(server, exchange)
    with Generic(server) as generic:
        status, body = asyncio.run(post(server.app, exchange.endpoint, exchange.asked(stream)))
    return Answer(status, body, generic.n)
