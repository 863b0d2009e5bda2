"""Attacks assay serve over a checkpoint, and prints TAP.

    python3 -m scripts.serve ASSAY MODEL [--requests N] [--connections N] [--seed S] [--body-mib N] [--memory MIB] [--timeout SECONDS]
        [--engine ENGINE]

--requests: malformed ones. --body-mib: the largest body that is sent; the server takes a sixteenth of it. --memory: how far the
resident memory may grow after the first tenth of the malformed requests, and while large bodies are sent. --timeout: as that of
`assay serve`; clients that do nothing are awaited for that long. --engine: as that of `assay serve`.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import collections
import sys
from pathlib import Path

from . import attacks
from .running import Server

n_points = n_failed = 0


def point(wrong: list[str], name: str) -> None:
    global n_points, n_failed
    n_points += 1
    n_failed += bool(wrong)
    print(f"{'not ok' if wrong else 'ok'} {n_points} - {name}", flush=True)
    for line in wrong[:10]:
        print(f"# {line[:1000]}")
    if len(wrong) > 10:
        print(f"# and {len(wrong) - 10} more", flush=True)


def attack(server: Server, o: argparse.Namespace) -> None:
    bystander = attacks.Bystander(server)
    wrong: list[str] = []
    kinds: collections.Counter = collections.Counter()
    first = o.requests // 10
    with bystander.asking(wrong):
        wrong += attacks.malformed_requests(server, o.seed, 0, first, kinds)
        before = server.resident()
        wrong += attacks.malformed_requests(server, o.seed, first, o.requests - first, kinds)
        after = server.resident()
    point(wrong, f"{o.requests} malformed requests are refused, and other answers keep their bits")
    for kind, count in sorted(kinds.items()):
        print(f"#   {count:5d} {kind}")
    point([] if after < before + o.memory else [f"from {before:.0f} to {after:.0f} MiB"],
          f"they leave no memory behind: {before:.0f} and {after:.0f} MiB are resident")
    point(attacks.pipelined(server, bystander), "requests in one packet are answered in their order")
    point(attacks.crowd(server, bystander, o.connections), f"{o.connections} connections at once get the answers of one")
    point(attacks.half_open(server, bystander, max(8, o.connections // 10), o.seed),
          "clients that stop within a request, or vanish, leave nothing behind")
    seconds, wrong = attacks.release_time(server)
    point(wrong, f"a vanished client releases its sample after {seconds * 1e3:.0f} ms")
    point(attacks.slow_readers(server, bystander, 40), "40 clients that read nothing stop nobody, and are given up")
    before = server.resident()
    wrong = attacks.large_bodies(server, bystander, o.body_mib << 20)
    after = server.resident()
    point(wrong, f"bodies of {o.body_mib} MiB are refused")
    point([] if after < before + o.memory else [f"from {before:.0f} to {after:.0f} MiB"],
          f"without being kept: {before:.0f} and {after:.0f} MiB are resident")
    point(attacks.network(server, bystander), "images are not fetched from a network")
    point(attacks.idle(server) + bystander.differences(len(bystander.requests)), "the server is as it was at first")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("assay")
    parser.add_argument("model", type=Path)
    parser.add_argument("--requests", type=int, default=10000)
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--body-mib", type=int, default=1024)
    parser.add_argument("--memory", type=float, default=64)
    parser.add_argument("--timeout", type=float, default=3)
    parser.add_argument("--engine", default="fastpath")
    o = parser.parse_args()
    server = Server(o.assay, o.model, "m", "--engine", o.engine, "--max-tokens", "8", "--queue", "2000", "--timeout", str(o.timeout),
                    "--max-body", str(max(1, o.body_mib // 16)))
    try:
        attack(server, o)
        code, said = server.stop()
        point([] if code == 0 and not said else [f"status {code}", *said.splitlines()], "SIGTERM ends it with status 0 and without a word")
    finally:
        server.kill()
    print(f"1..{n_points}")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
