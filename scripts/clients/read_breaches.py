"""Lets the official clients read event streams that break a rule, and compares what they return with the grades of
`assay events`. A client is wrong if it raises an error, or returns a message that is not the sound stream's.

1. A client is right for each stream without a breach of grade `breaks`.
2. Each rule of this grade has a stream in which no other rule of this grade is broken, and for which a client is wrong.

    python read_breaches.py ASSAY DIR [--verbose]

DIR has the streams of serving/grammar/tests/write_breaches. A finish reason counts as wrong only if it is missing: clients
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
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from read_streams import Server, anthropic_client, openai_client

Said = tuple[str, str, list[tuple[Any, ...]], bool]  # reasoning, content, calls, whether there is a finish reason


def chat(client: Any) -> Said:
    """Reads with the client's helper, which joins the chunks; and chunk by chunk for reasoning, which it ignores."""
    asked: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
    with client.chat.completions.stream(**asked) as stream:
        for _ in stream:
            pass
        made = stream.get_final_completion()
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


def responses(client: Any) -> Said:
    """The final response, and the text that the deltas gave: what a program shows while it reads."""
    shown = {"response.output_text.delta": "", "response.reasoning_text.delta": ""}
    final = None
    with client.responses.stream(model="m", input="a") as stream:
        for event in stream:
            if event.type in shown:
                shown[event.type] += event.delta
            if event.type in ("response.completed", "response.incomplete"):
                final = event.response
    if final is None:
        raise ValueError("no final response")
    said = "".join(part.text for item in final.output if item.type == "message" for part in item.content
                   if part.type == "output_text")
    thought = "".join(part.text for item in final.output if item.type == "reasoning" for part in item.content or [])
    if (shown["response.output_text.delta"], shown["response.reasoning_text.delta"]) != (said, thought):
        raise ValueError(f"shown {shown}, and then {said!r}, {thought!r}")
    return (thought, said, [(item.call_id, item.name, item.arguments) for item in final.output
                            if item.type == "function_call"], bool(final.status))


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


def main(arguments: list[str]) -> int:
    warnings.simplefilter("ignore")
    assay, folder, verbose = arguments[0], Path(arguments[1]), "--verbose" in arguments
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    sound = {base.stem: read(base.stem.split("_")[0], url, base) for base in folder.glob("*.sse") if "-" not in base.stem}
    outcomes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    proven: set[str] = set()
    failed = 0
    files = sorted(folder.glob("*-*.sse"))
    with ThreadPoolExecutor() as pool:
        reports = list(pool.map(lambda file: breaches_of(assay, file.stem.split("_")[0].split("-")[0], file), files))
    for file, (breaches, failure) in zip(files, reports):
        base = file.stem.split("-")[0]
        endpoint = base.split("_")[0]
        found = read(endpoint, url, file)
        wrong = isinstance(found, tuple) if failure else found != sound[base]  # a reported error raises one
        worst = {rule for rule, grade in breaches if grade == "breaks"}
        for rule in breaches:
            outcomes[rule]["wrong" if wrong else "right"] += 1
        if wrong and len(worst) == 1:
            proven |= worst
        if verbose or (breaches and wrong and not worst):
            print(f"{file.name}: {'wrong' if wrong else 'right'}: {sorted(breaches)}: {str(found)[:200]}")
        failed += bool(breaches) and wrong and not worst
    for (rule, grade), seen in sorted(outcomes.items()):
        unproven = grade == "breaks" and rule not in proven
        failed += unproven
        print(f"{rule:26} {grade:8} read wrongly {seen['wrong']:3}, rightly {seen['right']:3}"
              f"{'  NOT PROVEN' if unproven else ''}")
    server.shutdown()
    return 1 if failed or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
