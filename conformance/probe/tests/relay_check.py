"""Plants a bug for each row of the table of `assay probe --explain`, and those of relay_named.py, in a relay in front of
assay serve: a probe of the relay must have a finding of the check that the row names. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable

from conformance.probe.tests.relay import Bug, Relay
from conformance.probe.tests.relay_calls import bugs_of_calls, situation_of
from conformance.probe.tests.relay_named import named
from conformance.probe.tests.relay_rows import Row, bug_of_field, bug_of_member, rows
from scripts.serve.running import Server

ASSAY, TOP = sys.argv[1], Path(sys.argv[2])
ONLY = sys.argv[3] if len(sys.argv) > 3 else ""
# The second one does not think by default; the third one calls several tools at once.
BUNDLE, SILENT, CALLS = TOP / "fixtures/bundle/qwen3", TOP / "fixtures/bundle/gemma4", TOP / "conformance/probe/tests/odd/calls"
AT_ONCE = 2
SECONDS = 120


def group(bug: Bug) -> str:
    """The group of checks that asks for what the bug changes."""
    head = bug.check.split("/")[0]
    return head if head != "fields" else "numerics" if "logprobs" in bug.name else "protocol"


def packed(bugs: list[Bug], apart: Callable[[Bug], object]) -> list[list[Bug]]:
    """Rounds in which no two bugs have the same key."""
    rounds: list[dict[object, Bug]] = []
    for bug in bugs:
        at = next((one for one in rounds if apart(bug) not in one), None)
        if at is None:
            at = {}
            rounds.append(at)
        at[apart(bug)] = bug
    return [list(one.values()) for one in rounds]


def all_rounds() -> dict[Path, list[list[Bug]]]:
    """The rounds of each truth."""
    page = subprocess.run([ASSAY, "probe", "--explain"], capture_output=True, text=True, check=True, timeout=60).stdout
    made: dict[str, list[Bug]] = {"field": [], "place": [], "answer": [], "effect": [], "member": [], "parallel": [], "thinking": []}
    for row in rows(page):
        if not row.check:
            continue
        bug = bug_of_field(row) if row.form else bug_of_member(row)
        if row.form and row.check.startswith("fields/"):
            made["place" if re.search(r"index|\.id$|call_id$|^output\[\]|logprobs$|token_ids$", row.name) else "field"].append(bug)
        elif row.form:
            made["answer"].append(bug)
        elif row.check.endswith("/parallel-calls"):
            made["parallel"].append(bug)
        elif row.name.endswith("enable_thinking: true"):
            made["thinking"].append(bug)
        else:
            alone = re.search(r"/defaults/|/seed$|/temperature$|/usage$|/effects/n$", row.check) or "/effects/" not in row.check
            made["member" if alone else "effect"].append(bug)
    by_form = lambda bug: (group(bug), bug.endpoint, bug.form)  # noqa: E731
    rounds = [[bug for bug in made["field"] if group(bug) == one] for one in ("protocol", "numerics")]
    rounds += [*packed(made["place"], by_form), made["effect"]]
    for kind in ("answer", "member"):
        for one in sorted({group(bug) for bug in made[kind]}):
            rounds += packed([bug for bug in made[kind] if group(bug) == one], by_form)
    by_situation = lambda bug: (bug.endpoint, bug.form, situation_of(bug))  # noqa: E731
    return {BUNDLE: [*rounds, *packed(named(), by_form)], SILENT: [made["thinking"]], CALLS: [made["parallel"], *packed(bugs_of_calls(), by_situation)]}


def matches(check: str, finding: dict[str, Any]) -> bool:
    pattern = ".*".join(re.escape(part) for part in check.split("*"))
    return finding["verdict"] in ("failed", "ignored") and re.fullmatch(pattern, finding["check"]) is not None


def probe(relay: Relay, truth: Path, number: int, directory: Path) -> tuple[list[dict[str, Any]], str]:
    report = directory / f"{number}.json"
    groups = sorted({group(bug) for bug in relay.rounds[number]} - {"discovery"}) if number else ["protocol", "numerics"]
    command = [ASSAY, "probe", relay.url(number), "--model", "model", "--truth", str(truth), "--timeout", "20", "--json", str(report)]
    for one in groups:
        command += ["--only", one]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    return (json.loads(report.read_text())["findings"] if report.exists() else []), done.stderr


def run(truth: Path, rounds: list[list[Bug]]) -> list[tuple[list[dict[str, Any]], str]]:
    """The findings and the standard error of a probe of each round."""
    with tempfile.TemporaryDirectory() as scratch:
        server = Server(ASSAY, truth / "model", "model")
        try:
            relay = Relay(f"http://127.0.0.1:{server.port}", rounds)
            threading.Thread(target=relay.serve_forever, daemon=True).start()
            with ThreadPoolExecutor(AT_ONCE) as pool:
                results = list(pool.map(lambda number: probe(relay, truth, number, Path(scratch)), range(len(rounds))))
            relay.shutdown()
            return results
        finally:
            server.kill()


def main() -> int:
    n = 0
    for truth, rounds in all_rounds().items():
        if ONLY:
            rounds = [one for one in ([bug for bug in bugs if ONLY in bug.name] for bugs in rounds) if one]
        results = run(truth, [[], *rounds])
        sound = [finding for finding in results[0][0] if finding["verdict"] in ("failed", "ignored")]
        n += 1
        print(f"{'not ' if sound or not results[0][0] else ''}ok {n} - {truth.name}: without a bug the relay is sound")
        for finding in sound:
            print(f"# {finding['check']}: {finding['text']}")
        for bugs, (findings, errors) in zip(rounds, results[1:]):
            for bug in bugs:
                n += 1
                found = any(matches(bug.check, finding) for finding in findings)
                print(f"{'' if found else 'not '}ok {n} - {bug.name}: {bug.check}")
                if not found:
                    print(f"# {errors.strip()}\n# round: " + "; ".join(one.name for one in bugs)[:300])
    print(f"1..{n}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
