"""The published server's handling of requests that turn thinking off: its own gate, around one of its parsers.

Text is not parsed until it contains an explicit marker; from then on reasoning is dropped and content is passed on. These
functions do what `stream_chat_completion` (server.py) does with each chunk, and call the server's own functions.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

Fields = tuple[str | None, str | None]  # reasoning, content


def server() -> ModuleType:
    import vllm_mlx.server
    return vllm_mlx.server


def whole(parser: Any, text: str) -> Fields:
    module = server()
    module._reasoning_parser = parser
    try:
        reasoning, content, _ = module._extract_reasoning_and_tool_calls(text, allow_reasoning=False)
    finally:
        module._reasoning_parser = None
    return reasoning, (content or "").strip() or None


def streamed(parser: Any, deltas: list[str]) -> Fields:
    """Feeds all deltas, and an empty one that ends the stream; returns the fields."""
    module, text, parsed, content, latched = server(), "", "", "", False
    parser.reset_state()
    for number, delta in enumerate([*deltas, ""]):
        text += delta
        latched = latched or module._explicit_reasoning_markers_present(text, parser)
        if not latched:
            content += delta
            continue
        before, parsed = parsed, parsed + delta
        said = module._extract_streaming_reasoning_delta(parser, before, parsed, delta,
                                                         finished=number == len(deltas))
        content += (said.content if said else None) or ""
    return None, content.strip() or None
