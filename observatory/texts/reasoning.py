"""The section of observatory/FINDINGS.md on reasoning parsers: where they disagree with themselves, grouped and counted, each with
the shortest input found that shows it.
"""

from __future__ import annotations

import json

from scripts.record.reasoning import judge as reasoning_judge
from scripts.record.reasoning.draw import MARKERS
from scripts.record.reasoning.goldens import Fields, Trial, drawn
from scripts.record.reasoning.judge import bare

from .entry import Entry, code, sort_by_cause, wrapped

TITLE = "vllm-mlx: reasoning"

PLAIN = "a"  # replaces characters of an example if the cause stays the same


ENTRIES = {
    "cuts": Entry(
        "what a stream says depends on where the text was cut",
        """The parsers look at single deltas. `harmony_parser.py` (101–142) drops a delta that holds a marker, with all that is beside it;
        `gpt_oss_parser.py` (131–160) and `gemma4_parser.py` (310–342) drop or repeat what comes together with one, `think_parser.py` (204) what
        comes before one; `glm4_parser.py` (80–116) releases the first half of a tag; `step3p5_parser.py` (80–92) takes a line break off the
        end of every delta; where a call and the answer come at once, they change places (`think_parser.py`, 307–313).""",
        """The same message however the text was cut. What may yet become a marker is held back, and released where it does not."""),
    "moved": Entry(
        "a stream takes for reasoning what the whole answer takes for content, or the other way round",
        """With the whole text at hand the parsers decide by what comes later: no end tag makes everything content (`qwen3_parser.py`, 60;
        `mistral_parser.py`, 64), one more end makes reasoning of what was the answer (`think_parser.py`, 271–305; `gemma4_parser.py`, 195–216),
        a tag behind the first word makes content of the block. By then a stream has decided.""",
        """One rule for both that needs nothing which is still to come: an open block is reasoning, an answer that has begun stays one."""),
    "lost": Entry(
        "text that a stream or the whole answer drops",
        """What stands before an opening tag (`think_parser.py`, 204; `gemma4_parser.py`, 196, 222) is in no field, nor is what a stream still holds
        back in `_content_buffer` (`think_parser.py`, 323–370, 446) or before a tool call (`deepseek_v4_parser.py`, 135) when it ends. A message
        without its own end is none (`harmony_parser.py`, 23–32), of a channel only the first counts (`gpt_oss_parser.py`, 33–54), and a stream
        without any channel is empty (`gpt_oss_parser.py`, 164–188).""",
        """Every character that is no marker, and lies within a message, in exactly one field; but what both answers drop is dropped: the
        beginning of a marker that stands alone before the first tag."""),
    "spaces": Entry(
        "a stream joins blocks and calls in another way than the whole answer",
        """The whole answer strips each block and joins blocks with line breaks (`think_parser.py`, 303; `harmony_parser.py`, 72), and
        puts one between a call and the answer (470–523); a stream does neither. `step3p5_parser.py` (83) takes line breaks out of the
        reasoning of a stream.""",
        """The text as the model wrote it."""),
    "order": Entry(
        "a stream says the same in another order",
        """`_promote_tool_calls` (`think_parser.py`, 470–523) puts the calls of a block behind the answer, and an unfinished one before it.""",
        """The order of the text."""),
    "leaks": Entry(
        "a marker counts as text",
        """A channel of an unknown name (`harmony_parser.py`, 23–32, 101–113) and `<|message|>` (`gpt_oss_parser.py`, 20–22) count as text within a
        message, and so does every marker of a text whose channels are all unknown, or that has an opening tag and no end (`qwen3_parser.py`,
        60); a stream of `deepseek_v4_parser.py` (135) ends with what may become a marker, though it has; the whole (67) knows an opening
        tag in the first column alone.""",
        """No marker in any field, but where both answers have it: an opening tag of deepseek_v4 that calls follow at once, behind other
        text, is reasoning."""),
    "waits": Entry(
        "stream and whole answer agree on what a stream cannot know",
        """`gpt_oss_parser.py` (92–105) takes a text without channels for content and drops what comes before the first channel; `gemma4_parser.py`
        (197) takes an answer back where another end follows.""",
        """What can be said when it is said: gpt_oss waits for 64 bytes, and an answer stays one."""),
}


def characters(name: str, fields: Fields) -> list[str]:
    return sorted(bare(name, "".join(field or "" for field in fields)))


def unmarked(name: str, fields: Fields) -> list[str]:
    return [bare(name, field or "") for field in fields]


def squeezed(fields: Fields) -> tuple[str, ...]:
    return tuple("".join((field or "").split()) for field in fields)


def cause_of(t: Trial) -> str | None:
    """A key of ENTRIES; None if there is no finding."""
    if t.whole == t.stream == t.by_token:
        return reasoning_judge.disputed(t.name, t.text, t.whole)
    if t.stream != t.by_token:
        return "cuts"
    if squeezed(t.whole) == squeezed(t.stream):
        return "spaces"
    if unmarked(t.name, t.whole) == unmarked(t.name, t.stream):
        return "leaks"
    if characters(t.name, t.whole) != characters(t.name, t.stream):
        return "lost"
    return "order" if [sorted(f) for f in squeezed(t.whole)] == [sorted(f) for f in squeezed(t.stream)] else "moved"


def smaller(t: Trial) -> list[list[str]]:
    """Candidates for shrinking: one delta removed, two joined, one marker or character removed, or one character replaced
    by PLAIN."""
    made = [t.deltas[:i] + t.deltas[i + 1:] for i in range(len(t.deltas))]
    made += [t.deltas[:i] + [t.deltas[i] + t.deltas[i + 1]] + t.deltas[i + 2:] for i in range(len(t.deltas) - 1)]
    for i, delta in enumerate(t.deltas):
        for part in (*MARKERS[t.name], *sorted(set(delta))):
            if part in delta and part != delta:
                made.append([*t.deltas[:i], delta.replace(part, "", 1), *t.deltas[i + 1:]])
            if part in delta and len(part) == 1 and part != PLAIN:
                made.append([*t.deltas[:i], delta.replace(part, PLAIN, 1), *t.deltas[i + 1:]])
    return made


def shrunk(t: Trial, cause: str) -> Trial:
    while True:
        trials = (Trial(t.name, deltas) for deltas in smaller(t) if deltas)
        less = next((one for one in trials if cause_of(one) == cause), None)
        if less is None:
            return t
        t = less


def shown(fields: Fields) -> str:
    return " ".join(f"{letter} {json.dumps(field, ensure_ascii=False)}"
                    for letter, field in zip("RC", fields) if field) or "nothing"


def row(cause: str, t: Trial, n: int) -> str:
    deltas = " ".join(json.dumps(delta, ensure_ascii=False) for delta in t.deltas)
    other = t.by_token if cause == "cuts" else t.whole
    return f"| {t.name} | {n} | {code(deltas)} | {code(shown(t.stream))} | {code(shown(other))} |"


def lines(seed: int, n: int) -> list[str]:
    n_sound, trials = sort_by_cause(MARKERS, lambda name: drawn(name, seed), n, ENTRIES, cause_of)
    made = wrapped(f"""Of {n} texts for each parser, drawn from a seed, the answers of vllm-mlx 0.6.0 are the same for the whole text, for a
        stream cut at random, and for a stream of single tokens in {n_sound} of {n * len(MARKERS)}. These are the others: how many of each parser's, and
        the shortest found that shows it, its deltas in quotes, with what is said of it: R reasoning, C content, white space at their
        ends aside. Files are those of `vllm_mlx/reasoning`. `python -m observatory.texts --only reasoning` writes
        this section; `scripts/record/reasoning/judge.py` says which answers are goldens.""")
    for cause, entry in ENTRIES.items():
        other = "a stream of tokens" if cause == "cuts" else "the whole"
        made += ["", f"### reasoning-{cause}: {entry.title}", "", f"| parser | of {n} | deltas | the stream | {other} |",
                 "|---|---|---|---|---|"]
        for name, those in trials[cause].items():
            shortest = min(those, key=lambda t: (len(t.text), len(t.deltas)))
            made.append(row(cause, shrunk(shortest, cause), len(those)))
        made += ["", *wrapped(entry.cause, "- **Cause.** "), *wrapped(entry.must, "- **Must be.** ")]
    return made
