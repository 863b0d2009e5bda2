"""Valid requests of all endpoints, whole and streamed, whose answers do not depend on when they are sent."""

from __future__ import annotations

import json
from typing import Any

Request = tuple[str, dict[str, Any]]  # path, body

CHAT, COMPLETIONS, MESSAGES, RESPONSES = ("/v1/chat/completions", "/v1/completions", "/v1/messages", "/v1/responses")

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"name": "get_weather", "description": "The weather of a city", "parameters": SCHEMA}
PIXEL = "data:image/x-portable-pixmap;base64,UDYgMSAxIDI1NQr///8="


def valid(model: str, n_tokens: int) -> list[Request]:
    """n_tokens: the most tokens of each answer."""
    def user(text: Any) -> list[dict[str, Any]]:
        return [{"role": "user", "content": text}]

    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
    chat = {"model": model, "max_tokens": n_tokens}
    bodies: list[Request] = [
        (CHAT, {**chat, "messages": user("What is 3 + 4?"), "temperature": 0}),
        (CHAT, {**chat, "messages": user("What is 3 + 4?"), "temperature": 1, "seed": 3, "stream": True,
                "stream_options": {"include_usage": True}, "n": 2, "logprobs": True, "top_logprobs": 3}),
        (CHAT, {**chat, "messages": user([{"type": "text", "text": "How is the weather in Oslo?"}]), "temperature": 0,
                "tools": [{"type": "function", "function": TOOL}], "tool_choice": "auto", "stream": True}),
        (CHAT, {**chat, "messages": [{"role": "system", "content": "Be brief."}, *user("How is the weather in Oslo?"),
                                     {"role": "assistant", "content": None, "tool_calls": [call]},
                                     {"role": "tool", "tool_call_id": "call_1", "content": "rain"}], "temperature": 0,
                "stop": ["\n\n"], "chat_template_kwargs": {"enable_thinking": False}}),
        (COMPLETIONS, {"model": model, "prompt": "What is 3 + 4?", "max_tokens": n_tokens, "logprobs": 5, "echo": True,
                       "temperature": 0}),
        (COMPLETIONS, {"model": model, "prompt": [[5, 6, 7], [8, 9]], "max_tokens": n_tokens, "stream": True, "seed": 9, "n": 2,
                       "prompt_logprobs": 2, "return_token_ids": True}),
        (MESSAGES, {"model": model, "max_tokens": n_tokens, "system": "Be brief.", "messages": user("What is 3 + 4?"),
                    "temperature": 0, "stop_sequences": ["8"]}),
        (MESSAGES, {"model": model, "max_tokens": n_tokens, "messages": user("How is the weather in Oslo?"), "stream": True,
                    "tools": [{"name": TOOL["name"], "input_schema": SCHEMA}], "top_k": 1}),
        (RESPONSES, {"model": model, "input": "What is 3 + 4?", "max_output_tokens": n_tokens, "temperature": 0}),
        (RESPONSES, {"model": model, "input": [{"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "What is 3 + 4?"}]}], "instructions": "Be brief.", "max_output_tokens": n_tokens,
            "stream": True, "temperature": 0, "include": ["message.output_text.logprobs"], "top_logprobs": 2}),
    ]
    return bodies


def long(model: str, **more: Any) -> Request:
    """A stream that has no end within a test, with some kilobytes for each token."""
    return CHAT, {"model": model, "messages": [{"role": "user", "content": "Hello"}], "ignore_eos": True, "stream": True,
                  "seed": 1, **more}


def written(request: Request, *headers: str) -> bytes:
    path, body = request
    content = json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(content)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content
