"""A published tool parser's answers for a text, whole and streamed, called as the server calls it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from . import draw as tools_draw

# The markers of these parsers do not open the gate of the server's stream (server.py, 1092), so no streaming client receives
# their calls. Here they parse the stream from the first delta on.
UNGATED = ("granite", "xlam", "functionary", "kimi", "deepseek")


@dataclass
class Answer:
    content: str | None
    calls: list[tuple[str, str]]  # names, and arguments as returned
    flaws: set[str] = field(default_factory=set)  # problems visible only inside the parser: keys of judge.CAUSES


def parser(name: str, flaws: set[str]) -> Any:
    from vllm_mlx.tool_parsers import ToolParserManager
    one = ToolParserManager.get_tool_parser(name)(None)
    if name == "qwen3_xml":
        watch(one._xml_parser, flaws)
    return one


def broken_off(read: str, rest: str) -> bool:
    """Whether, outside of calls, a tag of qwen3_xml is interrupted by another tag. read, rest: the text before and after the parser's
    position."""
    begun = re.match("<[^<>]*(?=<)", rest)
    inside = (read.count("<tool_call>") > read.count("</tool_call>")
              or read.rfind("<parameter=") > read.rfind("</function>"))
    if not begun or not read or inside:
        return False
    tags = tools_draw.MARKERS["qwen3_xml"]
    return (begun[0].startswith(("<function=", "<parameter="))
            or (any(tag.startswith(begun[0]) for tag in tags) and rest.startswith(tags, begun.end())))


def watch(xml: Any, flaws: set[str]) -> None:
    """Adds to `flaws` what qwen3_xml's parser ignores without an error."""
    feed, abandon = xml.parse_single_streaming_chunks, xml._abandon_pending_implicit_tool_call
    lost = False  # whether an expat parser withheld text when it was replaced by a new one

    def unread() -> bool:
        read, rest = xml.streaming_buffer[:xml.last_processed_pos], xml.streaming_buffer[xml.last_processed_pos:]
        expected = re.fullmatch("<[^<>]*", rest) if xml.current_function_name else broken_off(read, rest)
        return lost or xml.parser.keeps or bool(rest and not expected)

    def parse(chunk: str) -> Any:
        said = feed(chunk)
        flaws.discard("unread")
        if unread():
            flaws.add("unread")
        return said

    def restore() -> Any:
        if xml.tool_call_index > 1 or "</tool_call>" in xml.streaming_buffer:
            flaws.add("restored")
        return abandon()

    class Noted:
        """Wraps the expat parser: its errors are only logged, and it withholds a final bracket, which may begin "]]>"."""

        def __init__(self, proper: Any) -> None:
            self.__dict__.update(proper=proper, keeps=False)

        def Parse(self, text: str, *arguments: Any) -> Any:
            self.__dict__["keeps"] = text.endswith("]") or (self.keeps and not text)
            try:
                return self.proper.Parse(text, *arguments)
            except Exception:
                flaws.add("malformed")
                raise

        def __setattr__(self, name: str, value: Any) -> None:
            setattr(self.proper, name, value)

    set_up = xml.setup_parser
    xml.parser = replaced = Noted(xml.parser)

    def set_up_noted() -> None:
        nonlocal lost, replaced
        lost = lost or replaced.keeps
        xml.parser = replaced = Noted(xml.parser)
        set_up()

    xml.parse_single_streaming_chunks = parse
    xml._abandon_pending_implicit_tool_call = restore
    xml.setup_parser = set_up_noted


def whole(name: str, request: dict[str, Any], text: str) -> Answer:
    flaws: set[str] = set()
    try:
        said = parser(name, flaws).extract_tool_calls(text, request)
    except Exception as error:  # the server then answers with another parser
        return Answer(f"{type(error).__name__}: {error}", [], {"raises"})
    return Answer((said.content or "").strip() or None,
                  [(call["name"], call["arguments"]) for call in said.tool_calls], flaws)


class Stream:
    """The stream that a client receives: server.py's stream_chat_completion without a reasoning parser. gated: keep the gate for
    the parsers of UNGATED, too."""

    def __init__(self, name: str, request: dict[str, Any], gated: bool = False) -> None:
        from vllm_mlx import server
        self.server = server
        self.flaws: set[str] = set()
        self.parser = parser(name, self.flaws)
        self.request = {"tools": request["tools"]} if request else {}
        self.open = name in UNGATED and not gated
        self.possible = self.open or server._requires_eager_tool_streaming(self.parser)
        self.text = self.content = ""
        self.calls: dict[int, list[str]] = {}
        self.detected = False

    def take_calls(self, calls: Iterable[tuple[int, dict[str, Any]]]) -> None:
        for index, function in calls:
            one = self.calls.setdefault(index, ["", ""])
            one[0] += function.get("name") or ""
            one[1] += function.get("arguments") or ""
        self.detected = True

    def parsed(self, delta: str, finished: bool) -> str:
        """The content of a delta after the gate has opened."""
        self.text, said = self.server._extract_streaming_tool_delta(self.parser, self.text, delta, self.request)
        if finished and (said is None or self.server._requires_eager_tool_streaming(self.parser)):
            said = self.server._finalize_streaming_tool_result(self.parser, self.text, said)
        if said is None:
            return ""
        if "tool_calls" in said:
            self.take_calls((call["index"], call["function"]) for call in said["tool_calls"])
            return self.server._assistant_text_before_tool_call(self.parser, self.text, said.get("content", ""))
        content = said.get("content", "")
        if self.detected and self.server._parser_drops_text_after_tool_call(self.parser):
            content = ""
        return self.server._TOOL_MARKUP_PATTERN.sub("", content)

    def feed(self, delta: str, finished: bool = False) -> None:
        if not (delta or (finished and self.possible)):
            return
        if not self.possible and not self.server._streaming_tool_markup_possible_after_delta(
                self.text, delta, self.parser):
            self.text += delta
            self.content += self.server.SPECIAL_TOKENS_PATTERN.sub("", delta)
            return
        self.possible = True
        self.content += self.parsed(delta, finished)

    def answer(self) -> Answer:
        """Ends the stream with an empty delta, as the server does when the engine has ended; returns the answer."""
        self.feed("", finished=True)
        possible = self.open or self.server._streaming_tool_markup_possible(self.text, self.parser)
        if self.text and not self.detected and possible:
            unread = self.flaws & {"unread"}
            said = self.parser.extract_tool_calls(self.text, self.request)
            self.flaws |= unread
            if said.tools_called:
                self.take_calls(enumerate(said.tool_calls))
        return Answer(self.content.strip() or None, [(name, text) for _, (name, text) in sorted(self.calls.items())],
                      self.flaws)


def streamed(name: str, request: dict[str, Any], deltas: list[str], gated: bool = False) -> Answer:
    try:
        stream = Stream(name, request, gated)
        for delta in deltas:
            stream.feed(delta)
        return stream.answer()
    except Exception as error:
        return Answer(f"stream: {type(error).__name__}: {error}", [], {"raises"})
