"""Plants a bug for each row of the table of `assay probe --explain`, and those of relay_named.py, in a relay in front of
assay serve: a probe of the relay must have a finding of the check that the row names, in each round that plants the bug and in no
other one that asks for it. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from conformance.probe.tests.relay import Bug, Relay
from conformance.probe.tests.relay_calls import bugs_of_calls
from conformance.probe.tests.relay_events import bug_of_event
from conformance.probe.tests.relay_named import KINDS, named, of_pictures
from conformance.probe.tests.relay_rounds import asked, divided, is_single
from conformance.probe.tests.relay_rows import bug_of_field, bugs_of_member, rows
from scripts.serve.running import Server

ASSAY, TOP = sys.argv[1], Path(sys.argv[2])
ONLY = sys.argv[3] if len(sys.argv) > 3 else ""
ODD = TOP / "conformance/probe/tests/odd"
# The second one does not think by default; the third one calls several tools at once; the last one takes pictures.
BUNDLE, SILENT, CALLS, PICTURES = TOP / "fixtures/bundle/qwen3", TOP / "fixtures/bundle/gemma4", ODD / "calls", ODD / "pictures"
AT_ONCE = 2
SECONDS = 120


def bugs_of_rows() -> Iterator[Bug]:
    page = subprocess.run([ASSAY, "probe", "--explain"], capture_output=True, text=True, check=True, timeout=60).stdout
    for row in rows(page):
        if not row.check:
            continue
        if not row.form:
            yield from bugs_of_member(row)
            continue
        yield bug_of_field(row)
        streamed = bug_of_event(row)
        if streamed:
            yield streamed


def all_bugs() -> dict[Path, list[Bug]]:
    """The bugs that the answers of each truth show."""
    found = {BUNDLE: named(), SILENT: [], CALLS: bugs_of_calls(), PICTURES: of_pictures()}
    for bug in bugs_of_rows():
        calls, thinks = bug.check.endswith("/parallel-calls"), bug.name.endswith("enable_thinking: true")
        found[CALLS if calls else SILENT if thinks else BUNDLE].append(bug)
    return {truth: [bug for bug in bugs if ONLY in bug.name] for truth, bugs in found.items()}


def matches(check: str, finding: dict[str, Any]) -> bool:
    pattern = ".*".join(re.escape(part) for part in check.split("*"))
    return finding["verdict"] in ("failed", "ignored") and re.fullmatch(pattern, finding["check"]) is not None


def probe(relay: Relay, number: int, truth: Path, directory: Path) -> tuple[list[dict[str, Any]], str]:
    """Of a round with bugs for what they change; of the first one, without bugs, for all of that."""
    report = directory / f"{number}.json"
    bugs = relay.rounds[number] or [bug for one in relay.rounds for bug in one]
    only = list(dict.fromkeys(one for bug in bugs for one in asked(bug)))
    command = [ASSAY, "probe", relay.url(number), "--model", "model", "--timeout", "20", "--json", str(report)]
    for case in sorted(truth.glob("*.h5")):
        command += ["--truth", str(case)] if case.name != "long.h5" else []
    command += ["--quick"] if number else []
    for one in only:
        command += ["--only", one]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return (json.loads(report.read_text())["findings"] if report.exists() else []), done.stderr


def run(rounds: list[list[Bug]], truth: Path) -> list[tuple[list[dict[str, Any]], str]]:
    """The findings and the standard error of a probe of each round."""
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(ASSAY, truth / "model", "model")
        try:
            relay = Relay(f"http://127.0.0.1:{server.port}", rounds)
            threading.Thread(target=relay.serve_forever, daemon=True).start()
            with ThreadPoolExecutor(AT_ONCE) as pool:
                results = list(pool.map(lambda number: probe(relay, number, truth, Path(scratch)), range(len(rounds))))
            relay.shutdown()
            return results
        finally:
            server.kill()


class Points:
    def __init__(self) -> None:
        self.n = 0

    def point(self, holds: bool, text: str, *notes: str) -> None:
        self.n += 1
        print(f"{'' if holds else 'not '}ok {self.n} - {text}")
        for note in notes if not holds else ():
            print(f"# {note}")


def judge(tap: Points, bugs: list[Bug], truth: Path) -> None:
    """A point for each bug: its check names it in the rounds that plant it. Of single fields also: in no other one."""
    rounds = [[], *divided(bugs)]
    results = run(rounds, truth)
    sound = [finding for finding in results[0][0] if finding["verdict"] in ("failed", "ignored")]
    tap.point(bool(results[0][0]) and not sound, f"{truth.name}: without a bug the relay is sound",
              *(f"{finding['check']}: {finding['text']}" for finding in sound))
    for bug in bugs:
        own = [i for i, planted in enumerate(rounds) if bug in planted]
        others = [i for i, planted in enumerate(rounds[1:], 1) if is_single(bug) and i not in own and any(map(is_single, planted))]
        names = {i: any(matches(bug.check, finding) for finding in results[i][0]) for i in (*own, *others)}
        tap.point(bool(own) and all(names[i] == (i in own) for i in names), f"{bug.name}: {bug.check}",
                  *(f"round {i}: {results[i][1].strip()}; with " + "; ".join(one.name for one in rounds[i])[:300]
                    for i in names if names[i] != (i in own)))


def main() -> int:
    tap = Points()
    bugs = all_bugs()
    for truth, some in bugs.items():
        judge(tap, some, truth)
    planted = {bug.name for some in bugs.values() for bug in some}
    for kind, names_of_kind in KINDS.items() if not ONLY else ():
        missing = [name for name in names_of_kind if name not in planted]
        tap.point(not missing, f"planted wherever the field or the member is: {kind}", *missing)
    print(f"1..{tap.n}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
