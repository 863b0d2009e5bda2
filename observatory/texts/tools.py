"""The section of observatory/FINDINGS.md on tool parsers: where they disagree with themselves, grouped and counted, each with the
shortest input found that shows it.
"""

from __future__ import annotations

import json

from scripts.record.tools import judge as tools_judge
from scripts.record.tools.draw import MARKERS
from scripts.record.tools.goldens import drawn
from scripts.record.tools.stream import Answer
from scripts.record.tools.trial import Trial, same

from .entry import Entry, code, sort_by_cause, wrapped

TITLE = "vllm-mlx: tool calls"

PLAIN = "a"  # replaces characters of an example

ENTRIES = {
    "gate": Entry(
        "a call that no client of a stream gets, though the parser tells it",
        """The server asks a parser only once one of its own markers is in the text (`server.py`, 1092–1113): not those of granite
        (`<|tool_call|>`), functionary, kimi and deepseek, nor the code and the arrays of xlam. Their calls reach a client of a stream as
        content, markup and all. What is said of a stream in other entries is what these parsers say of one if asked.""",
        "The calls."),
    "cuts": Entry(
        "what a stream says depends on where the text was cut",
        """The parsers look for markers in single deltas, or let go what may become one: `hermes_tool_parser.py` (283–336) counts whole
        tags and passes their beginnings on, `gemma4_tool_parser.py` (500) wants its end marker within one delta and repeats all calls with each,
        `mistral_tool_parser.py` (453–510) takes the name apart by delta. The gate before them (`server.py`, 3894–3908) opens at whole markers.""",
        "The same calls and the same content however the text was cut. What may yet become a marker is held back."),
    "calls": Entry(
        "a stream and the whole answer do not call the same",
        """Calls are numbered by ends of tags (`hermes_tool_parser.py`, 297; `qwen_tool_parser.py`, 318), so that one which has another format,
        or is broken, shifts those behind it; what has been said again is skipped by its words (`harmony_tool_parser.py`, 184); a list of calls
        is read as a name (`mistral_tool_parser.py`, 453–510); formats that the whole answer falls back on open no gate.""",
        "Each call of the text once, in its order, as soon as its block is whole."),
    "content": Entry(
        "a stream and the whole answer do not say the same beside the calls",
        """A stream drops content that comes together with a call (`server.py`, 7344–7353 hands on what the parser says, and most say calls or
        content), and all of it once a marker was seen (`qwen_tool_parser.py`, 275–367; `gemma4_tool_parser.py`, 491–513); the whole answer drops
        what stands before a call (`glm47_tool_parser.py`, 126–133) or beside an answer (`harmony_tool_parser.py`, 119–138), and takes
        `<think>` blocks out, which no stream does.""",
        "What is no call, and is not dropped by both, is content."),
    "spaces": Entry(
        "a stream and the whole answer differ in white space",
        "The whole answer strips what is left of the text between calls, a stream does not.",
        "The text as the model wrote it."),
    "unread": Entry(
        "text that is never read",
        """`qwen3_xml_tool_parser.py` (497–560) waits for the end of every tag that may be one of its own: `<<`, or `<function=` without an end,
        stops it for good, and both answers lose the rest: of a call whose value holds `a << b`, too. A bare `<function=NAME>` that the
        text ends in is dropped.""",
        """What cannot become a tag is content, or part of a value. Where tags follow each other without a text, and outside of values, what
        both answers say is a golden (`sequences.json.gz`)."""),
    "malformed": Entry(
        "one error of XML, and what follows is read wrongly",
        "Exceptions of expat are logged and passed over (`qwen3_xml_tool_parser.py`, 427); expat itself takes nothing more.",
        "Tags by themselves, not a document; but behind the end of what has not begun, or a tag without a name, no tag is read."),
    "order": Entry(
        "calls in another order than the model's",
        """`qwen_tool_parser.py` (96–199) looks for calls in brackets first, for objects next, and for functions last;
        `functionary_tool_parser.py` (71–119) for functions last.""",
        "The order of the text. A call within the block of another comes before it."),
    "python": Entry(
        "arguments that are no JSON",
        """Arguments that are no object become Python's `str` (`hermes_tool_parser.py`, 123: `True`, `None`, `[1, 'a']`); a value of
        qwen3_xml that is not of its type stands without quotes, and null leaves nothing behind the colon (`qwen3_xml_tool_parser.py`, 1367–1388).""",
        "JSON, or the words of the model as they are."),
    "nameless": Entry(
        "a call without a name",
        "`llama_tool_parser.py` (67–80) asks whether there is a member `name`, not what it says.",
        "Content."),
    "forged": Entry(
        "a call that begins inside of another's arguments",
        "`llama_tool_parser.py` (228) looks for `<function=` in the whole text, strings of JSON included.",
        "A block that is read is not looked at again."),
    "retracted": Entry(
        "what a stream has told is taken back, and by chance said again",
        """Every call's end has the whole text looked at again: for thoughts, which `glm47_tool_parser.py` (87) drops with all that is before the
        end of one without a beginning; for marked calls and functions, beside which `llama_tool_parser.py` (371) knows no bare object;
        for calls with a type, beside which `deepseek_tool_parser.py` (112) knows none without.""",
        "What has been told stands."),
    "silent": Entry(
        "what a stream is silent of until the end of a thought takes it along",
        """`abstract_tool_parser.py` (75–84) drops all that is before the end of a thought without a beginning: also calls that are whole, if the
        stream has not told them yet (`qwen_tool_parser.py`, 313; `hermes_tool_parser.py`, 296), and what would be content.""",
        "What is decided by the text so far is decided then; hermes withholds what stands between two open tags."),
    "late": Entry(
        "a call that a stream knows of only when it has ended",
        """`hermes_tool_parser.py` (148–230) looks for functions and objects without tags where no call has them, and a stream is silent while more
        tags open than close (296–298): so all depends on whether another call comes.""",
        "What is decided by the text so far is decided then; hermes withholds what stands between two open tags."),
    "unmarked": Entry(
        "a call without a marker, which a stream finds only where another marker stands",
        """`gemma4_tool_parser.py` (367–380) reads fenced code as calls, which opens no gate of a stream; a marker of another form does.""",
        "Content, as without the marker; but behind a block without a call, calls in parentheses count."),
    "restored": Entry(
        "of the text behind a call, only a tag is content",
        "`qwen3_xml_tool_parser.py` (896–925) gives back a function that was none, and nothing of what stands around it.",
        "All of it, but for the end of a call, which both answers drop."),
    "twice": Entry(
        "a call whose text is content, too",
        """`deepseek_tool_parser.py` (84–88) cuts the content at the marker of the section and looks for calls in all of the text; a stream of
        minimax hands on a call without tags around it before its end (`minimax_tool_parser.py`, 149).""",
        "Of deepseek both, as both answers say; of minimax content outside of its tags."),
    "lost": Entry(
        "text before a call that neither answer has",
        """A stream of `auto_tool_parser.py` (430–455) says nothing more once the text has both `<` and `[`, and nothing of what may begin a marker
        that the next delta brings; the server takes tags out of content. The whole answer has no content beside calls of glm47 and
        objects without markers.""",
        "Dropped, as by both answers."),
    "raises": Entry(
        "the parser raises",
        "Sets and other values of Python that JSON does not have (`gemma4_tool_parser.py`, 400).",
        "No call."),
}


def cause_of(t: Trial) -> str | None:
    """A key of ENTRIES; None if there is no finding."""
    if t.agrees:
        return tools_judge.disputed(t) or (None if same(t.gated, t.whole) else "gate")
    if not same(t.stream, t.by_token):
        return "cuts"
    if not same(Answer(None, t.whole.calls), Answer(None, t.stream.calls)):
        return "calls"
    one, other = ("".join((answer.content or "").split()) for answer in (t.whole, t.stream))
    return "spaces" if one == other else "content"


def smaller(t: Trial) -> list[list[str]]:
    """Candidates for shrinking: one delta removed, two joined, or half of a delta, a marker or a character removed."""
    deltas = t.deltas
    made = [deltas[:i] + deltas[i + 1:] for i in range(len(deltas))]
    made += [deltas[:i] + [deltas[i] + deltas[i + 1]] + deltas[i + 2:] for i in range(len(deltas) - 1)]
    for i, delta in enumerate(deltas):
        halves = [delta[len(delta) // 2:], delta[:len(delta) // 2]] if len(delta) > 3 else []
        parts = [delta.replace(part, "", 1) for part in (*MARKERS[t.name], *sorted(set(delta))) if part in delta]
        made += [[*deltas[:i], less, *deltas[i + 1:]] for less in (*halves, *parts) if less]
    return made


def shrunk(t: Trial, cause: str) -> Trial:
    while True:
        trials = (Trial(t.name, request, deltas) for deltas in smaller(t) if deltas
                  for request in ([{}, t.request] if t.request else [{}]))
        less = next((one for one in trials if cause_of(one) == cause), None)
        if less is None:
            return t
        t = less


def shown(answer: Answer) -> str:
    said = [f"C {json.dumps(answer.content, ensure_ascii=False)}"] if answer.content else []
    return " ".join(said + [f"{name}({arguments})" for name, arguments in answer.calls]) or "nothing"


def row(cause: str, t: Trial, n: int) -> str:
    deltas = " ".join(json.dumps(delta, ensure_ascii=False) for delta in t.deltas)
    stream = t.gated if cause == "gate" else t.stream
    other = t.by_token if cause == "cuts" else t.whole
    cells = [code(text.replace("\n", " ")) for text in (deltas, shown(stream), shown(other))]
    return f"| {t.name} | {n} | " + " | ".join(cells) + " |"


def lines(seed: int, n: int) -> list[str]:
    n_sound, trials = sort_by_cause(MARKERS, lambda name: drawn(name, seed), n, ENTRIES, cause_of)
    made = wrapped(f"""Of {n} texts for each parser, drawn from a seed, the answers of vllm-mlx 0.6.0 are the same for the whole text, for a
        stream cut at random, and for a stream of single tokens in {n_sound} of {n * len(MARKERS)}. These are the others: how many of each parser's, and
        the shortest found that shows it, its deltas in quotes, with what is said of it: C content, white space at its ends aside,
        and the calls. Files are those of `vllm_mlx/tool_parsers`. `python -m observatory.texts --only tools` writes
        this section; `scripts/record/tools/judge.py` says which answers are goldens.""")
    for cause, entry in ENTRIES.items():
        if not trials[cause]:
            continue
        other = "a stream of tokens" if cause == "cuts" else "the whole"
        made += ["", f"### tools-{cause}: {entry.title}", "", f"| parser | of {n} | deltas | the stream | {other} |",
                 "|---|---|---|---|---|"]
        for name, those in trials[cause].items():
            shortest = min(those, key=lambda t: (len(t.text), len(t.deltas)))
            made.append(row(cause, shrunk(shortest, cause), len(those)))
        made += ["", *wrapped(entry.cause, "- **Cause.** "), *wrapped(entry.must, "- **Must be.** ")]
    return made
