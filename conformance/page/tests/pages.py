"""The HTML reports in a headless Chromium: light and dark, narrow and wide, on paper; searched and filtered; with the names and texts of a hostile
engine. Elements are found by their ids, by the attributes that page.js reads, and by tags: no test knows the layout. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import browser
from scripts.tests import tap

TOP, BUILD = Path(os.environ["top_srcdir"]), Path(os.environ["top_builddir"])
ASSAY, ENGINE = BUILD / "conformance/assay", BUILD / "conformance/faults/faults.so"
WIDTHS, SCHEMES = (390, 1440), ("light", "dark")
MOST_BYTES = 1 << 20
MARKUP = "<script>window.injected=1<!--\"'><img src=x onerror=window.injected=2>&amp;\u202e\u0007\u009b]"
HOSTILE = '''\
import json, struct, sys
TEXT = {text!r}
while start := sys.stdin.buffer.read(16):
    n_header, n_body = struct.unpack("<4xIQ", start)
    request = json.loads(sys.stdin.buffer.read(n_header))
    sys.stdin.buffer.read(n_body)
    if request["call"] == "hello":
        answer = {{"protocol": 1, "name": TEXT, "version": TEXT, "logits": "F32", "can": []}}
    else:
        answer = {{"error": {{"status": "internal", "text": TEXT}}}}
    data = json.dumps({{"id": request["id"], **answer}}).encode()
    sys.stdout.buffer.write(b"ASAY" + struct.pack("<IQ", len(data), 0) + data)
    sys.stdout.buffer.flush()
'''

class HostileServer(BaseHTTPRequestHandler):
    """Every text of its answers is MARKUP."""

    def do_GET(self) -> None:
        self.answer({"object": "list", "data": [{"id": MARKUP, "object": "model", "created": 1, "owned_by": MARKUP}]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        choice = {"index": 0, "message": {"role": MARKUP, "content": MARKUP}, "text": MARKUP, "finish_reason": MARKUP, "logprobs": None}
        usage = {"prompt_tokens": -1, "completion_tokens": MARKUP, "total_tokens": 0}
        self.answer({"id": MARKUP, "object": MARKUP, "created": 1, "model": MARKUP, "choices": [choice], "usage": usage, MARKUP: MARKUP})

    def answer(self, value: object) -> None:
        data = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


VISIBLE = "[...document.querySelectorAll('tr[data-system]')].filter(row => !row.hidden)"
UNREADABLE = """(() => {
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
                                        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const color = parse(getComputedStyle(element).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('svg, script') || !element.checkVisibility()) continue;
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) found.add(element.tagName + '.' + element.className);
  }
  return [...found];
})()"""


EMPTY_COLUMNS = """[...document.querySelectorAll('table.failures')].flatMap(table => {
  const rows = [...table.tBodies[0].rows];
  return [...table.tHead.rows[0].cells].filter((head, i) => rows.every(row => !row.cells[i].textContent.trim())).map(head => head.textContent);
})"""


def run(*arguments: str | Path, fault: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, errors="replace", env={**os.environ, "ASSAY_FAULT": fault}, check=False)


class Pages(unittest.TestCase):
    place: Path
    pages: dict[str, Path]
    window: browser.Browser

    @classmethod
    def setUpClass(cls) -> None:
        cls.place = Path(tempfile.mkdtemp())
        cls.pages = {name: cls.place / f"{name}.html" for name in ("failing", "hostile", "located")} | {"scoreboard": TOP / "observatory/scoreboard.html"}
        run("run", "--engine", ENGINE, "--engine", "ref32", "--html", cls.pages["failing"], TOP / "fixtures/qwen3", TOP / "fixtures/olmo2",
            fault="window-wide")
        named = cls.place / f"{MARKUP.replace('/', '')}.so"
        shutil.copy(ENGINE, named)
        program = cls.place / "hostile.py"
        program.write_text(HOSTILE.format(text=MARKUP), encoding="utf-8")
        run("run", "--engine", named, "--engine", f"exec:{sys.executable} {program}", "--html", cls.pages["hostile"], TOP / "fixtures/qwen3/window",
            fault="window-wide")
        cases = shutil.copytree(TOP / "fixtures/qwen3/window", cls.place / MARKUP, symlinks=False)
        run("locate", "--engine", ENGINE, "--html", cls.pages["located"], cases / "single.h5", fault="window-wide")
        cls.make_others()
        cls.window = browser.Browser(browser.program() or "")

    @classmethod
    def make_others(cls) -> None:
        """The pages of the other commands, each with a failure."""
        cases = TOP / "fixtures/qwen3/window"
        cls.pages |= {name: cls.place / f"{name}.html" for name in ("probed", "kernels", "scheduled", "compared", "diffed")}
        server = ThreadingHTTPServer(("127.0.0.1", 0), HostileServer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        run("probe", f"http://127.0.0.1:{server.server_port}", "--truth", TOP / "fixtures/bundle/qwen3", "--quick", "--only", "protocol/chat/whole",
            "--only", "fields", "--html", cls.pages["probed"])
        server.shutdown()
        server.server_close()
        run("kernels", BUILD / "conformance/faults/kernels.so", "rms_norm", "--html", cls.pages["kernels"], fault="no-epsilon")
        run("schedule", "--engine", ENGINE, "--save", cls.place, "--html", cls.pages["scheduled"], TOP / "fixtures/qwen3/base/single.h5",
            fault="split-by-workers")
        run("diff", TOP / "fixtures/gemma/base/single.h5", TOP / "observatory/observations/gemma.h5/base/single.mlx-lm", "--html", cls.pages["diffed"])
        results = [cls.place / "before.json", cls.place / "after.json"]
        for path, fault in zip(results, ("", "window-wide"), strict=True):
            run("run", "--engine", ENGINE, "--json", path, cases, fault=fault)
        run("compare", *results, "--html", cls.pages["compared"])

    @classmethod
    def tearDownClass(cls) -> None:
        cls.window.close()
        shutil.rmtree(cls.place, ignore_errors=True)

    def setUp(self) -> None:
        self.window.problems.clear()

    def tearDown(self) -> None:
        self.assertEqual(self.window.problems, [])

    def failing(self) -> int:
        self.window.open(self.pages["failing"], 1440, "light")
        return int(self.window.run(f"{VISIBLE}.length"))

    def test_no_page_is_wider_than_its_window(self) -> None:
        for name, path in self.pages.items():
            for width in WIDTHS:
                for scheme in SCHEMES:
                    with self.subTest(f"{name} {width} {scheme}"):
                        self.window.open(path, width, scheme)
                        self.window.run("document.querySelectorAll('details').forEach(one => one.open = true)")
                        self.assertLessEqual(self.window.run("document.documentElement.scrollWidth"), width)
                        self.assertGreater(self.window.run("document.body.innerText.trim().length"), 200)

    def test_texts_have_contrast(self) -> None:
        for name, path in self.pages.items():
            for scheme in SCHEMES:
                with self.subTest(f"{name} {scheme}"):
                    self.window.open(path, 1440, scheme)
                    self.assertEqual(self.window.run(UNREADABLE), [])

    def test_dark_and_light_differ(self) -> None:
        colors = set()
        for scheme in SCHEMES:
            self.window.open(self.pages["failing"], 1440, scheme)
            colors.add(self.window.run("getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(len(colors), 2)

    def test_paper_has_all_but_the_controls(self) -> None:
        self.failing()
        self.window.show_as("print", "light")
        for control in ("search", "filter"):
            self.assertEqual(self.window.run(f"document.getElementById('{control}').checkVisibility()"), False, control)
        self.assertTrue(self.window.pdf().startswith(b"%PDF"))
        self.window.show_as("screen", "light")

    def test_paper_cuts_nothing_off(self) -> None:
        """A sheet of A4 is 794 pixels wide, and its margins leave 718."""
        for name, path in self.of_commands():
            with self.subTest(name):
                self.window.open(path, 718, "light")
                self.window.show_as("print", "light")
                self.assertLessEqual(self.window.run("document.documentElement.scrollWidth"), 718)
                cells = "[...document.querySelectorAll('.failures > tbody > tr > td')].filter(cell => cell.checkVisibility())"
                self.assertEqual(self.window.run(f"{cells}.filter(cell => cell.clientWidth < 80).length"), 0)
                self.assertEqual(self.window.run("[...document.querySelectorAll('figure, tr')].filter(one => "
                                                 "getComputedStyle(one).breakInside !== 'avoid').length"), 0)
                self.window.show_as("screen", "light")

    def of_commands(self) -> list[tuple[str, Path]]:
        return [(name, path) for name, path in self.pages.items() if name != "scoreboard"]

    def test_no_column_is_empty(self) -> None:
        for name in ("probed", "kernels", "scheduled", "compared"):
            with self.subTest(name):
                self.window.open(self.pages[name], 1440, "light")
                self.assertEqual(self.window.run(EMPTY_COLUMNS), [])

    def test_failures_are_apart_and_numbers_have_units_in_a_narrow_window(self) -> None:
        for name, path in self.of_commands():
            with self.subTest(name):
                self.window.open(path, 390, "dark")
                self.window.run("document.querySelectorAll('details').forEach(one => one.open = true)")
                rows = "[...document.querySelectorAll('.failures > tbody > tr')].filter(row => row.checkVisibility())"
                self.assertEqual(self.window.run(f"{rows}.filter(row => parseFloat(getComputedStyle(row).borderBottomWidth) === 0).length"), 0)
                self.assertEqual(self.window.run("[...document.querySelectorAll('td.error')].filter(cell => cell.textContent && "
                                                 "!getComputedStyle(cell, '::after').content.includes('times the bound')).length"), 0)

    def test_no_verdict_is_in_a_colour_alone(self) -> None:
        for name, path in self.of_commands():
            with self.subTest(name):
                self.window.open(path, 1440, "light")
                self.assertEqual(self.window.run("[...document.querySelectorAll('td.failed')].map(cell => cell.textContent)"
                                                 ".filter(text => !/[a-z!✗]/.test(text))"), [])
                self.assertEqual(self.window.run("[...document.querySelectorAll('svg .over')].filter(mark => !mark.getAttribute('stroke-dasharray')).length"), 0)
                self.assertEqual(self.window.run("[...document.querySelectorAll('svg')].filter(one => one.querySelector('.limit') && "
                                                 "![...one.querySelectorAll('text')].some(text => text.textContent.startsWith('bound'))).length"), 0)

    def test_each_failing_row_of_a_probe_has_its_exchange_with_what_is_wrong(self) -> None:
        self.window.open(self.pages["probed"], 1440, "light")
        failed = "[...document.querySelectorAll('.failures > tbody > tr')].filter(row => row.querySelector('td.failed'))"
        self.assertGreater(self.window.run(f"{failed}.length"), 10)
        self.assertEqual(self.window.run(f"{failed}.filter(row => !row.querySelector(':scope details summary')?.textContent.startsWith('Exchange ')).length"), 0)
        marked = self.window.run(f"{failed}.map(row => row.querySelector(':scope details pre').textContent.split('>>>').at(-1).split('<<<')[0])")
        self.assertTrue(any(text.startswith('"role"') for text in marked))

    def test_a_comparison_shows_the_errors_before(self) -> None:
        self.window.open(self.pages["compared"], 1440, "light")
        outlined, filled = (self.window.run(f"document.querySelectorAll('svg rect.{kind}').length") for kind in ("other", "mark"))
        self.assertEqual(outlined, filled)
        self.assertGreater(outlined, 1)

    def test_a_timeline_marks_the_step_that_differs(self) -> None:
        self.window.open(self.pages["scheduled"], 1440, "light")
        self.assertEqual(self.window.run("document.querySelectorAll('svg rect.over').length"), 1)

    def test_a_search_shows_the_failures_with_its_words(self) -> None:
        n = self.failing()
        self.assertGreater(n, 3)

        def search(text: str) -> int:
            return int(self.window.run(f"(() => {{ const box = document.querySelector('#search input'); box.value = {text!r}; "
                                       f"box.dispatchEvent(new Event('input')); return {VISIBLE}.length; }})()"))
        self.assertEqual(search("window/single LOGITS"), 1)
        self.assertEqual(self.window.run("document.querySelector('#search output').textContent"), "1 found")
        self.assertTrue(self.window.run(f"{VISIBLE}[0].checkVisibility()"))
        self.assertEqual(search("no such failure"), 0)
        self.assertEqual(search(""), n)

    def test_a_cell_shows_the_failures_that_it_counts(self) -> None:
        n = self.failing()
        cell = "[...document.querySelectorAll('td.failed a')].find(link => link.hash.endsWith('/property/window'))"
        self.window.run(f"{cell}.click()")
        self.window.run("new Promise(done => setTimeout(done, 100))")
        shown = self.window.run(f"{VISIBLE}.map(row => row.dataset.property)")
        self.assertEqual(set(shown), {"window"})
        self.assertLess(len(shown), n)
        self.assertIn(str(len(shown)), self.window.run(f"{cell}.textContent"))
        self.assertTrue(self.window.run("document.getElementById('filter').checkVisibility()"))
        self.window.run("document.querySelector('#filter a').click()")
        self.window.run("new Promise(done => setTimeout(done, 100))")
        self.assertEqual(self.window.run(f"{VISIBLE}.length"), n)
        self.assertFalse(self.window.run("document.getElementById('filter').checkVisibility()"))

    def test_texts_of_engines_and_names_of_files_stay_texts(self) -> None:
        for name, n_least in (("hostile", 4), ("located", 1), ("probed", 4)):
            with self.subTest(name):
                self.window.open(self.pages[name], 1440, "light")
                self.assertIsNone(self.window.run("window.injected"))
                self.assertEqual(self.window.run("[document.scripts.length, document.images.length]"), [1, 0])
                said = self.window.run("document.body.textContent")
                self.assertGreaterEqual(said.count(MARKUP.partition("\u202e")[0]), n_least)
                self.assertEqual([character for character in "\u202e\u0007\u009b" if character in said], [])

    def test_pages_are_small_and_name_no_other_file(self) -> None:
        for name, path in self.pages.items():
            with self.subTest(name):
                self.window.open(path, 1440, "light")
                self.assertEqual(self.window.run("performance.getEntriesByType('resource').map(one => one.name)"), [])
                if name != "scoreboard":
                    self.assertLess(path.stat().st_size, MOST_BYTES)


if __name__ == "__main__":
    sys.exit(tap.run(Pages))
