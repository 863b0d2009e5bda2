"""Answers on which the published tool parsers agree with themselves, but which are wrong or which a stream cannot know."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Any

from . import draw as tools_draw
from .trial import Trial, lone, strict, tokens

CAUSES = {
    "raises": "the parser raises",
    "malformed": "after an error of its XML the parser reads on in the wrong place",
    "unread": "text that the parser never reads",
    "restored": "of text behind a call only a tag is content",
    "order": "calls in another order than in the text",
    "nameless": "a call without a name",
    "forged": "a call that begins inside of another's arguments",
    "retracted": "what a stream has told is taken back, and by chance said again of another place",
    "python": "arguments that are Python, or JSON that no one reads alike",
    "silent": "what a stream is silent of until the end of a thought takes it along",
    "late": "a call that a stream knows of only when it has ended",
    "unmarked": "a call without a marker, which a stream finds only where another marker stands",
    "twice": "a call whose text is content, too",
    "lost": "text before all markers that a stream passes over, and the whole answer for another reason",
    "lone": "half a character",
    "repeated": "the same words of different places",
}


ENDS = ("</tool_call>", "</function>", ")]", "<tool_call|>")


def is_python(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.literal_eval(text)
    except Exception:
        return False
    return True


def is_json(text: str) -> bool:
    try:
        strict(text)
        return True
    except (ValueError, RecursionError):
        return False


def is_begun(text: str, arguments: str) -> bool:
    """Whether the arguments are an object that is unfinished because the text ends: within a value or after one, within a string
    or a number."""
    tags = re.findall("</?(?:tool_call|function|parameter)[^<>]*>", text)
    last = tags[-1] if tags else ""
    rests = ('"}', "0}", "}") if last.startswith("<parameter") else ('"}', "}") if last == "</parameter>" else ()
    return any(is_json(arguments + rest) for rest in rests)


def spoils(text: str, arguments: str) -> bool:
    """Whether the arguments are neither JSON, nor a prefix of JSON at the end of the text, nor the model's own text."""
    if is_json(arguments) or is_begun(text, arguments):
        return False
    return arguments not in text or is_python(arguments)


QWENS = ("qwen", "step3p5")


def disordered(name: str, text: str) -> bool:
    """Whether the parser returns calls in another order than the text: qwen searches for calls in brackets first, then objects, then
    functions; functionary searches for functions last."""
    from vllm_mlx.tool_parsers.functionary_tool_parser import FunctionaryToolParser as Functionary
    from vllm_mlx.tool_parsers.qwen_tool_parser import QwenToolParser as Qwen
    qwens = (Qwen.BRACKET_PATTERN, Qwen.XML_PATTERN, Qwen.FUNCTION_PATTERN)
    patterns = {**dict.fromkeys(QWENS, qwens), "functionary": (Functionary.RECIPIENT_PATTERN, Functionary.FUNCTION_PATTERN)}
    places = [[found.start() for found in pattern.finditer(text)] for pattern in patterns.get(name, ())]
    return any(min(later, default=len(text)) < max(first, default=-1)
               for i, first in enumerate(places) for later in places[i + 1:])


def places(text: str, request: dict[str, Any]) -> list[int]:
    """The positions of the calls that glm47 finds in a text, after it has removed complete thoughts or, if there are none, everything
    before an end tag without a start tag."""
    from vllm_mlx.tool_parsers import abstract_tool_parser
    from vllm_mlx.tool_parsers.glm47_tool_parser import Glm47ToolParser as Glm47
    thoughts = (list(abstract_tool_parser.THINK_TAG_PATTERN.finditer(text))
                or list(abstract_tool_parser.IMPLICIT_THINK_PATTERN.finditer(text)))
    kept = [at for at in range(len(text)) if not any(one.start() <= at < one.end() for one in thoughts)]
    names = Glm47(None)._get_tool_names(request)
    found = Glm47.FUNC_DETAIL_PATTERN.finditer("".join(text[at] for at in kept))
    return [kept[one.start()] for one in found if one[1].strip() in (names or {one[1].strip()})]


def retracted(t: Trial) -> bool:
    """Whether thoughts change which calls or content glm47 reports: it searches the whole text for thoughts whenever a call
    ends."""
    if "<tool_call>" not in t.text or "</think>" not in t.text:
        return False
    told: list[int] = []
    for end in re.finditer("</tool_call>", t.text):
        so_far = t.text[:end.end()]
        if "<think>" not in so_far or "</think>" in so_far:
            told += places(so_far, t.request)[len(told):]
    return told != places(t.text, t.request) if told else not t.whole.calls and t.whole.content is not None


def misplaced(text: str) -> str | None:
    """A key of CAUSES, or None. llama searches the whole text for marked calls and for functions, and for bare objects if it
    finds neither."""
    from vllm_mlx.tool_parsers.llama_tool_parser import LlamaToolParser as Llama
    marked, functions, bare = (look(text)[1] for look in (
        Llama._extract_python_tag_data, Llama._extract_xml_data, Llama._extract_bare_json_data))
    if any(begin < other < end for begin, end in (*marked, *functions, *bare) for other, _ in (*marked, *functions)):
        return "forged"
    return "retracted" if bare and (marked or functions) else None


def unsteady(t: Trial) -> str | None:
    """A key of CAUSES, or None: how the end of a thought changes the answer for the text before it. qwen, hermes and gemma4
    also search the whole text for thoughts."""
    from vllm_mlx.tool_parsers.qwen_tool_parser import QwenToolParser as Qwen

    from .stream import Stream, whole
    stream, fed = Stream(t.name, t.request), 0
    for end in re.finditer("</think>", t.text):
        so_far = t.text[:end.start()]
        for delta in tokens(t.name, t.text[fed:end.start()]):
            stream.feed(delta)
        fed = end.start()
        before, behind = (whole(t.name, t.request, t.text[:at]).calls for at in end.span())
        told = [(name, arguments) for _, (name, arguments) in sorted(stream.calls.items())]
        marks = [so_far.find(mark) for mark in tools_draw.MARKERS[t.name] if mark in so_far]
        if behind[:len(told)] != told or (t.whole.calls and not marks):
            return "retracted"
        if t.name == "hermes" and so_far.count("<tool_call>") > max(1, so_far.count("</tool_call>")):
            return "silent"
        if t.name == "gemma4" and so_far.count("<tool_call|>") > 1 and not told:  # it reads only the first block
            return "silent"
        if behind[:len(before)] != before or (t.name in QWENS and marks and "<think>" not in so_far
                                              and len(Qwen._strip_unclosed_markup(so_far)) > min(marks)):
            return "silent"
        begin = so_far.rfind("<think>")
        if (len(behind) > len(before) or any(mark in so_far[begin:] for mark in ENDS if begin >= 0)
                or (marks and begin < 0 and re.search("<think>.*</think>", t.text[end.end():], re.DOTALL))):
            return "late"
    return None


def late(t: Trial) -> bool:
    """Whether a stream finds a call only at its end. hermes searches for functions and objects without tags if the text has no
    tagged call; its stream reports nothing while there are more opening than closing tags, and parses again at its end."""
    from .stream import whole
    so_far = t.text[:t.text.rfind("</tool_call>") + 1]
    if not so_far and t.text.count("<tool_call>") > 1 and t.whole.calls:
        return True
    return (so_far.count("<tool_call>") > so_far.count("</tool_call>") + 1 and bool(t.whole.calls)
            and not whole(t.name, t.request, so_far + "/tool_call>").calls)


def unmarked(t: Trial) -> bool:
    """Whether a call has no marker. gemma4 also reads fenced code as calls, and hermes bare objects, but a stream searches for
    these only after a marker of another form."""
    from .stream import whole
    said = whole(t.name, t.request, t.text.replace("tool_code", "tool-code"))
    behind = t.text.partition("</think>")[2]
    return (("tool_code" in t.text and said.calls != t.whole.calls)
            or (not any(mark in behind for mark in ("<|tool_call>", "<tool_call", "<function="))
                and bool(whole(t.name, t.request, behind).calls)))


def in_value(text: str) -> bool:
    """Whether a parameter's value contains a tag that another tag interrupts; qwen3_xml reads nothing after it."""
    values = re.findall(r"<parameter=[^<>]+>(.*?)(?:</parameter>|\Z)", text, re.DOTALL)
    return any(re.search("<[^<>]*(?=<|$)", value) for value in values)


def joined(arguments: str) -> bool:
    """Whether arguments are an object with more text after it, or have a duplicate member."""
    try:
        return bool(arguments[json.JSONDecoder().raw_decode(arguments)[1]:].strip()) or not is_json(arguments)
    except ValueError:
        return False


def repeated(t: Trial) -> bool:
    """Whether stream and whole answer took their equal content from different places of the text: they differ if other text is put
    before it, or after its last words."""
    content, last = t.whole.content or "", t.deltas[-1]
    places = t.text.count(content) if "</think>" not in t.text else 2
    if not content:
        return False
    if places > 1 and not Trial(t.name, t.request, ["z", *t.deltas]).agrees:
        return True
    return (t.name == "hermes" and content.endswith(last) and t.deltas.count(last) > 1
            and not Trial(t.name, t.request, [*t.deltas, "z"]).agrees)


def varied(deltas: list[str]) -> list[str]:
    """The deltas with names and letters made different in each delta."""
    def of_place(place: int, delta: str) -> str:
        return re.sub(r"(?<![a-z_\"])[afgh](?![a-z_\"])|(?<=name\": \")[fgh]", lambda found: found[0] * (place + 2), delta)
    return [of_place(place, delta) for place, delta in enumerate(deltas)]


def by_chance(t: Trial) -> bool:
    """Whether qwen or step3p5 lose one call and report an equal one instead, at the end of a thought or out of order."""
    doubtful = "</think>" in t.text or (disordered(t.name, t.text) and "<function=" in t.text)
    return t.name in QWENS and doubtful and not Trial(t.name, t.request, varied(t.deltas)).agrees


def is_unknown(text: str) -> bool:
    """Whether a complete thought follows an end tag without a start tag, so that the parsers do not treat that tag as an end."""
    before, end, behind = text.partition("</think>")
    return bool(end) and "<think>" not in before and bool(re.search("<think>.*</think>", behind, re.DOTALL))


def in_tag(text: str) -> bool:
    """Whether, in a text for qwen3_xml, a tag after a call is interrupted by a string that is no tag, or the text after the last
    function tag has a tag or a bracket."""
    behind = text.rpartition("<function=")[2].partition(">")[2]
    return bool(re.search(r"</tool_call>.*<tool_<", text, re.DOTALL) or re.search(r"[<\[]", behind))


def replaced(t: Trial) -> bool:
    """Whether a typed call follows an untyped one. deepseek accepts untyped calls only if no call has a type, so it takes back
    those that a stream has reported."""
    from vllm_mlx.tool_parsers.deepseek_tool_parser import DeepSeekToolParser as DeepSeek
    typed, bare = (pattern.search(t.text) for pattern in (DeepSeek.TOOL_CALL_PATTERN, DeepSeek.TOOL_CALL_SIMPLE_PATTERN))
    return bool(t.name == "deepseek" and typed and bare and bare.end() < typed.end())


def twice(t: Trial) -> bool:
    """Whether the text of a call is also content. deepseek also finds calls before the marker of their section, where all text is
    content; a stream of minimax emits an untagged call as content before it recognises the call."""
    from vllm_mlx.tool_parsers.deepseek_tool_parser import DeepSeekToolParser as DeepSeek
    if t.name == "minimax":
        return bool(t.whole.calls) and not re.search("<minimax:tool_call>.*</minimax:tool_call>", t.text, re.DOTALL)
    at = t.text.find(DeepSeek.TOOL_CALLS_START)
    patterns = (DeepSeek.TOOL_CALL_PATTERN, DeepSeek.TOOL_CALL_SIMPLE_PATTERN)
    return t.name == "deepseek" and any(found.start() < at for pattern in patterns for found in pattern.finditer(t.text))


def lost(t: Trial) -> bool:
    """Whether auto drops text before a call. Its stream emits nothing once the text has '<' and '[', or a possible prefix of a marker
    before one, and removes tags; its whole answer has no content beside calls of glm47 or objects without markers."""
    markers = r"<\|tool_call>|<｜DSML｜tool_calls>|<tool_call>|<function=|\[TOOL_CALLS\]|\[Calling tool:|\[\w+\(\{"
    before = re.split(markers, t.text, maxsplit=1)[0].strip()
    return t.name == "auto" and bool(t.whole.calls) and not (t.whole.content or "").startswith(before)


def coincides(t: Trial) -> str | None:
    """A key of CAUSES if the answers for a sequence of markers agree by chance, or agree but lose values; else None."""
    if not all(name for name, _ in t.whole.calls) or (t.name == "minimax" and twice(t)):
        return "nameless"
    flaws = t.whole.flaws | t.stream.flaws | t.by_token.flaws
    if t.name == "glm47" and retracted(t):
        return "retracted"
    if t.name in (*QWENS, "hermes", "gemma4") and is_unknown(t.text):
        return "late"
    if t.name == "hermes" and "</think>" in t.text and (cause := unsteady(t)) in ("retracted", "silent"):
        return cause
    if t.name in QWENS and re.search(r"\[Calling tool:(?!\s*\w+\(\{).*\)\].*</think>", t.text, re.DOTALL):
        return "silent"
    if by_chance(t):
        return "retracted"
    if "unread" in flaws and (in_value(t.text) or (t.whole.calls and in_tag(t.text))):
        return "unread"
    if "restored" in flaws and t.whole.calls and in_tag(t.text):
        return "restored"
    if t.name == "qwen3_xml" and any(joined(arguments) for _, arguments in t.whole.calls):
        return "python"
    return "repeated" if repeated(t) else None


def disputed(t: Trial) -> str | None:
    """A key of CAUSES if an answer on which the parser agrees with itself is disputed, else None."""
    flaws = t.whole.flaws | t.stream.flaws | t.by_token.flaws
    for cause in ("raises", "malformed", "unread", "restored"):
        if cause in flaws:
            return cause
    if t.name == "qwen3_xml" and re.search(r"<function=[^<>]+>\s*$", t.text):
        return "unread"
    if disordered(t.name, t.text):
        return "order"
    if (t.name == "glm47" and retracted(t)) or replaced(t):
        return "retracted"
    if twice(t) or lost(t):
        return "twice" if twice(t) else "lost"
    if t.name in (*QWENS, "hermes", "gemma4") and "</think>" in t.text and (cause := unsteady(t)):
        return cause
    if t.name in ("gemma4", "hermes") and unmarked(t):
        return "unmarked"
    if t.name == "hermes" and late(t):
        return "late"
    if t.name == "llama" and (cause := misplaced(t.text)):
        return cause
    if not all(isinstance(name, str) and name for name, _ in t.whole.calls):
        return "nameless"
    if any(spoils(t.text, arguments) for _, arguments in t.whole.calls):
        return "python"
    return "lone" if lone(json.dumps([t.whole.content, t.whole.calls], ensure_ascii=False)) else None
