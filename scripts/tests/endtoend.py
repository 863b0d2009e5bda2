"""Tests of scripts/e2e: the recorded rows with the program of the build, and copies of a row that are broken on purpose. Prints TAP."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from scripts.endtoend import __main__ as program
from scripts.endtoend import asking, rows
from scripts.tests import tap

TOP = Path(os.environ["top_srcdir"])
FIXTURES = TOP / "fixtures" / "e2e"
ASSAY = str(Path(os.environ.get("top_builddir", ".")) / "conformance" / "assay")
ROW = "qwen2_vl"


def run(*options: str) -> tuple[int, str, dict[str, Any]]:
    """Exit status, standard output and results of scripts/e2e."""
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(out):
        results = Path(scratch) / "results.json"
        status = program.main(["--assay", ASSAY, "--json", str(results), *options])
        return status, out.getvalue(), json.loads(results.read_text(encoding="utf-8"))


def verdicts(results: dict[str, Any], family: str) -> list[str]:
    row = next(one for one in results["rows"] if one["family"] == family)
    return [row["cells"][column]["verdict"] for column in rows.COLUMNS]


class EndToEnd(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.scratch)

    def broken(self, change: Any) -> tuple[int, str, dict[str, Any]]:
        """Runs a copy of ROW whose second sample `change` has changed."""
        shutil.copytree(FIXTURES / ROW, self.scratch / ROW)
        path = self.scratch / ROW / rows.CASES
        lines = path.read_text(encoding="utf-8").splitlines()
        sample = json.loads(lines[2])
        change(sample)
        path.write_text("\n".join([*lines[:2], json.dumps(sample), *lines[3:]]) + "\n", encoding="utf-8")
        return run("--fixtures", str(self.scratch), "--row", ROW)

    def test_recorded_rows_have_the_tokens_of_the_truth(self) -> None:
        recorded = [family for family in rows.STORAGE if (FIXTURES / family).is_dir()]
        self.assertGreaterEqual(len(recorded), 6)
        self.assertEqual(sorted(recorded), sorted(one.name for one in FIXTURES.iterdir() if one.is_dir()))
        status, out, results = run(*(word for family in recorded for word in ("--row", family)))
        for family in recorded:
            self.assertEqual(verdicts(results, family), ["passed"] * 3, out)
        self.assertEqual(status, 0, out)

    def test_prompts_that_begin_with_a_placeholder_need_no_image(self) -> None:
        """Moondream 3's processor writes the first token of a prompt, which has the id of an image's, before a text alone, too."""
        case = rows.read(FIXTURES / "moondream3")

        def ask(text: str) -> tuple[int, Any]:
            connection = server.connect(asking.DEADLINE)
            body = {"model": asking.NAME, "messages": [{"role": "user", "content": text}], "max_tokens": 2}
            connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            said = json.loads(answer.read())
            connection.close()
            return answer.status, said

        with asking.serving(ASSAY, "fastpath", case) as server:
            status, said = ask("eh")
            self.assertEqual((status, said["usage"]["prompt_tokens"]), (200, 3), said)
            status, said = ask("<|endoftext|>eh")
            self.assertEqual(status, 400, said)
            self.assertIn("found 2 placeholder tokens", said["error"]["message"])

    def test_the_reference_has_the_same_tokens(self) -> None:
        status, out, _ = run("--engine", "ref64", "--row", ROW)
        self.assertEqual(status, 0, out)

    def test_the_table_has_twelve_rows_and_unsupported_ones_fail(self) -> None:
        status, out, results = run("--fixtures", str(self.scratch))
        self.assertEqual(status, 1)
        self.assertEqual([one["family"] for one in results["rows"]], list(rows.ROWS))
        self.assertEqual(len(results["rows"]), 12)
        self.assertFalse(results["passed"])
        for family in rows.ROWS:
            self.assertEqual(verdicts(results, family), ["no case"] * 3)
            self.assertIn(f"{family}: not supported yet: there is no {self.scratch / family / rows.CASES}", out)
        self.assertIn("0 of 36 cells passed", out)

    def test_a_wrong_token_fails_in_every_column(self) -> None:
        seen = {}

        def change(sample: dict[str, Any]) -> None:
            seen["right"], seen["wrong"] = sample["ids"][3], 5 if sample["ids"][3] != 5 else 6
            sample["ids"][3] = seen["wrong"]

        status, out, results = self.broken(change)
        self.assertEqual(status, 1)
        self.assertEqual(verdicts(results, ROW), ["FAILED"] * 3)
        pieces = rows.read_pieces(FIXTURES / ROW / "model" / "tokenizer.json")
        right, wrong = (f"{number} ({pieces[number]!r})" for number in (seen["right"], seen["wrong"]))
        for column in rows.COLUMNS:
            self.assertIn(f"{ROW}, {column}: image 1.png: token 3: found {right}, expected {wrong}\n", out)

    def test_another_image_fails(self) -> None:
        status, out, results = self.broken(lambda sample: sample.update(image="2.png"))
        self.assertEqual((status, verdicts(results, ROW)), (1, ["FAILED"] * 3), out)

    def test_a_missing_token_fails(self) -> None:
        _, out, results = self.broken(lambda sample: sample["ids"].pop())
        self.assertEqual(verdicts(results, ROW), ["FAILED"] * 3)
        self.assertIn("token 5: found ", out)
        self.assertIn("expected no token", out)

    def test_another_prompt_fails(self) -> None:
        _, out, results = self.broken(lambda sample: sample.update(prompt_tokens=sample["prompt_tokens"] + 1))
        self.assertEqual(verdicts(results, ROW), ["FAILED"] * 3)
        self.assertIn("tokens, expected ", out)

    def test_a_broken_case_is_named(self) -> None:
        status, out, _ = self.broken(lambda sample: sample.update(ids="none"))
        self.assertEqual(status, 1)
        self.assertIn(f"{self.scratch / ROW / rows.CASES}:3: member ids: found 'none', expected list", out)

    def test_a_checkpoint_that_cannot_be_read_fails(self) -> None:
        shutil.copytree(FIXTURES / ROW, self.scratch / ROW)
        (self.scratch / ROW / "model" / "model.safetensors").unlink()
        status, out, results = run("--fixtures", str(self.scratch), "--row", ROW)
        self.assertEqual((status, verdicts(results, ROW)), (1, ["FAILED"] * 3), out)
        self.assertIn(f"{ROW}, three requests: assay serve: ", out)

    def test_markdown_has_the_same_verdicts(self) -> None:
        path = self.scratch / "table.md"
        run("--row", ROW, "--row", "glm4v", "--fixtures", str(FIXTURES), "--markdown", str(path))
        text = path.read_text(encoding="utf-8")
        self.assertIn("| family | storage | generate | one request | three requests |\n| --- |", text)
        self.assertIn(f"| {ROW} | 4-bit | passed | passed | passed |\n", text)


if __name__ == "__main__":
    sys.exit(tap.run(EndToEnd))
