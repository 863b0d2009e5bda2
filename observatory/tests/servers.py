"""Tests of observatory/servers that need no published server: starting and stopping, recorded exchanges, the table. Prints TAP."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from observatory.servers import exchanges, install, load, models, report, requests, running, shape, speed, systems
from scripts.tests import tap

STUB = """
import http.server, sys
class Stub(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'{"data": [{"id": "/private/bundle"}]}'
        self.send_response(200); self.send_header("content-length", str(len(body))); self.end_headers()
        self.wfile.write(body)
    def do_POST(self):
        asked = self.rfile.read(int(self.headers["content-length"]))
        self.send_response(418); self.send_header("content-type", "text/plain"); self.end_headers()
        self.wfile.write(asked[:4]); self.wfile.flush()
        self.wfile.write(asked[4:])
    def log_message(self, *_): pass
print("Error: one that is only printed", flush=True)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Stub).serve_forever()
"""

STREAM = """
import http.server, json, sys, time
class Stub(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("content-length", "0"); self.end_headers()
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        n, n_sent = len(asked["prompt"]), asked["max_tokens"] - (asked["prompt"][0] == 0)
        self.send_response(200); self.end_headers()
        for i in range(n_sent):
            time.sleep({0: 0.2, 3: 0.1}.get(i, 0))
            text = "a" if i != 1 else ""
            self.wfile.write(b"data: " + json.dumps({"choices": [{"text": text}]}).encode() + b"\\n\\n")
        if n > 1:
            usage = {"prompt_tokens": n, "completion_tokens": n_sent}
            self.wfile.write(b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\\n\\n")
        self.wfile.write(b"data: [DONE]\\n\\n")
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Stub).serve_forever()
"""


def stub(*program: str) -> systems.Server:
    return systems.Server("stub", "stub", "newer", lambda _, model, port: [sys.executable, *program, str(port)], ())


def finding(check: str, verdict: str, grade: str = "breaks", **more: object) -> report.Finding:
    return {"check": check, "verdict": verdict, "grade": grade, "text": f"{check} is {verdict}", **more}


def result(server: str, family: str, *findings: report.Finding) -> report.Result:
    return report.Result(server, family, "", {"findings": list(findings)})


class Tests(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        (self.place / "stub.py").write_text(STUB)
        (self.place / "stream.py").write_text(STREAM)

    def run_stub(self, *program: str) -> running.contextlib.AbstractContextManager[str]:
        return running.running(stub(*program), self.place, self.place / "model", self.place / "log" / "server.log")

    def test_a_server_is_started_and_stopped(self) -> None:
        with self.run_stub(str(self.place / "stub.py")) as url:
            self.assertEqual(requests.served_name(url), "/private/bundle")
        self.assertFalse(running.answers(url + "/v1/models"))

    def test_a_server_that_ends_is_reported_in_its_own_words(self) -> None:
        (self.place / "fails.py").write_text("raise ValueError('no such head size')")
        with self.assertRaisesRegex(running.Silent, "status 1: ValueError: no such head size"):
            with self.run_stub(str(self.place / "fails.py")):
                pass

    def test_a_silent_server_is_stopped(self) -> None:
        (self.place / "sleeps.py").write_text("import time; print('loading', flush=True); time.sleep(600)")
        started = time.monotonic()
        with mock.patch.object(running, "STARTS", 0.2), self.assertRaisesRegex(running.Silent, "within 0.2 s"):
            with self.run_stub(str(self.place / "sleeps.py")):
                pass
        self.assertLess(time.monotonic() - started, 60)

    def test_an_exchange_is_a_line_without_private_paths(self) -> None:
        archive, asked = self.place / "new" / "saved.jsonl", b'{"a": "\xc3\xbc"}'
        exchanges.create(archive)
        with self.run_stub(str(self.place / "stub.py")) as url:
            exchanges.record(archive, url, "chat/plain", "/v1/chat/completions", asked, "/private/")
            exchanges.record(archive, url, "chat/bytes", "/v1/chat/completions", b"\xff", "/private/")
            exchanges.record(archive, url, "models", "/v1/models", None, "/private/")
        run, plain, other, models_line = map(json.loads, archive.read_text(encoding="utf-8").split("\n")[:-1])
        self.assertEqual(run, {"schema": exchanges.SCHEMA, "url": "http://127.0.0.1"})
        self.assertEqual((plain["request"], plain["response"]), (asked.decode(), asked.decode()))
        self.assertEqual((plain["label"], plain["status"], plain["end"], plain["content_type"], plain["get"]),
                         ("chat/plain", 418, "answered", "text/plain", False))
        self.assertEqual(plain["arrivals"][-1][0], 11)
        self.assertEqual((other["request_base64"], other["response_base64"]), ("/w==", "/w=="))
        self.assertEqual((models_line["request"], models_line["response"]), ("", '{"data": [{"id": "bundle"}]}'))

    def test_a_refused_connection_is_an_end(self) -> None:
        head, body = exchanges.exchange(f"http://127.0.0.1:{running.free_port()}", "/", None)
        self.assertEqual((head["status"], body), (0, b""))
        self.assertIn("ConnectionRefusedError", head["why"])

    def test_the_table_has_the_worse_of_both_families(self) -> None:
        lines, passed = report.table([result("one", "a", finding("x/chat", "ok"), finding("x/chat", "failed", "habit")),
                                      result("one", "b", finding("x/chat", "failed", "departs"), finding("y", "not offered")),
                                      result("two", "a", finding("x/chat", "ignored"), finding("y", "not exercised"))])
        self.assertEqual((lines, passed), (["| check | one | two |", "|---|---|---|", "| x/chat | departs | breaks |"], ["y"]))

    def test_reports_on_groups_are_joined(self) -> None:
        parts = [{"url": "u", "findings": [finding("discovery/chat", "ok"), finding("text/chat", "ok")]},
                 {"url": "v", "findings": [finding("discovery/chat", "failed"), finding("batching/warm", "ok")]}]
        found = report.joined(parts)
        self.assertEqual((found["url"], [one["check"] for one in found["findings"]]),
                         ("u", ["discovery/chat", "text/chat", "batching/warm"]))

    def test_a_row_has_the_worst_of_all_that_is_asked(self) -> None:
        lines, _ = report.table([result("one", "a", finding("protocol/chat/whole/stop/usage", "ok"),
                                        finding("protocol/chat/whole/limit/usage", "failed", "departs"))])
        self.assertEqual(lines[2:], ["| protocol/chat/whole/usage | departs |"])

    def test_a_breach_has_its_rule_and_its_evidence(self) -> None:
        text = report.markdown([result("one", "a", finding("x", "failed", "departs", rule="role", event=3, byte=17),
                                       finding("protocol/chat/whole/stop/usage", "failed"), finding("z", "ok"),
                                       finding("protocol/chat/whole/limit/usage", "failed")),
                                report.Result("one", "b", "ends with | status 1", None)], {"one": "pack 1.0"})
        self.assertIn("| one | pack 1.0 | 2 breaks, 1 departs, 1 ok | ends with \\| status 1 |\n", text)
        self.assertIn("- **breaks** protocol/chat/whole/usage: stop: protocol/chat/whole/stop/usage is failed (one)\n"
                      "- **departs** x, rule `role`: x is failed (one)\n", text)
        self.assertIn("for: z.", text)
        self.assertNotIn("z is ok", text)

    def test_breaches_of_one_kind_and_evidence_are_one_item(self) -> None:
        seen = {"text": "status 200"}
        found = report.breaches([result(server, "a", {**finding(check, "ignored", "departs"), **seen}) for server in ("one", "two") for check in ("x", "y")])
        self.assertEqual(report.items(found), ["- **ignored** x, y: status 200 (one, two)"])

    def test_the_exit_status_is_that_of_a_probe(self) -> None:
        silent = report.Result("one", "b", "ends", None)
        sound = result("one", "a", finding("x", "ok"), finding("y", "failed", "habit"), finding("z", "not offered"))
        self.assertEqual([report.status(some) for some in ([silent], [sound, silent], [sound, result("two", "a", finding("x", "ignored"))])],
                         [77, 0, 1])

    def test_each_server_has_pinned_requirements(self) -> None:
        for server in systems.SERVERS:
            pinned = [line.removeprefix(install.ALONE).split("==")[0].split("[")[0]
                      for line in install.wanted(server.package).splitlines()]
            self.assertTrue(set(pinned) & set(server.made_of), server.name)
            self.assertIn(server.form, models.FORMS)

    def test_requests_cover_the_endpoints_whole_and_streamed(self) -> None:
        for family in models.FAMILIES:
            made = requests.requests(models.BUNDLE / family, "m")
            self.assertEqual(len({one.label for one in made}), len(made))
            paths = {one.path for one in made}
            self.assertEqual(paths, {"/v1/models", "/v1/chat/completions", "/v1/completions", "/v1/messages", "/v1/responses"})
            bodies = {one.label: json.loads(one.body) for one in made if one.body and one.label != "errors/malformed"}
            called = bodies["chat/result"]["messages"][1]["tool_calls"][0]["function"]["arguments"]
            self.assertIsInstance(json.loads(called), dict)
            self.assertTrue(bodies["messages/limit-stream"]["stream"])

    def test_requests_are_sent_at_once_and_timed_to_their_first_text(self) -> None:
        with self.run_stub(str(self.place / "stream.py")) as url:
            found = load.measure(url, "m", [[1, 2], [3, 4], [5, 6]], 4)
        self.assertGreaterEqual(found.first, 0.2)
        self.assertGreaterEqual(found.worst, found.first)
        self.assertGreater(found.speed, 3 * 4 / (3 * 0.3))  # faster than one after the other
        self.assertGreaterEqual(found.pause, 0.1)

    def test_an_answer_of_another_length_or_without_usage_is_refused(self) -> None:
        with self.run_stub(str(self.place / "stream.py")) as url:
            with self.assertRaisesRegex(running.Silent, "counts 2 tokens of a prompt of 2, and 3 generated ones of 4"):
                load.measure(url, "m", [[1, 2], [0, 2]], 4)
            with self.assertRaisesRegex(running.Silent, "no usage"):
                load.measure(url, "m", [[1]], 4)
        with self.assertRaisesRegex(running.Silent, "ConnectionRefusedError"):
            load.measure(url, "m", [[1, 2]], 4)

    def test_a_tokenizer_is_stretched_to_the_vocabulary(self) -> None:
        document = shape.stretched(json.loads((shape.SOURCE / "tokenizer.json").read_text()), 1000)
        vocab = document["model"]["vocab"]
        ids = {*vocab.values(), *(token["id"] for token in document["added_tokens"])}
        self.assertEqual(ids, set(range(1000)))

    def test_the_ratio_is_that_to_the_best_peer(self) -> None:
        words = ["--assay", sys.executable, "--requests", "8", "--repeat", "2"]
        group = speed.Group(speed.parse(words), "f32")
        group.loads = {("assay serve", 8): [load.Load(50, 3, 4, 1), load.Load(60, 2, 5, 1)],
                       ("one", 8): [load.Load(20, 9, 9, 3)] * 2, ("two", 8): [load.Load(30, 1, 10, 2)] * 2}
        rows = list(group.rows())
        self.assertEqual(rows[0][3:], ["assay serve", "one", "two", "assay serve / best peer"])
        self.assertEqual([row[3:] for row in rows[1:]], [["60.0", "20.0", "30.0", "2.00"], ["2.00", "9.00", "1.00", "**0.50**"],
                                                         ["4.00", "9.00", "10.0", "2.25"], ["1.00", "3.00", "2.00", "2.00"]])


if __name__ == "__main__":
    os.chdir(os.environ["top_srcdir"])
    sys.exit(tap.run(Tests))
