"""Lets the official clients read event streams that break a rule, and compares what they return with the grades of
`assay events`. A client is wrong if it raises an error, or returns a message that is not the valid stream's.

1. A client is right for each stream without a breach of grade `breaks`.
2. Each rule of this grade has a stream in which no other rule of this grade is broken, and for which a client is wrong.

    python read_breaches.py ASSAY DIR [--verbose]

DIR has the streams of lib/dialogue/grammar/tests/write_breaches. A finish reason counts as wrong only if it is missing: clients
pass on any word. Prints one line for each rule and one for each disagreement; the exit status is 1 if there is one.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai

from read_streams import Server, anthropic_client, openai_client

Rule = tuple[str, str, str]  # endpoint, rule, grade
Said = tuple[str, str, list[tuple[Any, ...]], bool]  # reasoning, content, calls, whether there is a finish reason


def chat(client: Any) -> Said:
    """Reads with the client's helper, which joins the chunks; and chunk by chunk for reasoning, which it ignores."""
    asked: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
    with client.chat.completions.stream(**asked) as stream:
        for _ in stream:
            pass
        try:
            made = stream.get_final_completion()
        except openai.LengthFinishReasonError as error:  # so the helper reports an answer that was cut
            made = error.completion
    reasoning = "".join(getattr(choice.delta, "reasoning_content", None) or "" for chunk in
                        client.chat.completions.create(**asked, stream=True) for choice in chunk.choices)
    choice = made.choices[0]
    calls = [(call.id, call.function.name, json.loads(call.function.arguments)) for call in choice.message.tool_calls or []]
    return reasoning, choice.message.content or "", calls, bool(choice.finish_reason)


def completions(client: Any) -> Said:
    """There is no helper: joins the texts as the published examples do."""
    text, finished = "", False
    for chunk in client.completions.create(model="m", prompt="a", stream=True):
        for choice in chunk.choices:
            if choice.index != 0:
                raise ValueError(f"choice {choice.index}")
            text += choice.text
            finished = finished or bool(choice.finish_reason)
    return "", text, [], finished


def messages(client: Any) -> Said:
    with client.messages.stream(model="m", max_tokens=9, messages=[{"role": "user", "content": "a"}]) as stream:
        made = stream.get_final_message()
    return ("".join(block.thinking for block in made.content if block.type == "thinking"),
            "".join(block.text for block in made.content if block.type == "text"),
            [(block.id, block.name, block.input if isinstance(block.input, dict) else repr(block.input))
             for block in made.content if block.type in ("tool_use", "server_tool_use")], bool(made.stop_reason))


SHOWN = {"response.output_text.delta": "output_text", "response.refusal.delta": "refusal",
         "response.reasoning_text.delta": "reasoning_text", "response.reasoning_summary_text.delta": "summary_text"}


def responses(client: Any) -> Said:
    """The final response, which must have the texts that the deltas gave: what a program shows while it reads."""
    shown, said, final = dict.fromkeys(SHOWN.values(), ""), dict.fromkeys(SHOWN.values(), ""), None
    with client.responses.stream(model="m", input="a") as stream:
        for event in stream:
            if event.type in ("error", "response.failed"):
                raise ValueError(event.type)
            if event.type in SHOWN:
                shown[SHOWN[event.type]] += event.delta
            if event.type in ("response.completed", "response.incomplete"):
                final = event.response
    if final is None:
        raise ValueError("no final response")
    for item in final.output:
        for part in [*(getattr(item, "content", None) or []), *(getattr(item, "summary", None) or [])]:
            said[part.type] += part.refusal if part.type == "refusal" else part.text
    if shown != said:
        raise ValueError(f"shown {shown}, and then {said}")
    calls = [(item.call_id, item.name, item.arguments if item.status == "incomplete" else json.loads(item.arguments))
             for item in final.output if item.type == "function_call"]
    return (said["reasoning_text"] + said["summary_text"], said["output_text"] + said["refusal"], calls, bool(final.status))


READERS = {"chat": (chat, openai_client), "completions": (completions, openai_client),
           "messages": (messages, anthropic_client), "responses": (responses, openai_client)}


def read(endpoint: str, url: str, file: Path) -> Said | str:
    """What the client returns; or the error that it raises, or that its message causes."""
    reader, make = READERS[endpoint]
    Server.body, Server.kind, Server.status = file.read_bytes(), "text/event-stream", 200
    try:
        return reader(make(url))
    except Exception as error:  # whatever a client raises
        return f"{type(error).__name__}: {error}"


def breaches_of(assay: str, endpoint: str, file: Path) -> tuple[set[tuple[str, str]], bool]:
    """Rules and grades, and whether the stream reports an error. The marker is that of the edits."""
    done = subprocess.run([assay, "events", "--endpoint", endpoint, "--marker", "up. !", "--json", "-", str(file)],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr)
    report = json.loads(done.stdout)
    return {(breach["rule"], breach["grade"]) for breach in report["breaches"]}, report["failed"]


def of_stream(file: Path) -> str:
    """The endpoint of BASE.sse or BASE-CHANGE.sse."""
    return file.stem.split("-")[0].split("_")[0]


class Outcomes:
    """How often the client was wrong for streams that break a rule; keys are (endpoint, rule, grade)."""

    def __init__(self) -> None:
        self.wrong: Counter[Rule] = Counter()
        self.right: Counter[Rule] = Counter()
        self.shown: set[Rule] = set()  # by a stream in which no other rule has this grade, nor a worse one
        self.disagreements = 0

    def add(self, endpoint: str, breaches: set[tuple[str, str]], wrong: bool) -> bool:
        """Returns whether the stream agrees with the grades."""
        for breach in breaches:
            (self.wrong if wrong else self.right)[(endpoint, *breach)] += 1
        worst = [breach for breach in breaches if breach[1] == "breaks"]
        if worst and wrong and len(worst) == 1:
            self.shown.add((endpoint, *worst[0]))
        if not wrong and not any(grade != "habit" for _, grade in breaches):
            self.shown |= {(endpoint, *breach) for breach in breaches}
        agrees = not (wrong and breaches and not worst)
        self.disagreements += not agrees
        return agrees

    def report(self) -> int:
        """Prints a line for each rule; returns the number of disagreements."""
        rules = sorted(self.wrong.keys() | self.right.keys())
        unproven = [rule for rule in rules if rule[2] != "departs" and rule not in self.shown]
        for rule in rules:
            print(f"{rule[0]:12} {rule[1]:26} {rule[2]:8} read wrongly {self.wrong[rule]:3}, rightly {self.right[rule]:3}"
                  f"{'  NOT PROVEN' if rule in unproven else ''}")
        return self.disagreements + len(unproven)


def main(arguments: list[str]) -> int:
    warnings.simplefilter("ignore")
    assay, folder, verbose = arguments[0], Path(arguments[1]), "--verbose" in arguments
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url, outcomes = f"http://127.0.0.1:{server.server_port}", Outcomes()
    sound = {base.stem: read(of_stream(base), url, base) for base in folder.glob("*.sse") if "-" not in base.stem}
    files = sorted(folder.glob("*-*.sse"))
    with ThreadPoolExecutor(2) as pool:
        for file, (breaches, failure) in zip(files, pool.map(lambda file: breaches_of(assay, of_stream(file), file), files)):
            found = read(of_stream(file), url, file)
            # a reported error must raise one
            wrong = isinstance(found, tuple) if failure else found != sound[file.stem.split("-")[0]]
            agrees = outcomes.add(of_stream(file), breaches, wrong)
            if verbose or not agrees:
                print(f"{file.name}: {'wrong' if wrong else 'right'}: {sorted(breaches)}: {str(found)[:200]}")
    failed = outcomes.report()
    server.shutdown()
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
