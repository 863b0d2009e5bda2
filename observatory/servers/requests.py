"""The requests of recorded exchanges: each endpoint, whole and streamed, with what servers are known to differ in."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, NamedTuple

from .exchanges import exchange
from .running import Silent

Body = dict[str, Any]


class Request(NamedTuple):
    label: str
    path: str
    body: bytes | None  # None: GET


class Drawn:
    """The requests for one family; model: the name by which the server knows the checkpoint."""

    def __init__(self, bundle: Path, model: str):
        document = json.loads((bundle / "requests.json").read_text())
        self.vectors = {one["comment"]: one for one in document["groups"][0]["vectors"]}
        self.model = model
        self.made: list[Request] = [Request("models", "/v1/models", None)]

    def asked(self, comment: str) -> tuple[Body, bool]:
        """The messages and tools of a recorded request, and whether it reasons. The arguments of earlier calls become
        text, as chat completions have them."""
        found = self.vectors[comment]["input"]
        request = copy.deepcopy(found["request"])
        for message in request["messages"]:
            for call in message.get("tool_calls", ()):
                function = call["function"]
                function["arguments"] = json.dumps(function["arguments"], ensure_ascii=False)
        return request, found["thinking"]

    def add(self, label: str, path: str, body: Body) -> None:
        self.made.append(Request(label, path, json.dumps({"model": self.model, **body}, ensure_ascii=False).encode()))

    def chat(self, label: str, comment: str, **more: Any) -> None:
        request, thinking = self.asked(comment)
        body = {"max_tokens": 64, "temperature": 0, "chat_template_kwargs": {"enable_thinking": thinking}, **request,
                **more}
        self.add(f"chat/{label}", "/v1/chat/completions", body)
        self.add(f"chat/{label}-stream", "/v1/chat/completions",
                 {**body, "stream": True, "stream_options": {"include_usage": True}})

    def completion(self, label: str, comment: str, streams: bool = True, **more: Any) -> None:
        body = {"prompt": self.vectors[comment]["input"]["prompt"], "max_tokens": 32, "temperature": 0, **more}
        self.add(f"completions/{label}", "/v1/completions", body)
        if streams:
            self.add(f"completions/{label}-stream", "/v1/completions", {**body, "stream": True})

    def message(self, label: str, comment: str, **more: Any) -> None:
        request, thinking = self.asked(comment)
        body: Body = {"max_tokens": 64, "temperature": 0, "messages": request["messages"],
                      "chat_template_kwargs": {"enable_thinking": thinking}, **more}
        if "tools" in request:
            body["tools"] = [{"name": one["function"]["name"], "description": one["function"]["description"],
                              "input_schema": one["function"]["parameters"]} for one in request["tools"]]
        for suffix, streams in (("", {}), ("-stream", {"stream": True})):
            self.add(f"messages/{label}{suffix}", "/v1/messages", {**body, **streams})

    def response(self, label: str, comment: str, **more: Any) -> None:
        request, thinking = self.asked(comment)
        body: Body = {"input": request["messages"][0]["content"], "max_output_tokens": 64, "temperature": 0,
                      "chat_template_kwargs": {"enable_thinking": thinking}, **more}
        if "tools" in request:
            body["tools"] = [{"type": "function", **one["function"]} for one in request["tools"]]
        for suffix, streams in (("", {}), ("-stream", {"stream": True})):
            self.add(f"responses/{label}{suffix}", "/v1/responses", {**body, **streams})


def requests(bundle: Path, model: str) -> list[Request]:
    drawn = Drawn(bundle, model)
    reasons, plain = "reasoning and an answer", "an answer without reasoning"
    sign = "a character of several tokens"
    drawn.chat("reasoning", reasons)
    drawn.chat("plain", plain)
    drawn.chat("logprobs", plain, logprobs=True, top_logprobs=5)
    drawn.chat("call", "a call")
    drawn.chat("result", "the result of a call")
    drawn.chat("limit-reasoning", reasons, max_tokens=5)
    drawn.chat("limit-character", sign, max_tokens=5)
    drawn.chat("stop", plain, stop=["is"])
    drawn.chat("two", plain, n=2)
    drawn.completion("sign", sign)
    drawn.completion("logprobs", plain, logprobs=5)
    drawn.completion("echo", plain, streams=False, logprobs=5, echo=True, max_tokens=1)
    drawn.completion("ids", plain, streams=False, prompt=drawn.vectors[plain]["input"]["prompt_ids"])
    drawn.completion("stop", plain, stop=["is"])
    for label, comment, more in (("reasoning", reasons, {}), ("call", "a call", {}), ("limit", plain, {"max_tokens": 3}),
                                 ("stop", plain, {"stop_sequences": ["is"]})):
        drawn.message(label, comment, **more)
    for label, comment, more in (("reasoning", reasons, {}), ("call", "a call", {}),
                                 ("limit", plain, {"max_output_tokens": 3})):
        drawn.response(label, comment, **more)
    asked, _ = drawn.asked(plain)
    drawn.add("errors/unknown-model", "/v1/chat/completions", {**asked, "model": "no-such-model", "max_tokens": 4})
    drawn.made.append(Request("errors/malformed", "/v1/chat/completions", b'{"model": "m", "messages": [{"role"'))
    drawn.add("errors/no-messages", "/v1/chat/completions", {"max_tokens": 4})
    return drawn.made


def served_name(url: str) -> str:
    """The first model that GET /v1/models lists. Raises Silent if it lists none."""
    head, body = exchange(url, "/v1/models", None)
    try:
        return str(json.loads(body)["data"][0]["id"])
    except (ValueError, KeyError, IndexError, TypeError):
        raise Silent(f"GET /v1/models: status {head['status']}, {body[:80]!r}") from None
