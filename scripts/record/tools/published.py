"""Inputs that upstream's own tests pass to its tool parsers."""

from __future__ import annotations

import json
from typing import Any

from ..reasoning import published as reasoning_published
from . import draw as tools_draw

FILES = ("test_tool_parsers", "test_gemma4_tool_parser", "test_gpt_oss_tool_parsing", "test_harmony_parsers",
         "test_tool_call_promotion", "test_streaming_content_with_tool_calls", "test_native_tool_format",
         "test_tool_argument_coercion", "test_deepseek_v4_tool_parser", "test_minimax_tool_calling", "test_poolside_v1_parsers",
         "test_step3p5_tool_parser")

Call = tuple[str, str, dict[str, Any], list[str]]  # parser, test, request, deltas


def members(request: Any) -> str:
    """The members of a request that parsers read, as JSON; {} if it is no request or has none."""
    tools = request.get("tools") if isinstance(request, dict) else None
    return json.dumps({"tools": tools} if tools else {})


class CallRecorder(reasoning_published.CallRecorder):
    """Records the inputs of tool parsers. A recorded name is the parser's name, a space, and the request."""

    def extract_tool_calls(self, name: str, parser: Any, text: str, request: Any = None) -> None:
        self.extract_reasoning(f"{name} {members(request)}", parser, text)

    def extract_tool_calls_streaming(self, name: str, parser: Any, previous: str = "", current: str = "",
                                     delta: str = "", *_: Any, **named: Any) -> None:
        previous, delta = named.get("previous_text", previous), named.get("delta_text", delta)
        request = members(named.get("request"))
        self.extract_reasoning_streaming(f"{name} {request}", parser, previous, current, delta)

    def reset(self, name: str, parser: Any) -> None:
        self.ended(id(parser))


def calls() -> list[Call]:
    from vllm_mlx.tool_parsers import ToolParserManager
    recorder = CallRecorder()
    for name in tools_draw.MARKERS:
        for method in ("extract_tool_calls", "extract_tool_calls_streaming", "reset"):
            recorder.wrap_method(name, ToolParserManager.get_tool_parser(name), method)
    try:
        reasoning_published.run(recorder, FILES)
    finally:
        recorder.restore_methods()
    made = []
    for (key, deltas), test in recorder.calls.items():
        name, _, request = key.partition(" ")
        if len("".join(deltas)) <= reasoning_published.MOST:
            made.append((name, test, json.loads(request), list(deltas)))
    return made
