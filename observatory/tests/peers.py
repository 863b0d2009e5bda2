"""Tests of observatory/peers that need no peer: options, the table, parsing of answers, rejected input. Prints TAP."""

from __future__ import annotations

import array
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from observatory.peers import __main__ as program, draw, install, machine, processes, table
from observatory.peers.cells import IMAGE_SYSTEMS, PEERS, REFERENCE_SYSTEMS, SYSTEMS, Point, System, Time, image_points, points
from observatory.peers.pictures import Pictures, Tower, draw_prompt
from observatory.peers.session import Session, judge
from scripts.tests import tap

TOP, BUILD = Path(os.environ["top_srcdir"]), Path(os.environ["top_builddir"])
PREFILL, DECODE, FIRST = Point("prefill", 512), Point("decode", 16, 8), Point("first token", 16)


def preloaded(module: Path) -> dict[str, str]:
    """Environment variables with which Python can load a module that was built with sanitizers."""
    needed = set(re.findall(rb"lib(?:asan|ubsan)\.so\.\d+", module.read_bytes()))
    if not needed:
        return {}
    return {"LD_PRELOAD": " ".join(sorted(name.decode() for name in needed)),
            "ASAN_OPTIONS": "detect_leaks=0"}  # the interpreter does not free all memory at exit


def column(name: str, is_ours: bool = False) -> table.Column:
    return table.Column(name, is_ours, "bf16", "f32")


def group(ours_speed: float, peer_speed: float) -> table.Group:
    times = {("fastpath", PREFILL): [Time(ours_speed, 3 * 2**20)],
             ("other", PREFILL): [Time(peer_speed / 2, 2**20), Time(peer_speed, 2 * 2**20)]}
    times["third", PREFILL] = [Time(1, 9 * 2**20)]
    return table.Group("bf16", [column("fastpath", True), column("other"), column("third")], times,
                       {("fastpath", PREFILL): (0.5, "fma")})


def refusal(*arguments: str) -> str:
    """The program's error message for arguments that it rejects with status 2."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            program.parse(["--assay", sys.executable, *arguments])
        except SystemExit as end:
            assert end.code == 2
            return said.getvalue()
    raise AssertionError("was not refused")


TOWER = Tower(14, 28, 1176, 7, 9)


class Tests(unittest.TestCase):
    def test_usual_points_are_those_of_the_issue(self) -> None:
        found = points([512, 2048], [16, 1024], [1, 8])
        self.assertEqual(found, [FIRST, PREFILL, Point("prefill", 2048), Point("decode", 16),
                                 Point("decode", 1024), DECODE, Point("decode", 1024, 8)])

    def test_numbers_show_three_digits_that_count(self) -> None:
        shown = [table.number(x) for x in (0.0421, 1.234, 12.34, 123.4, 1234.5)]
        self.assertEqual(shown, ["0.042", "1.23", "12.3", "123", "1,234"])

    def test_tables_are_as_wide_in_every_row(self) -> None:
        text = table.grid([["", "a long head"], ["a name", "1"]])
        self.assertEqual(len({len(line) for line in text.splitlines()}), 1)
        self.assertIn("----------:", text)

    def test_a_cell_that_does_not_lead_is_marked_and_listed(self) -> None:
        text = table.document([group(50, 100)], [PREFILL], [], [], 2, False)
        self.assertIn("**0.50**", text)
        self.assertIn("* bf16, prefill 512: fastpath 0.50\n", text)

    def test_a_cell_that_leads_is_not(self) -> None:
        text = table.group_text(group(150, 100), [PREFILL], False)
        self.assertIn(" 1.50 ", text)
        self.assertNotIn("**1.50**", text)
        self.assertIn("50 % fma", text)

    def test_less_memory_leads(self) -> None:
        self.assertEqual(table.behind([group(150, 100)], [PREFILL], False), [
            "bf16, memory, first token: fastpath 0.67", "bf16, memory, most of all: fastpath 0.67"])

    def test_a_cell_is_the_best_round_or_the_median(self) -> None:
        for median, wanted in ((False, 100), (True, 75)):
            row = next(table.rows(group(1, 100), [PREFILL], median))
            self.assertEqual(row.values[1], wanted)

    def test_first_tokens_are_seconds_and_less_leads(self) -> None:
        one = group(1, 1)
        one.columns.pop()
        one.times.update({("fastpath", FIRST): [Time(4, 1, 4)], ("other", FIRST): [Time(2, 1, 5)]})
        cold, warm = list(table.rows(one, [FIRST], False))[:2]
        self.assertEqual((cold.values, warm.values), ([0.25, 0.5], [0.25, 0.2]))
        self.assertEqual(table.ratio(cold, one, 0), 2)
        self.assertAlmostEqual(table.ratio(warm, one, 0) or 0, 0.8)

    def test_what_was_not_measured_is_a_dash(self) -> None:
        text = table.group_text(group(1, 2), [DECODE], False)
        self.assertIn("| decode after 16, 8 x | tokens/s |        - |     - |     - |", text)

    def test_reasons_of_those_left_out_are_listed(self) -> None:
        text = table.document([group(3, 2)], [PREFILL], [], ["other: no wheel"], 1, False)
        self.assertIn("### Left out\n\n* other: no wheel\n", text)

    def test_a_bench_document_is_read(self) -> None:
        one = {"engine": "e", "measure": "prefill", "prompt": 512, "batch": 1, "best": 20.0,
               "fraction": 0.5, "bound": "fma", "peak_bytes": 7, "reason": ""}
        none = one | {"prompt": 4, "best": None, "reason": "too long"}
        found = processes.read_bench({"machine": {}, "results": [one, none]})
        self.assertEqual(found.times, {("e", PREFILL): Time(20, 7, 20)})
        self.assertEqual(found.limits, {("e", PREFILL): (0.5, "fma")})
        self.assertEqual(found.troubles, ["e, prefill 4: too long"])

    def test_points_with_images_are_found_by_their_number(self) -> None:
        asked = image_points([Pictures(672, 672, n) for n in (1, 4)], TOWER)
        self.assertEqual([p.prompt for p in asked], [593, 2324])
        one = {"engine": "e", "measure": "prefill", "prompt": 2324, "batch": 1, "best": 20.0,
               "fraction": None, "bound": None, "peak_bytes": 7, "reason": "", "images": 4}
        found = processes.read_bench({"machine": {}, "results": [one, one | {"images": 0}]}, asked)
        self.assertEqual(list(found.times), [("e", asked[1]), ("e", Point("prefill", 2324))])

    def test_prompts_with_images_hold_a_placeholder_for_each_block(self) -> None:
        prompt = draw_prompt(Pictures(56, 28, 2), TOWER, 3, 40)
        held = [token == TOWER.image_token for token in prompt.tokens]
        self.assertEqual(held, 2 * [False, True, True] + 16 * [False])
        self.assertNotIn(TOWER.video_token, prompt.tokens)
        self.assertEqual(prompt.grid, [(1, 2, 4)] * 2)
        self.assertEqual(len(prompt.pixels), 2 * 8 * TOWER.row)
        self.assertNotEqual(prompt.pixels[:8 * TOWER.row], prompt.pixels[8 * TOWER.row:])
        self.assertTrue(all(-1 <= x <= 1 for x in prompt.pixels))

    def test_the_better_limit_of_two_calls_stays(self) -> None:
        names = ("read_one", "read_all", "fma_one", "fma_all")
        a, b = dict.fromkeys(names, 1.0), dict.fromkeys(names, 0.5) | {"fma_all": 3.0}
        self.assertEqual(machine.better(a, b), a | {"fma_all": 3.0})
        self.assertEqual(machine.better({}, b), b)

    def test_flags_that_matter_are_named(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("processor\t: 0\nflags\t\t: fpu avx2 avx512f amx_tile xyz\n")
            file.flush()
            self.assertEqual(machine.flags(Path(file.name)), ["AVX2", "AVX-512", "AMX"])
        self.assertEqual(machine.flags(Path("/nowhere/at/all")), [])

    def test_the_worst_row_decides_how_like_logits_are(self) -> None:
        truth = array.array("f", [1, 2, 4])
        like = processes.likeness(truth, [truth, array.array("f", [1, 5, 4])])
        self.assertEqual((like.error, like.same_token), (3, False))
        self.assertLess(like.alike, 1)
        self.assertEqual(processes.likeness(truth, [array.array("f", [1, float("nan"), 4])]).alike, 0)

    def test_a_peer_that_computes_something_else_is_refused(self) -> None:
        exact = System("f32", "torch", "torch", "m", "f32", "f32", True)
        noisy = exact._replace(exact=False)
        judge(exact, processes.Likeness(0.0009, 1, True), 1)
        judge(noisy, processes.Likeness(0.5, 0.9, False), 1)
        for system, like in ((exact, processes.Likeness(0.0011, 1, True)),
                             (noisy, processes.Likeness(4, 0.49, False))):
            with self.assertRaises(processes.Failure):
                judge(system, like, 1)

    def test_tokens_are_those_of_splitmix64(self) -> None:
        stream = draw.words(0)
        self.assertEqual([next(stream) for _ in range(2)],
                         [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4])
        self.assertTrue(all(0 <= t < 7 for t in draw.tokens(1, 50, 7)))

    def test_seeds_are_those_of_assay_bench(self) -> None:
        """As in conformance/bench/tests/check_bench.c."""
        for arguments, wanted in (((0, 0, 0), 0xAB0ED9421630F454),
                                  ((0, 1, 0), 0x1DF3A17C160E4887),
                                  ((0, 0, 1), 0xA61632118838CA6A),
                                  ((7, 3, 2), 0x996110B67C6095DA)):
            self.assertEqual(draw.seed_of(*arguments), wanted)

    def test_peers_see_the_tokens_of_the_same_call_of_assay_bench(self) -> None:
        session = Session(program.parse(["--assay", sys.executable]))
        for point, index in ((FIRST, 0), (Point("prefill", 2048), 2), (Point("decode", 16), 3),
                             (DECODE, 2), (Point("decode", 1024, 8), 3)):
            self.assertEqual(session.seed(point, 5), draw.seed_of(5, index, 0))

    def test_every_system_has_a_peer_a_backend_and_pinned_requirements(self) -> None:
        for system in SYSTEMS + IMAGE_SYSTEMS + REFERENCE_SYSTEMS:
            self.assertIn(system.peer, PEERS)
        for name in PEERS:
            for line in install.wanted(name).splitlines():
                self.assertRegex(line, r"^#|==|^[A-Z_]+=")

    def test_offline_names_what_is_not_installed(self) -> None:
        with tempfile.TemporaryDirectory() as cache:
            with self.assertRaisesRegex(install.Missing, "not installed below"):
                install.install("torch", Path(cache), True)
            self.assertEqual(list(Path(cache).iterdir()), [])

    def test_an_installed_peer_is_used_as_it_is(self) -> None:
        with tempfile.TemporaryDirectory() as cache:
            place = install.venv(Path(cache), "torch")
            place.mkdir(parents=True)
            (place / "installed.txt").write_text(install.wanted("torch"))
            self.assertEqual(install.install("torch", Path(cache), True), place / "bin" / "python")
            (place / "installed.txt").write_text("torch==1\n")
            with self.assertRaises(install.Missing):
                install.install("torch", Path(cache), True)

    def test_a_failed_command_gives_its_last_error(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            log = Path(directory) / "log"
            with self.assertRaisesRegex(install.Missing, "ERROR: no such wheel .see .*log"):
                install.run(["sh", "-c", "echo ERROR: no such wheel; echo bye; exit 3"], log)

    def test_a_process_without_an_answer_gives_its_last_words(self) -> None:
        with self.assertRaisesRegex(processes.Failure, "^dead$"):
            processes.ask(["sh", "-c", "echo no json; echo dead >&2"], 10)
        with self.assertRaisesRegex(processes.Failure, "within 0.1 s"):
            processes.ask(["sleep", "10"], 0.1)
        self.assertEqual(processes.ask(["sh", "-c", "echo noise; echo '{\"a\": 1}'"], 10), {"a": 1})

    def test_one_peer_that_fails_leaves_the_others(self) -> None:
        with tempfile.TemporaryDirectory() as cache:
            options = program.parse(["--assay", sys.executable, "--cache", cache, "--offline",
                                     "--python", f"openvino={sys.executable}"])
            session = Session(options)
            answers = {"openvino": {"version": "1", "note": ""}}
            with mock.patch.object(processes, "ask", lambda command, s: answers[command[4]]), \
                    contextlib.redirect_stderr(io.StringIO()):
                session.install()
        self.assertEqual(list(session.pythons), ["openvino"])
        self.assertEqual([t.split(":")[0] for t in session.troubles],
                         ["torch", "llama.cpp", "mlx-lm"])

    def test_a_broken_point_is_not_asked_for_again(self) -> None:
        options = program.parse(["--assay", sys.executable])
        session, system = Session(options), SYSTEMS[0]
        session.pythons[system.peer] = Path("/nowhere/python")
        with contextlib.redirect_stderr(io.StringIO()):
            session.ask_peer(session.groups["f32"], system, PREFILL, 0)
        self.assertEqual(session.broken, {(system, PREFILL)})
        self.assertEqual(len(session.troubles), 1)

    def test_engines_and_words_may_be_of_one_group(self) -> None:
        options = program.parse(["--assay", sys.executable, "--engine", "fastpath",
                                 "--engine", "bf16:/a/b:c.so", "--engine", "c:d.so",
                                 "--bench-option=bf16:--compute"])
        session = Session(options)
        self.assertEqual(session.engines("f32"), ["fastpath", "c:d.so"])
        self.assertEqual(session.engines("bf16"), ["fastpath", "/a/b:c.so", "c:d.so"])
        self.assertEqual(options.bench_option, [("bf16", "--compute")])

    def test_arguments_that_mean_nothing_are_refused(self) -> None:
        for words, said in ((("--peer", "vllm"), "invalid choice"),
                            (("--group", "int3"), "invalid choice"),
                            (("--group", "f64", "--group", "f32"), "not with other groups"),
                            (("--group", "f64", "--batch", "8"), "not with other groups"),
                            (("--prompt", "0"), "expected a number above 0"),
                            (("--repeat", "-1"), "expected"),
                            (("--python", "torch"), "expected PEER=PYTHON"),
                            (("--python", "torch=/nowhere/python"), "/nowhere/python is no program"),
                            (("--assay", "/nowhere/assay"), "there is no /nowhere/assay")):
            self.assertIn(said, refusal(*words))

    def test_the_reference_engine_is_measured_alone(self) -> None:
        session = Session(program.parse(["--assay", sys.executable, "--group", "f64"]))
        self.assertEqual(session.engines("f64"), ["ref64"])
        self.assertEqual(session.known, REFERENCE_SYSTEMS)
        prompts = [Point("prefill", n) for n in (64, 512)]
        self.assertEqual(session.points, [FIRST, *prompts])
        self.assertEqual(session.asked_points(1), [*prompts, Point("decode", 1)])
        self.assertNotIn("f64", Session(program.parse(["--assay", sys.executable])).groups)

    def test_an_engine_that_is_not_there_is_named(self) -> None:
        with self.assertRaisesRegex(processes.Failure, "nosuch: there is no"):
            processes.find_engine(Path(sys.executable), "nosuch")

    def logits_behind(self, name: str, model: Path, n_ids: int, last: str) -> array.array:
        with tempfile.TemporaryDirectory() as directory:
            out = Path(directory) / "logits"
            processes.ask([sys.executable, "-m", "observatory.peers.ours", "--engine",
                           str(processes.find_engine(BUILD / "conformance" / "assay", name)),
                           "--model", str(model), "--tokens", f"1,2,{last}", "--out", str(out)], 60)
            return processes.read_floats(out, n_ids)[0]

    def test_logits_of_an_engine_come_through_the_abi(self) -> None:
        model = TOP / "fixtures" / "qwen3" / "base" / "model"
        n_ids = json.loads((model / "config.json").read_text())["vocab_size"]
        assay = BUILD / "conformance" / "assay"
        with tempfile.TemporaryDirectory() as directory:
            found = {}
            for name in ("ref64", "ref32"):
                with mock.patch.dict(os.environ, preloaded(processes.find_engine(assay, name))):
                    found[name] = processes.our_logits(assay, name, model, n_ids,
                                                       Path(directory) / "logits", 60)
                    other = [self.logits_behind(name, model, n_ids, last) for last in "34"]
        self.assertNotEqual(*other)  # logits are those of the last position, not of the first
        like = processes.likeness(found["ref64"][0], found["ref32"])
        self.assertLess(like.error, 1e-4)
        self.assertGreater(max(map(abs, found["ref64"][0])), 0.01)


if __name__ == "__main__":
    sys.exit(tap.run(Tests))
