"""What the tests of scripts/scoreboard share: results that the program wrote, the tables of findings, a call, and its two documents."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import subprocess
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest import mock

from observatory.board import __main__ as program, running
from observatory.findings import records

ASSAY = Path(os.environ["top_builddir"]) / "conformance" / "assay"
BASE = running.TOP / "fixtures" / "llama" / "base"  # batch, generate, limit and single
RECORDS = ('system = "mlx-lm"\nversion = "9.8"\nnotes = ["n"]\n'
           '[first-finding]\ntitle = "a `Thing` is wrong"\ncause = "c"\neffect = "no answer"\n[other-finding]\ntitle = "another"\ncause = "c"\neffect = "crash"\n')


class Page(HTMLParser):
    """Checks that elements are closed in order; collects ids, links and texts of cells."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.rows: list[dict[str, str | None]] = []
        self.resources: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids |= {found["id"] or ""} if "id" in found else set()
        self.links += [found["href"] or ""] if tag == "a" else []
        self.rows += [found] if "data-system" in found else []
        self.resources += [str(found[name]) for name in ("src", "srcset") if name in found] + ([tag] if tag in ("link", "img", "iframe") else [])
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open.pop() != tag:
            raise ValueError(f"{tag} is closed, expected its children to be closed before")


def replayed(shard: str = "1/1") -> dict[str, Any]:
    """What the program writes of four cases through ref32."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "out.json"
        subprocess.run([ASSAY, "run", "--engine", "ref32", "--shard", shard, "--json", out, BASE.relative_to(running.TOP)], cwd=running.TOP, capture_output=True)
        return dict(json.loads(out.read_text()))


class Board(unittest.TestCase):
    passing: dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        cls.passing = replayed()

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.results = self.place / "results"
        self.results.mkdir()
        (self.place / "adapters" / "requirements").mkdir(parents=True)
        (self.place / "adapters" / "requirements" / "mlx_lm.txt").write_text("mlx-lm==9.8\nmlx[cpu]==7.6\nnumpy==1\n")

    def document(self, **changed: dict[str, Any]) -> dict[str, Any]:
        """The passing document with some cases changed, by the last part of their names. What is not passed has a reason, and wrong logits
        have a multiple beyond the bound, as a run writes them."""
        document = copy.deepcopy(self.passing)
        for result in document["results"]:
            change = changed.get(result["case"].split("/")[-1], {})
            usual = {"reason": "a reason"} if change.get("outcome", "passed") != "passed" else {}
            if change.get("class") == "logits":
                usual["multiple"] = 100.0
            result.update({**usual, **change})
        outcomes = [result["outcome"] for result in document["results"]]
        for name in ("passed", "failed", "skipped", "broken"):
            document["totals"][name] = outcomes.count(name)
        return document

    def store(self, document: dict[str, Any], name: str = "mlx_lm.json") -> None:
        (self.results / name).parent.mkdir(exist_ok=True)
        (self.results / name).write_text(json.dumps(document))

    def tables(self, rules: str = "", observations: str = "") -> None:
        (self.place / "records").mkdir(exist_ok=True)
        (self.place / "records" / "mlx-lm.toml").write_text(RECORDS)
        (self.place / "adapters" / "findings.tsv").write_text(rules)
        (self.place / "observations.tsv").write_text(observations)

    def call(self, *arguments: str) -> tuple[int, str, str, str]:
        """Status, output with errors, SCOREBOARD.md, scoreboard.html."""
        if not (self.place / "records").exists():
            self.tables()
        out = self.place / "out"
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), \
                mock.patch.object(records, "RECORDS", self.place / "records"), mock.patch.object(records, "OBSERVATIONS", self.place / "observations.tsv"):
            status = program.main(["--assay", str(ASSAY), "--adapters", str(self.place / "adapters"), "--cache", str(self.place / "cache"),
                                   "--out", str(out), *arguments])
        texts = [(out / name).read_text() if (out / name).exists() else "" for name in ("SCOREBOARD.md", "scoreboard.html")]
        return status, said.getvalue(), texts[0], texts[1]

    def render(self) -> tuple[int, str, str, str]:
        return self.call("--from", str(self.results))

    def row(self, text: str, title: str) -> str:
        return next(line for line in text.splitlines() if line.startswith(f"| {title} |"))
