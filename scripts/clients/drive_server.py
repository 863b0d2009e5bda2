"""Lets the official clients talk to `assay serve`, streamed and whole: text, reasoning, tools and their results, images, several requests at
once, aborts, errors. What they return must be the recorded truth: fixtures/bundle (requests.json) and viewer.py.

    python drive_server.py ASSAY TOP

Prints one line for each check; the exit status is 1 if one fails.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import base64
import json
import sys
import tempfile
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anthropic
import openai

import viewer

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from scripts.serve.running import Server, waits_for  # noqa: E402

Said = tuple[str, str, list[tuple[str, Any]], str, tuple[int, int]]  # reasoning, content, calls, finish reason, tokens of prompt and answer

n_failed = 0


def check(name: str, run: Callable[[], Any], expected: Any) -> None:
    global n_failed
    try:
        found = run()
    except Exception as error:  # whatever a client raises
        found = f"{type(error).__name__}: {error}"
    wrong = found != expected
    n_failed += wrong
    if wrong and isinstance(found, list) and len(found) == len(expected):
        found, expected = next(pair for pair in zip(found, expected) if pair[0] != pair[1])
    print(f"{name}: {f'found {found}, expected {expected}' if wrong else 'ok'}", flush=True)


class Clients:
    def __init__(self, server: Server) -> None:
        url = f"http://127.0.0.1:{server.port}"
        self.model = server.name
        self.openai = openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0)
        self.anthropic = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)

    def chat(self, messages: list[Any], streams: bool, **more: Any) -> Said:
        asked: dict[str, Any] = {"model": self.model, "messages": messages, "temperature": 0, **more}
        if streams:
            reasoning = ""
            with self.openai.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
                for event in stream:
                    if event.type == "chunk":
                        reasoning += "".join(getattr(choice.delta, "reasoning_content", None) or "" for choice in event.chunk.choices)
                try:
                    made = stream.get_final_completion()
                except openai.LengthFinishReasonError as error:
                    made = error.completion
        else:
            made = self.openai.chat.completions.create(**asked)
            reasoning = getattr(made.choices[0].message, "reasoning_content", None) or ""
        message = made.choices[0].message
        calls = [(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or []]
        return reasoning, message.content or "", calls, made.choices[0].finish_reason, (made.usage.prompt_tokens, made.usage.completion_tokens)

    def messages(self, messages: list[Any], streams: bool, **more: Any) -> Said:
        asked: dict[str, Any] = {"model": self.model, "messages": messages, **more}
        asked["extra_body"] = {"temperature": 0, **more.get("extra_body", {})}  # which this client does not know any more
        if streams:
            with self.anthropic.messages.stream(**asked) as stream:
                made = stream.get_final_message()
        else:
            made = self.anthropic.messages.create(**asked)
        reason = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length"}.get(made.stop_reason or "", made.stop_reason or "")
        return ("".join(block.thinking for block in made.content if block.type == "thinking"),
                "".join(block.text for block in made.content if block.type == "text"),
                [(block.name, block.input) for block in made.content if block.type == "tool_use"], reason,
                (made.usage.input_tokens, made.usage.output_tokens))

    def responses(self, items: Any, streams: bool, **more: Any) -> Said:
        asked: dict[str, Any] = {"model": self.model, "input": items, "temperature": 0, **more}
        if streams:
            with self.openai.responses.stream(**asked) as stream:
                final = [event.response for event in stream if event.type in ("response.completed", "response.incomplete")]
            made = final[-1]
        else:
            made = self.openai.responses.create(**asked)
        calls = [(item.name, json.loads(item.arguments)) for item in made.output if item.type == "function_call"]
        reason = "length" if made.status == "incomplete" else "tool_calls" if calls else "stop"
        return ("".join(part.text for item in made.output if item.type == "reasoning" for part in item.content or []), made.output_text, calls,
                reason, (made.usage.input_tokens, made.usage.output_tokens))

    def completion(self, prompt: Any, streams: bool, **more: Any) -> tuple[str, list[int]]:
        """The text, and the ids of its tokens."""
        asked = {"model": self.model, "prompt": prompt, "temperature": 0, "extra_body": {"return_token_ids": True}, **more}
        parts = self.openai.completions.create(**asked, stream=True) if streams else [self.openai.completions.create(**asked)]
        choices = [choice for part in parts for choice in part.choices]
        return "".join(choice.text for choice in choices), [i for choice in choices for i in choice.token_ids or []]


# ---- The bundle: requests.json has requests of chat completions ----

def for_messages(request: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    made: list[Any] = []
    more: dict[str, Any] = {}
    for message in request["messages"]:
        if message["role"] == "system":
            more["system"] = message["content"]
        elif message["role"] == "tool":
            made.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}]})
        elif message.get("tool_calls"):
            made.append({"role": "assistant", "content": [{"type": "tool_use", "id": call["id"], "name": call["function"]["name"],
                                                           "input": call["function"]["arguments"]} for call in message["tool_calls"]]})
        else:
            made.append(message)
    if "tools" in request:
        more["tools"] = [{"name": tool["function"]["name"], "description": tool["function"]["description"],
                          "input_schema": tool["function"]["parameters"]} for tool in request["tools"]]
    return made, more


def for_responses(request: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    made: list[Any] = []
    for message in request["messages"]:
        if message["role"] == "tool":
            made.append({"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]})
        elif message.get("tool_calls"):
            made += [{"type": "function_call", "call_id": call["id"], "name": call["function"]["name"],
                      "arguments": json.dumps(call["function"]["arguments"])} for call in message["tool_calls"]]
        else:
            made.append(message)
    return made, {"tools": [{"type": "function", "strict": False, **tool["function"]} for tool in request["tools"]]} if "tools" in request else {}


def for_chat(request: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    made = []
    for message in request["messages"]:
        calls = [{**call, "function": {**call["function"], "arguments": json.dumps(call["function"]["arguments"])}}
                 for call in message.get("tool_calls") or []]
        made.append({**message, "tool_calls": calls} if calls else message)
    return made, {"tools": request["tools"]} if "tools" in request else {}


def ask(clients: Clients, endpoint: str, case: dict[str, Any], streams: bool) -> Said:
    """White space at the ends of the reasoning is not compared: servers differ in it, and the truth has none."""
    reasoning, *rest = send(clients, endpoint, case, streams)
    return reasoning.strip(), *rest  # type: ignore[return-value]


def send(clients: Clients, endpoint: str, case: dict[str, Any], streams: bool) -> Said:
    given = case["input"]
    arguments = {"chat_template_kwargs": {"enable_thinking": given["thinking"]}}
    if endpoint == "chat":
        messages, more = for_chat(given["request"])
        return clients.chat(messages, streams, max_tokens=given["max_tokens"], extra_body=arguments, **more)
    if endpoint == "messages":
        messages, more = for_messages(given["request"])
        return clients.messages(messages, streams, max_tokens=given["max_tokens"], extra_body=arguments, **more)
    messages, more = for_responses(given["request"])
    return clients.responses(messages, streams, max_output_tokens=given["max_tokens"], extra_body=arguments, **more)


def truth(case: dict[str, Any]) -> Said:
    e = case["expect"]
    calls = [(call["name"], call["arguments"]) for call in e["calls"]]
    return (e["reasoning"] or "", e["content"] or "", calls, "tool_calls" if calls else e["finish_reason"],
            (e["prompt_tokens"], e["completion_tokens"]))


def drive_bundle(assay: str, top: Path, family: str) -> None:
    folder = top / "fixtures/bundle" / family
    cases = [case for group in json.loads((folder / "requests.json").read_text(encoding="utf-8"))["groups"] for case in group["vectors"]]
    server = Server(assay, folder / "model", family)
    try:
        clients = Clients(server)
        for endpoint in ("chat", "messages", "responses"):
            for streams in (False, True):
                check(f"{family}: {len(cases)} requests of {endpoint}, {'streamed' if streams else 'whole'}",
                      lambda: [ask(clients, endpoint, case, streams) for case in cases], [truth(case) for case in cases])
        for streams in (False, True):
            check(f"{family}: {len(cases)} completions by text and by ids, {'streamed' if streams else 'whole'}",
                  lambda: [clients.completion(case["input"][member], streams, max_tokens=64) for case in cases for member in ("prompt", "prompt_ids")],
                  [(case["expect"]["text"], case["expect"]["ids"]) for case in cases for _ in range(2)])
        several_at_once(clients, cases[:3], family)
        if family == "qwen3":
            aborts(server, clients)
            errors(clients)
        code, said = server.stop()
        check(f"{family}: the server ends", lambda: (code, said), (0, ""))
    finally:
        server.kill()


def several_at_once(clients: Clients, cases: list[Any], family: str) -> None:
    kinds = [(endpoint, case) for endpoint in ("chat", "messages", "responses") for case in cases]
    with ThreadPoolExecutor(len(kinds)) as pool:
        check(f"{family}: {len(kinds)} requests at once",
              lambda: list(pool.map(lambda kind: ask(clients, *kind, True), kinds)), [truth(case) for _, case in kinds])


def aborts(server: Server, clients: Clients) -> None:
    """A client leaves in the middle of a stream of each kind: its sample goes, and others are answered."""
    long = {"model": clients.model, "messages": [{"role": "user", "content": "What is 3 + 4?"}]}
    more = {"extra_body": {"ignore_eos": True}, "max_tokens": 400}

    def leave(open_stream: Callable[[], Any]) -> bool:
        before = server.metric("assay_abandoned_total")
        with open_stream() as stream:
            for _ in zip(range(3), stream):
                pass
        return waits_for(lambda: server.metric("assay_abandoned_total") == before + 1) and waits_for(lambda: server.metric("assay_running_samples") == 0)

    check("abort: chat completions", lambda: leave(lambda: clients.openai.chat.completions.create(**long, **more, stream=True)), True)
    check("abort: completions", lambda: leave(lambda: clients.openai.completions.create(model=clients.model, prompt="a", stream=True, **more)), True)


def errors(clients: Clients) -> None:
    """Errors arrive as the exceptions that the clients define."""
    def raised(run: Callable[[], Any]) -> Any:
        try:
            run()
        except (openai.APIStatusError, anthropic.APIStatusError) as error:
            return type(error).__name__
        return None
    messages: list[Any] = [{"role": "user", "content": "a"}]
    check("error: an unknown model (openai)", lambda: raised(lambda: clients.openai.chat.completions.create(model="x", messages=messages)), "NotFoundError")
    check("error: an unknown model (anthropic)", lambda: raised(lambda: clients.anthropic.messages.create(model="x", max_tokens=4, messages=messages)),
          "NotFoundError")
    check("error: a member that is not supported", lambda: raised(lambda: clients.openai.chat.completions.create(
        model=clients.model, messages=messages, logit_bias={"5": 1})), "BadRequestError")
    check("error: an image of a network", lambda: raised(lambda: clients.anthropic.messages.create(model=clients.model, max_tokens=4, messages=[
        {"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "http://127.0.0.1:1/a.png"}}]}])), "BadRequestError")
    check("models", lambda: [model.id for model in clients.openai.models.list()], [clients.model])
    check("a model", lambda: clients.openai.models.retrieve(clients.model).id, clients.model)


# ---- Images ----

def drive_viewer(assay: str, top: Path) -> None:
    with tempfile.TemporaryDirectory() as directory:
        made = Path(directory)
        viewer.make(top / "fixtures", made)
        server = Server(assay, made, "viewer", "--files", str(made / "images"))
        try:
            clients = Clients(server)
            for case, names in viewer.CASES.items():
                expected = viewer.text_of(viewer.SAID[case])
                for streams in (False, True):
                    for kind, url in (("data", data_url), ("file", file_url)):
                        label = f"images: {case}, {kind} URLs, {'streamed' if streams else 'whole'}"
                        check(f"{label}, chat", lambda: clients.chat(
                            [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url(made, name)}} for name in names] +
                              [{"type": "text", "text": "what?"}]}], streams, max_tokens=viewer.N_TOKENS)[1], expected)
                        check(f"{label}, responses", lambda: clients.responses(
                            [{"role": "user", "content": [{"type": "input_image", "image_url": url(made, name), "detail": "auto"} for name in names] +
                              [{"type": "input_text", "text": "what?"}]}], streams, max_output_tokens=viewer.N_TOKENS)[1], expected)
                        check(f"{label}, messages", lambda: clients.messages(
                            [{"role": "user", "content": [{"type": "image", "source": source(made, name, kind)} for name in names] +
                              [{"type": "text", "text": "what?"}]}], streams, max_tokens=viewer.N_TOKENS)[1], expected)
        finally:
            server.kill()


def data_url(_: Path, name: str) -> str:
    return "data:image/png;base64," + base64.b64encode(viewer.IMAGES[name]).decode()


def file_url(directory: Path, name: str) -> str:
    return (directory / "images" / f"{name}.png").as_uri()


def source(directory: Path, name: str, kind: str) -> dict[str, str]:
    if kind == "file":
        return {"type": "url", "url": file_url(directory, name)}
    return {"type": "base64", "media_type": "image/png", "data": base64.b64encode(viewer.IMAGES[name]).decode()}


def main(arguments: list[str]) -> int:
    warnings.simplefilter("ignore")
    assay, top = arguments[0], Path(arguments[1])
    drive_bundle(assay, top, "qwen3")
    drive_bundle(assay, top, "gemma4")
    drive_viewer(assay, top)
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
