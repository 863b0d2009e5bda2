"""Tests of scripts/scoreboard that need no published system: outcomes, findings, shards, both documents; and those of board_*.py. Prints TAP."""

from __future__ import annotations

import json
import sys
from unittest import mock

from observatory.board import cases, explain, relist, results, running
from observatory.board.markdown import ranges
from observatory.findings import records
from observatory.tests.board import Board, Page, replayed
from observatory.tests.board_cases import Cases
from observatory.tests.board_systems import Systems
from scripts.tests import tap


class Documents(Board):
    def test_what_agrees_is_shown_with_the_version_and_the_date(self) -> None:
        self.store(self.document())
        (self.results / "mlx_lm.facts.json").write_text(json.dumps({"versions": {"mlx-lm": "0.1", "mlx": "0.2"}, "machine": "a processor"}))
        status, said, text, _ = self.render()
        self.assertEqual(status, 0, said)
        date = self.passing["shard"]["finished"][:10]
        self.assertEqual(self.row(text, "mlx-lm"), f"| mlx-lm | mlx-lm 0.1, mlx 0.2 | {date} | a processor | 4 | 0 | 0 | 0 | 0 |")
        self.assertEqual(self.row(text, "llama"), "| llama | 4 ✓ |")
        self.assertNotIn("Without a finding", text)

    def test_without_stored_versions_those_that_are_pinned_are_stated(self) -> None:
        self.store(self.document())
        self.assertIn("| mlx-lm | mlx-lm 9.8, mlx 7.6 |", self.render()[2])

    def test_a_failure_has_the_finding_of_the_observation(self) -> None:
        self.tables(observations="llama.h5/base/single.mlx-lm\tdiverges\t1.5e+04 x bound\t3 of 10\tfirst-finding\n"
                    "llama.h5/base/batch.mlx-lm\tcannot\t-\t-\tother-finding\n")
        self.store(self.document(single={"outcome": "failed", "class": "logits", "multiple": 6.1e4, "reason": "far off"},
                                 batch={"outcome": "failed", "class": "refused", "measured": False, "multiple": None, "reason": "KeyError"}))
        status, said, text, html = self.render()
        self.assertEqual(status, 0, said)
        self.assertEqual(self.row(text, "one sequence"), "| one sequence | 1 ✗ (1) |")
        self.assertEqual(self.row(text, "llama"), "| llama | 2 ✓, 2 ✗ (1–2) |")
        self.assertIn("FINDINGS.md#first-finding) | wrong answer, 1.5e+04 times the bound, another best token in 3 of 10 rows, published: not known | mlx-lm 1 |\n", text)
        self.assertLess(text.index("| 1 | [first-finding]("), text.index("| 2 | [other-finding]("))
        self.assertLess(html.index("1.52e+04 bounds"), html.index("KeyError"))
        self.assertIn('<li value="1">', html)
        self.assertIn("FINDINGS.md#first-finding\">first-finding</a>: a `Thing` is wrong", html)
        self.assertIn("1.52e+04 bounds", html)
        self.assertIn(">2&nbsp;✓, 2&nbsp;✗ (1–2)</a>", html)

    def test_a_failure_of_another_size_or_kind_than_the_observation_is_unexplained(self) -> None:
        line = "llama.h5/base/single.mlx-lm\t{}\tfirst-finding\n"
        diverges, cannot = line.format("diverges\t1e+04 x bound\t3 of 10"), line.format("cannot\t-\t-")
        for observed, failure in ((diverges, {"class": "logits", "multiple": 5e4}), (diverges, {"class": "logits", "multiple": 3e4}),
                                  (diverges, {"class": "logits", "multiple": None}), (diverges, {"class": "crash", "multiple": None}),
                                  (cannot, {"class": "logits", "multiple": 4e4}), (line.format("agrees\t0.5 x noise\t-"), {"class": "refused", "multiple": None})):
            with self.subTest(f"{observed} {failure}"):
                self.tables(observations=observed)
                self.store(self.document(single={"outcome": "failed", "reason": "a reason", **failure}))
                status, said, text, html = self.render()
                self.assertEqual(status, 1, said)
                self.assertIn("Failures that no finding explains: 1.", text)
                self.assertIn("- mlx-lm, `llama/base/single`: a reason", text)
                self.assertIn("Failures without a finding: 1.", html)

    def test_a_rule_explains_a_failure_by_its_class_and_its_text(self) -> None:
        failure = {"outcome": "failed", "class": "refused", "multiple": None, "reason": "model_open failed: no <rope>"}
        for rule, status in (("mlx_lm\tllama/*\trefused\tno <rope>\tfirst-finding\n", 0), ("mlx_lm\tllama/base/single\t*\t*\tfirst-finding\n", 0),
                             ("mlx_lm\tllama/*\tlogits\t*\tfirst-finding\n", 1), ("mlx_lm\tllama/*\trefused\tno norm\tfirst-finding\n", 1),
                             ("mlx_vlm\tllama/*\t*\t*\tfirst-finding\n", 1), ("mlx_lm\tqwen3/*\t*\t*\tfirst-finding\n", 1)):
            with self.subTest(rule):
                self.tables("# system\n" + rule)
                self.store(self.document(single=failure))
                self.assertEqual(self.render()[0], status)

    def test_a_rule_goes_before_an_observation(self) -> None:
        self.tables("mlx_lm\tllama/*\tlogits\tposition 6,\tother-finding\n", "llama.h5/base/single.mlx-lm\tdiverges\t1e+04 x bound\t3 of 10\tfirst-finding\n")
        self.store(self.document(single={"outcome": "failed", "class": "logits", "multiple": 4e4, "where": "sample 0, prefill, position 6, id 3"}))
        self.assertIn("| 1 | [other-finding]", self.render()[2])

    def test_a_wrong_row_of_the_table_is_named(self) -> None:
        self.store(self.document())
        for rules, said in (("mlx_lm\tllama/*\t*\tfirst-finding\n", "findings.tsv:1: found 4 columns, expected 5"),
                            ("#\nmlx_lm\tllama/*\t*\t*\tno-finding\n", "findings.tsv:2: found finding no-finding, expected one of observatory/FINDINGS.md")):
            self.tables(rules)
            status, found, _, _ = self.render()
            self.assertEqual(status, 99)
            self.assertIn(said, found)

    def test_a_rule_whose_cases_pass_is_noted(self) -> None:
        self.tables("mlx_lm\tllama/base/s*\t*\t*\tfirst-finding\n")
        self.store(self.document())
        self.assertIn("note: findings.tsv:1: explains no failure, and llama/base/single passes", self.render()[1])
        self.tables("mlx_lm\tllama/base/*\t*\t*\tfirst-finding\n")
        self.store(self.document(single={"outcome": "failed", "class": "logits"}))
        self.assertNotIn("note:", self.render()[1])

    def test_refusals_crashes_hangs_and_broken_cases_are_counted_apart(self) -> None:
        self.store(self.document(single={"outcome": "skipped", "reason": "no | caches"}, batch={"outcome": "failed", "class": "crash", "reason": "signal 11"},
                                 generate={"outcome": "failed", "class": "hang", "reason": "no answer"}))
        status, said, text, html = self.render()
        self.assertEqual(status, 1, said)
        self.assertEqual(self.row(text, "llama"), "| llama | 1 ✓, 2 !, 1 –, **2 ?** |")
        self.assertIn("<li>no | caches<details>", html)
        self.assertIn("1 case refused", html)
        self.tables("mlx_lm\t*\t*\t*\tfirst-finding\n")
        self.store(self.document(single={"outcome": "failed", "class": "logits"}, batch={"outcome": "failed", "class": "crash"}))
        self.assertEqual(self.row(self.render()[2], "llama"), "| llama | 2 ✓, 1 ✗ (1), 1 ! |")
        self.store(self.document(batch={"outcome": "broken", "reason": "noise"}))
        self.assertEqual(self.render()[0], 99)
        everything = {"outcome": "skipped", "reason": "no"}
        self.store(self.document(batch=everything, single=everything, generate=everything, limit=everything))
        self.assertEqual(self.render()[0], 77)

    def test_cases_that_only_ask_for_other_functions_are_left_out(self) -> None:
        document = self.document()
        with mock.patch.object(cases, "describe", lambda assay, names: {name: cases.Case(name, "eos" if "single" in name else "logits") for name in names.values()}):
            document["results"][-1].update({"outcome": "skipped", "reason": "it has no serving functions"})
            document["totals"].update(passed=3, skipped=1)
            self.store(document)
            self.store(self.document(), "ref32.json")
            text = self.render()[2]
        self.assertIn("3 cases count.", text)
        self.assertRegex(self.row(text, "mlx-lm"), r"\| 3 \| 0 \| 0 \| 0 \| 0 \|$")
        self.assertIn("1 more (tokenizers", text)

    def test_shards_are_joined_and_a_missing_one_is_named(self) -> None:
        for index in (1, 2):
            self.store(replayed(f"{index}/2"), f"mlx_lm/shard-{index}.json")
        status, said, text, _ = self.render()
        self.assertEqual(status, 0, said)
        self.assertEqual(self.row(text, "llama"), "| llama | 4 ✓ |")
        (self.results / "mlx_lm" / "shard-2.json").unlink()
        status, said, text, html = self.render()
        self.assertEqual(status, 99)
        self.assertRegex(text, "no result: .*shard.* 2")
        self.assertIn('<p class="warning">', html)

    def test_several_runs_are_joined_and_a_later_one_replaces_cases(self) -> None:
        later = self.results.parent / "later"
        later.mkdir()
        first = self.document(single={"outcome": "failed", "class": "logits"})
        self.store(first)
        (later / "mlx_lm.json").write_text(json.dumps(self.document()))
        status, said, text, _ = self.call("--from", str(self.results), "--from", str(later))
        self.assertEqual(status, 0, said)
        self.assertEqual(self.row(text, "llama"), "| llama | 4 ✓ |")
        (later / "mlx_lm.facts.json").write_text(json.dumps({"versions": {"mlx-lm": "0"}, "machine": "another"}))
        status, said, text, _ = self.call("--from", str(self.results), "--from", str(later))
        self.assertEqual(status, 99)
        self.assertIn("expected one version", text)

    def test_a_result_that_is_no_result_is_named(self) -> None:
        (self.results / "mlx_lm.json").write_text("{}")
        status, said, _, _ = self.render()
        self.assertEqual(status, 99)
        self.assertIn("mlx_lm.json", said)

    def test_a_result_of_an_unknown_system_is_not_passed_over(self) -> None:
        self.store(self.document())
        for name in ("nobody.json", "nobody/shard-1.json"):
            self.store(self.document(), name)
            status, said, _, _ = self.render()
            self.assertEqual(status, 99)
            self.assertIn("nobody", said)
            self.assertEqual(self.call("--from", str(self.results), "--systems", "mlx_lm")[0], 0)
            (self.results / name).unlink()
        self.store(self.document(), "ref32.json")
        status, _, text, _ = self.render()
        self.assertEqual((status, self.row(text, "llama")), (0, "| llama | 4 ✓ | 4 ✓ |"))

    def test_an_empty_directory_is_an_error(self) -> None:
        status, said, _, _ = self.render()
        self.assertEqual(status, 99)
        self.assertIn("found no result, expected NAME.json", said)
        status, _, text, _ = self.call("--from", str(self.results), "--systems", "mlx_lm")
        self.assertEqual(status, 99)
        self.assertIn("no result: there is no result", text)

    def test_a_run_that_writes_no_result_is_reported_with_its_last_words(self) -> None:
        status, _, text, _ = self.call("--systems", "ref32", "--fixtures", str(self.place / "nowhere"))
        self.assertEqual(status, 99)
        self.assertRegex(text, r"no result: status \d+: .*nowhere")

    def test_the_page_needs_no_other_file_and_its_cells_lead_somewhere(self) -> None:
        self.tables("mlx_lm\tllama/base/single\t*\t*\tfirst-finding\n")
        self.store(self.document(single={"outcome": "failed", "class": "logits", "reason": "<b> & found", "multiple": 8.0},
                                 batch={"outcome": "failed", "class": "logits", "manner": "chunk-7", "repro": "assay run --manner chunk-7"}))
        html = self.render()[3]
        page = Page(html)
        self.assertEqual((page.open, page.resources), ([], []))
        self.assertEqual({link for link in page.links if "://" in link}, set())
        for link in page.links:
            if link not in ("", "#") and link.startswith("#"):
                self.assertIn(link[1:].split("/")[0], page.ids)
        self.assertIn("#mlx_lm/property/batch", page.links)
        self.assertEqual([(row["data-family"], row["data-property"]) for row in page.rows], [("llama", "batch"), ("llama", "single")])
        self.assertIn("&lt;b&gt; &amp; found", html)
        self.assertIn("assay run --engine &#x27;exec:python3 -m assay assay.adapters.mlx_lm&#x27; --manner chunk-7 fixtures/llama/base/batch.h5", html)

    def test_no_path_of_this_machine_is_shown(self) -> None:
        self.assertEqual(results.shown("KeyError (/a/b/venv/lib/python3/site-packages/mlx/x.py:3) in /top/c", {"/top/": ""}), "KeyError (mlx/x.py:3) in c")
        self.assertEqual(results.shown("No token (/other/tree/adapters/python/assay/x.py:3)", {"/top/": ""}), "No token (adapters/python/assay/x.py:3)")
        self.assertEqual(results.shown("(/tree/observatory/adapters/assay/y.py:3)", {"/top/": ""}), "(observatory/adapters/assay/y.py:3)")

    def test_numbers_of_findings_are_joined(self) -> None:
        self.assertEqual(ranges([7, 1, 2, 3, 5]), "1–3, 5, 7")

    def test_the_tables_of_findings_are_sound(self) -> None:
        observations = records.read_observations(running.TOP / records.OBSERVATIONS)
        self.assertTrue(explain.read_rules(running.TOP / "observatory" / "adapters" / "findings.tsv", records.read(running.TOP / records.RECORDS, observations)))

    def test_the_stored_lists_of_findings_are_those_of_the_records(self) -> None:
        for name in relist.DOCUMENTS:
            with self.subTest(name):
                line, make = relist.DOCUMENTS[name]
                text = (running.TOP / name).read_text(encoding="utf-8")
                self.assertGreater(sum(bool(line.fullmatch(one)) for one in text.split("\n")), 50)
                observations = records.read_observations(running.TOP / records.OBSERVATIONS)
                self.assertTrue(relist.relisted(text, line, make, records.read(running.TOP / records.RECORDS, observations)) == text,
                                "python3 -m observatory.board.relist shows what differs, and --write makes it again")


if __name__ == "__main__":
    sys.exit(tap.run(Cases, Documents, Systems))
