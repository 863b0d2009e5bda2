"""Starts assay serve on a trained checkpoint, asks it over HTTP, and stops it. Prints TAP.

The answers that are expected are those of fixtures/trained/qwen3/dialogues.json, which a published system gave.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import math
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from scripts.serve import running
from scripts.serve.running import fold, waits_for

ASSAY, TOP = sys.argv[1], Path(sys.argv[2])
TEMPLATE = """{%- for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
QUESTION = {"model": "qwen3", "messages": [{"role": "user", "content": "What is 3 + 4?"}], "max_tokens": 64,
            "temperature": 0}
LONG = {"model": "qwen3", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1500, "ignore_eos": True}

n_points = 0
model = ""


def point(passed: bool, name: str, found: object = "") -> None:
    global n_points
    n_points += 1
    print(f"{'ok' if passed else 'not ok'} {n_points} - {name}", flush=True)
    if not passed:
        for line in str(found).splitlines()[:20]:
            print(f"# {line}")


class Server(running.Server):
    """assay serve over the checkpoint, as qwen3."""

    def __init__(self, *options: str, environment: dict[str, str] | None = None, n_files: int | None = None) -> None:
        super().__init__(ASSAY, Path(model), "qwen3", *options, environment=environment, n_files=n_files)


def events(content: bytes) -> list[dict[str, Any]]:
    lines = [line[6:] for line in content.decode().splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def whole_answers(server: Server) -> None:
    status, content = server.ask("POST", "/v1/chat/completions", QUESTION)
    answer = json.loads(content)
    choice = answer["choices"][0]
    message = choice["message"]
    point(status == 200 and message["content"] == "It is 7." and message["reasoning_content"].strip() == "3 and 4 make 7.",
          "a chat is answered as the published system does", content)
    point(choice["finish_reason"] == "stop" and
          answer["usage"] == {"prompt_tokens": 16, "completion_tokens": 18, "total_tokens": 34},
          "its usage counts every token", content)
    status, content = server.ask("POST", "/v1/chat/completions", {**QUESTION, "stream": True})
    text = "".join(e["choices"][0]["delta"].get("content") or "" for e in events(content) if e["choices"])
    point(status == 200 and text == "It is 7." and content.rstrip().endswith(b"data: [DONE]"), "so is one that streams",
          content)
    status, content = server.ask("POST", "/v1/messages", QUESTION)
    text = [block["text"] for block in json.loads(content)["content"] if block["type"] == "text"]
    point(status == 200 and text == ["It is 7."], "messages are answered", content)
    status, content = server.ask("POST", "/v1/responses", {"model": "qwen3", "input": "What is 3 + 4?", "max_output_tokens": 64, "temperature": 0})
    text = [part["text"] for item in json.loads(content)["output"] if item["type"] == "message" for part in item["content"]]
    point(status == 200 and text == ["It is 7."], "responses are answered", content)
    prompt = "<|im_start|>user\nWhat is 3 + 4?<|im_end|>\n<|im_start|>assistant\n"
    status, content = server.ask("POST", "/v1/completions", {"model": "qwen3", "prompt": prompt, "max_tokens": 64, "temperature": 0})
    text = json.loads(content)["choices"][0]["text"]
    point(status == 200 and text.endswith("</think>\n\nIt is 7."), "a completion is the text as it is", content)


def errors(server: Server) -> None:
    status, content = server.ask("POST", "/v1/chat/completions", {**QUESTION, "model": "gpt-4"})
    point(status == 404 and json.loads(content)["error"]["param"] == "model", "another model is not found", content)
    connection = server.connect()
    connection.request("POST", "/v1/messages", '{"model": ')
    answer = connection.getresponse()
    content = answer.read()
    point(answer.status == 400 and json.loads(content)["type"] == "error", "invalid JSON is refused as the protocol says",
          content)
    point(server.ask("GET", "/v1/nothing")[0] == 404 and server.ask("GET", "/v1/messages")[0] == 405,
          "so are other paths and methods")
    status, content = server.ask("POST", "/v1/chat/completions", {**QUESTION, "logit_bias": {"5": 100}})
    point(status == 400 and b"logit_bias" in content, "a member that is not supported is refused by name", content)


def plain_answers(server: Server) -> None:
    status, content = server.ask("GET", "/v1/models")
    point(status == 200 and json.loads(content)["data"][0]["id"] == "qwen3", "the model is listed", content)
    point(server.ask("GET", "/v1/models/qwen3")[0] == 200 and server.ask("GET", "/v1/models/other")[0] == 404,
          "and found by its name")
    point(server.ask("GET", "/health")[0] == 200, "the server is healthy")
    point(server.metric("assay_completion_tokens_total") > 0 and server.metric("assay_running_samples") == 0,
          "tokens are counted")


SAMPLE = re.compile(r'([a-z_]+)(?:\{([a-z]+="[^"\\\\]*"(?:,[a-z]+="[^"\\\\]*")*)\})? (-?[0-9.]+)')


def metrics(server: Server) -> None:
    """The text format 0.0.4 of Prometheus: each sample follows HELP and TYPE of its metric; the buckets of a histogram only grow."""
    lines = server.ask("GET", "/metrics")[1].decode().splitlines()
    wrong, kinds, values = [], {}, {}
    for line in lines:
        if line.startswith("# TYPE "):
            kinds[line.split()[2]] = line.split()[3]
        elif not line.startswith("# HELP "):
            match = SAMPLE.fullmatch(line)
            name = re.sub(r"_(bucket|sum|count)$", "", match.group(1)) if match else ""
            if not match or kinds.get(match.group(1), kinds.get(name)) not in ("counter", "gauge", "histogram"):
                wrong.append(line)
            else:
                values[line.rsplit(" ", 1)[0]] = float(match.group(3))
    histograms = [name for name, kind in kinds.items() if kind == "histogram"]
    for name in histograms:
        buckets = [value for sample, value in values.items() if sample.startswith(name + "_bucket")]
        if buckets != sorted(buckets) or buckets[-1] != values[name + "_count"] or values[name + "_count"] < 1 or values[name + "_sum"] <= 0:
            wrong.append(f"{name}: {buckets}, {values[name + '_count']}")
    point(len(histograms) == 3 and not wrong, "metrics have the text format of Prometheus, and times are counted", "\n".join(wrong))


def logprobs(server: Server) -> None:
    """Of the whole vocabulary, for generated tokens and for those of the prompt."""
    status, content = server.ask("POST", "/v1/chat/completions", {**QUESTION, "max_tokens": 2, "logprobs": True, "top_logprobs": -1})
    entries = json.loads(content)["choices"][0]["logprobs"]["content"]
    sums = [sum(math.exp(top["logprob"]) for top in entry["top_logprobs"]) for entry in entries]
    n = {len(entry["top_logprobs"]) for entry in entries}
    ids = {top["id"] for top in entries[0]["top_logprobs"]}
    point(status == 200 and len(sums) == 2 and all(abs(s - 1) < 1e-9 for s in sums) and n == {len(ids)} and len(ids) > 400,
          "logprobs may be those of the whole vocabulary", (sums, n))
    status, content = server.ask("POST", "/v1/completions", {"model": "qwen3", "prompt": [10, 11, 12], "max_tokens": 1, "prompt_logprobs": -1,
                                                             "temperature": 0, "logprobs": 1})
    rows = json.loads(content)["choices"][0]["prompt_logprobs"]
    sums = [sum(math.exp(top["logprob"]) for top in row.values()) for row in rows[1:]]
    point(status == 200 and rows[0] is None and len(rows) == 3 and all(abs(s - 1) < 1e-9 for s in sums), "so may those of a prompt", (rows[0], sums))
    status, content = server.ask("POST", "/v1/completions", {"model": "qwen3", "prompt": [10], "max_tokens": 2000, "n": 2, "logprobs": -1})
    point(status == 413 and b"logprobs" in content, "their number is bounded", content)


def many_at_once(server: Server) -> None:
    """Answers at once are the same as answers alone."""
    def body(i: int) -> dict[str, Any]:
        return {**QUESTION, "messages": [{"role": "user", "content": f"What is {i} + 8?"}], "stream": i % 2 == 0,
                "temperature": (i % 3) / 2, "seed": i}

    alone = [fold(server.ask("POST", "/v1/chat/completions", body(i))[1]) for i in range(8)]
    before = server.metric("assay_batched_steps_total")
    found: list[Any] = [None] * 32

    def ask(i: int) -> None:
        found[i] = fold(server.ask("POST", "/v1/chat/completions", body(i % 8))[1])

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wrong = [i for i in range(32) if found[i] != alone[i % 8]]
    point(not wrong, "32 answers at once are those that each request gets alone", wrong and (found[wrong[0]], alone[wrong[0] % 8]))
    point(server.metric("assay_batched_steps_total") > before, "they are evaluated in batches")


def vanished_client(server: Server) -> None:
    before = server.metric("assay_abandoned_total")
    for stream in (True, False):
        connection = server.connect()
        connection.request("POST", "/v1/chat/completions", json.dumps({**LONG, "stream": stream}))
        running = waits_for(lambda: server.metric("assay_running_samples") == 1)
        connection.sock.close() if connection.sock else None
        connection.close()
        gone = waits_for(lambda: server.metric("assay_running_samples") == 0, 30)
        point(running and gone, f"the sample of a vanished client leaves ({'a stream' if stream else 'a whole answer'})")
    point(server.metric("assay_abandoned_total") == before + 2, "and is counted")


def slow_server() -> None:
    """The reference engine, which evaluates the whole sample in each step."""
    server = Server("--engine", "ref64")
    vanished_client(server)
    server.stop()


def ending() -> None:
    server = Server("--engine", "ref64")
    results: list[tuple[int, bytes]] = []
    thread = threading.Thread(target=lambda: results.append(server.ask("POST", "/v1/chat/completions",
                                                                       {**LONG, "max_tokens": 500})))
    thread.start()
    waits_for(lambda: server.metric("assay_running_samples") == 1)
    server.process.send_signal(signal.SIGTERM)
    stopping = waits_for(lambda: server.ask("GET", "/health")[0] == 503)
    refused, _ = server.ask("POST", "/v1/chat/completions", QUESTION)
    point(stopping and refused == 503 and thread.is_alive(), "SIGTERM refuses new requests", (stopping, refused))
    thread.join()
    point(bool(results) and results[0][0] == 200 and json.loads(results[0][1])["usage"]["completion_tokens"] == 500,
          "and lets those in progress finish", results)
    _, error = server.process.communicate(timeout=120)
    point(server.process.returncode == 0, "and ends with 0", (server.process.returncode, error))
    server = Server("--engine", "ref64")
    connection = server.connect()
    connection.request("POST", "/v1/chat/completions", json.dumps(LONG))
    waits_for(lambda: server.metric("assay_running_samples") == 1)
    server.process.send_signal(signal.SIGTERM)
    waits_for(lambda: server.ask("GET", "/health")[0] == 503)
    code, error = server.stop(signal.SIGTERM)
    answer = connection.getresponse()
    point(code == 0 and answer.status == 503, "a second signal ends them, too", (code, answer.status, error))


def few_files() -> None:
    """More connections than the server may have files open."""
    server = Server(n_files=20)
    sockets = [server.dial(30) for _ in range(30)]
    for one in sockets:
        one.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    answered = [one.recv(15) for one in sockets]
    point(answered == [b"HTTP/1.1 200 OK"] * len(answered), "with 20 open files 30 connections are answered, one after the other", answered)
    held = [server.dial(30) for _ in range(30)]
    for one in [*sockets, *held]:
        one.close()
    status, _ = server.ask("POST", "/v1/chat/completions", QUESTION)
    code, error = server.stop()
    point((status, code, error) == (200, 0, ""), "it goes on after connections that said nothing, and ends", (status, code, error))


def refusals() -> None:
    ended = subprocess.run([ASSAY, "serve", "--model", model, "--host", "0.0.0.0", "--port", "0"], capture_output=True,
                         text=True, timeout=120, check=False)
    point(ended.returncode == 2 and "0.0.0.0" in ended.stderr and "--api-key-env" in ended.stderr, "a public address needs a key", ended)
    ended = subprocess.run([ASSAY, "serve", "--model", model, "--api-key-env", "ASSAY_NO_SUCH_KEY"], capture_output=True,
                         text=True, timeout=120, check=False)
    point(ended.returncode == 2 and "ASSAY_NO_SUCH_KEY" in ended.stderr, "a variable without a key is refused", ended)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = subprocess.run([ASSAY, "serve", "--model", model, "--port", str(taken.getsockname()[1])],
                             capture_output=True, text=True, timeout=120, check=False)
    point(ended.returncode == 99 and "in use" in ended.stderr, "so is a port that is in use", ended)


def other_servers() -> None:
    server = Server("--api-key-env", "ASSAY_TEST_KEY", environment={"ASSAY_TEST_KEY": "k3y"})
    without, _ = server.ask("POST", "/v1/chat/completions", QUESTION)
    with_key, _ = server.ask("POST", "/v1/chat/completions", QUESTION, {"Authorization": "Bearer k3y"})
    point((without, with_key) == (401, 200), "requests need the key", (without, with_key))
    code, error = server.stop()
    point(code == 0, "a server with a key ends", error)
    server = Server("--engine", "ref64", "--samples", "1", "--queue", "1")
    connections = [server.connect() for _ in range(6)]
    for connection in connections:
        connection.request("POST", "/v1/chat/completions", json.dumps({**QUESTION, "max_tokens": 12}))
    statuses = sorted(connection.getresponse().status for connection in connections)
    point(statuses[0] == 200 and statuses[-1] == 429, "a full queue answers 429", statuses)
    server.stop()


def make_model(directory: Path) -> None:
    """The trained checkpoint, with a chat template, which it lacks."""
    for file in (TOP / "fixtures/trained/qwen3/model").iterdir():
        (directory / file.name).symlink_to(file)
    (directory / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")


def run() -> None:
    server = Server()
    try:
        whole_answers(server)
        errors(server)
        plain_answers(server)
        metrics(server)
        logprobs(server)
        many_at_once(server)
    finally:
        code, error = server.stop()
    point(code == 0 and not error, "SIGTERM ends an idle server", (code, error))
    other_servers()
    slow_server()
    ending()
    few_files()
    refusals()


def main() -> int:
    global model
    with tempfile.TemporaryDirectory() as directory:
        model = directory
        make_model(Path(directory))
        run()
    print(f"1..{n_points}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
