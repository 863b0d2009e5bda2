"""Tests of scripts/scoreboard that need no published system: what a case is, outcomes, findings, shards, both documents. Prints TAP."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

from scripts import venvs
from scripts.board import __main__ as program
from scripts.board import cases, explain, results, running, systems
from scripts.board.markdown import ranges
from scripts.tests import tap

ASSAY = Path(os.environ["top_builddir"]) / "conformance" / "assay"
BASE = running.TOP / "fixtures" / "llama" / "base"  # batch, generate, limit and single
FINDINGS = "### first-finding: a `Thing` is wrong\n### other-finding: another\n"

# Engines that fail in one way each, as adapters.
ADAPTERS = {
    "refuses": "def model_open(self, directory, options): raise Unsupported('nothing is supported')",
    "ends": "def step(self, *_): os._exit(3)",
    "hangs": "def step(self, *_): time.sleep(60)",
    "fails": "def step(self, *_): raise KeyError(f'{__file__} is missing')",
}
ADAPTER = """
import os, time
from assay import Engine as Base, Unsupported
class Engine(Base):
    name, version = "toy", "1"
    def model_open(self, directory, options): return directory
    def model_vocab(self, model): return 101
    def session_open(self, model, options): return model
    def step(self, *_): return []
    def free(self, owned): pass
    {}
"""


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
        if tag not in ("meta", "br"):
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


class Tests(unittest.TestCase):
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
        """The passing document with some cases changed, by the last part of their names."""
        document = copy.deepcopy(self.passing)
        for result in document["results"]:
            result.update(changed.get(result["case"].split("/")[-1], {}))
        outcomes = [result["outcome"] for result in document["results"]]
        for name in ("passed", "failed", "skipped", "broken"):
            document["totals"][name] = outcomes.count(name)
        return document

    def store(self, document: dict[str, Any], name: str = "mlx_lm.json") -> None:
        (self.results / name).parent.mkdir(exist_ok=True)
        (self.results / name).write_text(json.dumps(document))

    def tables(self, rules: str = "", observations: str = "") -> None:
        (self.place / "findings.md").write_text(FINDINGS)
        (self.place / "adapters" / "findings.tsv").write_text(rules)
        (self.place / "observations.tsv").write_text(observations)

    def call(self, *arguments: str) -> tuple[int, str, str, str]:
        """Status, output with errors, SCOREBOARD.md, scoreboard.html."""
        if not (self.place / "findings.md").exists():
            self.tables()
        out = self.place / "out"
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), \
                mock.patch.object(explain, "read_findings", lambda _, read=explain.read_findings: read(self.place / "findings.md")), \
                mock.patch.object(explain, "read_observations", lambda _, read=explain.read_observations: read(self.place / "observations.tsv")):
            status = program.main(["--assay", str(ASSAY), "--adapters", str(self.place / "adapters"), "--cache", str(self.place / "cache"),
                                   "--out", str(out), *arguments])
        texts = [(out / name).read_text() if (out / name).exists() else "" for name in ("SCOREBOARD.md", "scoreboard.html")]
        return status, said.getvalue(), texts[0], texts[1]

    def render(self) -> tuple[int, str, str, str]:
        return self.call("--from", str(self.results))

    def row(self, text: str, title: str) -> str:
        return next(line for line in text.splitlines() if line.startswith(f"| {title} |"))

    def test_a_case_has_the_properties_that_the_program_describes(self) -> None:
        expected = {
            "llama/base/single": "single", "llama/base/batch": "batch", "llama/base/limit": "batch limit", "llama/base/generate": "batch greedy",
            "qwen3/window/window": "batch window", "phi3/longrope/long": "single longrope", "gemma4/mlx-4bit-experts/single": "single window experts quantised",
            "qwen3_vl/base/image": "single image", "qwen3_vl/base/images-batch": "batch image images", "qwen3_5/base/single": "single recurrent",
            "qwen3_vl/base/positions": "positions", "llama/lengths/prefill-1024": "single long", "llama/dynamic/long": "single linear",
        }
        paths = {f"fixtures/{name}.h5": name for name in expected}
        found = cases.describe(ASSAY, paths)
        for name, properties in expected.items():
            with self.subTest(name):
                self.assertEqual(" ".join(one.name for one in cases.PROPERTIES if one.has(found[name])), properties)
        self.assertEqual(found["gemma4/mlx-4bit-experts/single"].family, "gemma4")

    def test_every_property_has_a_bundled_case(self) -> None:
        paths = {str(path.relative_to(running.TOP)): str(path) for path in (running.TOP / "fixtures").glob("*/*/*.h5")}
        found = cases.describe(ASSAY, paths).values()
        self.assertEqual(len(found), len(paths))
        self.assertEqual([one.name for one in cases.PROPERTIES if not any(one.has(case) for case in found)], [])

    def test_a_file_that_is_no_case_is_left_out(self) -> None:
        (self.place / "text.h5").write_text("text")
        self.assertEqual(cases.describe(ASSAY, {str(self.place / "text.h5"): "a", "fixtures/llama/base/single.h5": "b"}).keys(), {"b"})

    def test_a_case_of_a_checkpoint_that_the_loader_does_not_know_has_the_family_of_its_folder(self) -> None:
        self.assertEqual(cases.read_case("case x\nkind       logits\nsamples    1 of up to 5 tokens, lengths 5\nsteps      2 forced, 0 greedy\n", "new/a/b", cases.Plan()),
                         cases.Case("new/a/b", "logits", 1, 7))
        self.assertEqual(cases.Case("new/a/b", "logits").family, "new")

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
        self.tables(observations="llama/base/observed/single.mlx-lm.h5\tdiverges\t1.5e+04 x bound\tfirst-finding\n"
                    "llama/base/observed/batch.mlx-lm.txt\tcannot\t-\tother-finding\n")
        self.store(self.document(single={"outcome": "failed", "class": "logits", "multiple": 6.1e4, "reason": "far off"},
                                 batch={"outcome": "failed", "class": "refused", "measured": False, "multiple": None, "reason": "KeyError"}))
        status, said, text, html = self.render()
        self.assertEqual(status, 0, said)
        self.assertEqual(self.row(text, "one sequence"), "| one sequence | 1 ✗ (1) |")
        self.assertEqual(self.row(text, "llama"), "| llama | 2 ✓, 2 ✗ (1–2) |")
        self.assertIn("1. [first-finding](", text)
        self.assertIn("FINDINGS.md#first-finding-a-thing-is-wrong): a `Thing` is wrong. mlx-lm: 1 of llama.", text)
        self.assertIn("1.52e+04 bounds", html)
        self.assertIn(">2&nbsp;✓, 2&nbsp;✗ (1–2)</a>", html)

    def test_a_failure_of_another_size_or_kind_than_the_observation_is_unexplained(self) -> None:
        line = "llama/base/observed/single.mlx-lm.{}\t{}\tfirst-finding\n"
        diverges, cannot = line.format("h5", "diverges\t1e+04 x bound"), line.format("txt", "cannot\t-")
        for observed, failure in ((diverges, {"class": "logits", "multiple": 5e4}), (diverges, {"class": "logits", "multiple": 3e4}),
                                  (diverges, {"class": "logits", "multiple": None}), (diverges, {"class": "crash", "multiple": None}),
                                  (cannot, {"class": "logits", "multiple": 4e4}), (line.format("h5", "agrees\t0.5 x noise"), {"class": "refused", "multiple": None})):
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
        self.tables("mlx_lm\tllama/*\tlogits\tposition 6,\tother-finding\n", "llama/base/observed/single.mlx-lm.h5\tdiverges\t1e+04 x bound\tfirst-finding\n")
        self.store(self.document(single={"outcome": "failed", "class": "logits", "multiple": 4e4, "where": "sample 0, prefill, position 6, id 3"}))
        self.assertIn("1. [other-finding]", self.render()[2])

    def test_a_wrong_row_of_the_table_is_named(self) -> None:
        self.store(self.document())
        for rules, said in (("mlx_lm\tllama/*\t*\tfirst-finding\n", "findings.tsv:1: found 4 columns, expected 5"),
                            ("#\nmlx_lm\tllama/*\t*\t*\tno-finding\n", "findings.tsv:2: found finding no-finding, expected an entry of docs/FINDINGS.md")):
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
        self.assertIn("- mlx-lm, 1 case: no \\| caches", text)
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

    def test_numbers_of_findings_are_joined(self) -> None:
        self.assertEqual(ranges([7, 1, 2, 3, 5]), "1–3, 5, 7")

    def test_systems_are_found_by_their_requirements(self) -> None:
        (self.place / "adapters" / "requirements" / "brand_new.txt").write_text("# a comment==1\nbrand-new[x]==1.2\nnumpy==1\n# without its dependencies: other==3\n")
        found = systems.found(self.place / "adapters")
        self.assertEqual([(one.name, one.made_of) for one in found], [("mlx_lm", ("mlx-lm", "mlx")), ("brand_new", ("brand-new", "numpy", "other"))])
        self.assertEqual(systems.packages(found[1], self.place / "adapters").alone(), ["other==3"])
        self.assertEqual([one.name for one in systems.chosen(self.place / "adapters", [])], ["mlx_lm", "brand_new", "fastpath"])
        with self.assertRaisesRegex(ValueError, "found nobody, expected some of mlx_lm, brand_new"):
            systems.chosen(self.place / "adapters", ["nobody"])

    def test_every_adapter_states_versions_that_its_requirements_pin(self) -> None:
        adapters = running.TOP / "adapters" / "python"
        for system in systems.found(adapters):
            self.assertIn(system.made_of[0], systems.packages(system, adapters).pins(), system.name)

    def test_the_tables_of_findings_are_sound(self) -> None:
        findings = explain.read_findings(running.TOP / "docs" / "FINDINGS.md")
        self.assertTrue(explain.read_rules(running.TOP / "adapters" / "python" / "findings.tsv", findings))
        self.assertEqual({one.finding for one in explain.read_observations(running.TOP / "fixtures" / "observations.tsv").values()} - {"-"} - set(findings), set())

    def test_torch_comes_from_its_cpu_build(self) -> None:
        requirements = self.place / "r.txt"
        requirements.write_text("torch==2.0\nnumpy==1\n# without its dependencies: a==1\n")
        commands: list[list[str]] = []
        with mock.patch.object(venvs, "run", lambda command, log, environment=None: commands.append(command) or (self.place / "v").mkdir(exist_ok=True)):
            venvs.install(venvs.Packages(requirements), self.place / "v", False)
            venvs.install(venvs.Packages(requirements), self.place / "v", True)
        self.assertEqual([command[-1] for command in commands], [str(self.place / "v"), "torch==2.0+cpu", str(requirements), "a==1"])
        requirements.write_text("torch==2.1\n")
        with self.assertRaisesRegex(venvs.Missing, "not installed below"):
            venvs.install(venvs.Packages(requirements), self.place / "v", True)

    def plan(self, **changed: Any) -> running.Plan:
        return running.Plan(**{"assay": ASSAY, "adapters": self.place / "adapters", "fixtures": ["fixtures"], "results": self.results, "cache": self.place / "cache",
                               "python": Path("/python 3"), "offline": True, "jobs": 0, "timeout": 5, "shards": 0, "sbatch": [], **changed})

    def test_slurm_gets_the_same_run_in_shards(self) -> None:
        system = systems.KNOWN[1]
        run = [str(ASSAY), "run", "--timeout", "5", "--engine", "exec:'/python 3' -m assay assay.adapters.mlx_lm"]
        self.assertEqual(running.command(system, self.plan(jobs=2), Path("/python 3")),
                         [*run, "--jobs", "2", "--json", str(self.results / "mlx_lm.json"), "fixtures"])
        self.assertEqual(running.command(system, self.plan(shards=4, sbatch=["--partition=cpu"]), Path("/python 3")),
                         [str(running.SLURM), "--shards", "4", "--sbatch=--partition=cpu", "--dir", str(self.results / "mlx_lm"), "--json",
                          str(self.results / "mlx_lm.json"), "--", *run, "fixtures"])

    def test_a_system_that_is_not_installed_leaves_the_others_and_no_earlier_result(self) -> None:
        (self.place / "cache" / "results").mkdir(parents=True)
        (self.place / "cache" / "results" / "mlx_lm.json").write_text(json.dumps(self.passing))
        status, said, text, _ = self.call("--offline", "--systems", "mlx_lm,ref32", "--fixtures", str(BASE))
        self.assertEqual(status, 99)
        self.assertIn("no result: not installed below CACHE/venv/mlx_lm", text)
        self.assertEqual(self.row(text, "llama"), "| llama |  | 4 ✓ |")
        self.assertRegex(self.row(text, "ref32 (Assay)"), r"\| assay [0-9.]+ \| 20\d\d-")

    @unittest.skipUnless(find_spec("numpy"), "numpy is missing")
    def test_each_end_of_an_adapter_is_told_from_the_others(self) -> None:
        shutil.copytree(running.TOP / "adapters" / "python" / "assay", self.place / "adapters" / "assay")
        for name, method in ADAPTERS.items():
            (self.place / "adapters" / "assay" / "adapters" / f"{name}.py").write_text(ADAPTER.format(method))
            (self.place / "adapters" / "requirements" / f"{name}.txt").write_text("numpy==1\n")
        status, said, text, html = self.call("--python", sys.executable, "--timeout", "3", "--systems", ",".join(ADAPTERS), "--fixtures", str(BASE / "single.h5"))
        self.assertEqual(status, 1, said)
        self.assertEqual(self.row(text, "llama"), "| llama | 1 !, **1 ?** | 1 ✗, **1 ?** | 1 !, **1 ?** | 1 – |")
        self.assertIn("- refuses, 1 case: nothing is supported", text)
        self.assertNotIn(str(self.place / "cache"), text + html)


if __name__ == "__main__":
    sys.exit(tap.run(Tests))
