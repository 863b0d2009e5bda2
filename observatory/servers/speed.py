"""Compares the throughput of `assay serve` with llama.cpp's server on the same random weights, and prints tables in Markdown.

    python -m observatory.servers.speed --assay build/conformance/assay
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..peers import draw
from ..peers.__main__ import count
from ..peers.machine import assay_version, flags, processor
from ..peers.table import grid, number, ratio_text
from . import load, shape
from .__main__ import USUAL_CACHE, named_versions
from .install import Missing, install
from .requests import served_name
from .running import Silent, running
from .systems import Command, Server, llama_cpp

WARM = (16, 4)  # tokens of the prompt and of the answer of a request that is not timed, before each measurement
THREADS = len(os.sched_getaffinity(0))
OURS = "assay serve"
NATIVE = ", native"  # ends the names of the peers that --llama-server adds


class Kind(NamedTuple):
    """A group of tables. compute: of assay serve. twin: type of the GGUF file. peers: name, KV cache and further options."""
    compute: str
    twin: str
    peers: tuple[tuple[str, str, tuple[str, ...]], ...]
    note: str


# llama.cpp's fused attention is measured beside its plain one where caches are float32; the faster of both is the peer.
KINDS = {
    "f32": Kind("f32", "F32", (("llama.cpp", "f32", ()), ("llama.cpp plain", "f32", ("--plain-attention",))),
                "weights and caches f32 in all; plain: without llama.cpp's fused attention"),
    "bf16": Kind("bf16", "BF16", (("llama.cpp", "f16", ()),),
                 "weights bf16; cache bf16 in assay serve, f16 in llama.cpp"),
    "8-bit": Kind("int8", "Q8_0", (("llama.cpp", "f16", ()),),
                  "8-bit groups of 64 in assay serve, Q8_0 in llama.cpp; cache bf16 in assay serve, f16 in llama.cpp"),
}


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench-servers", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--assay", type=Path, required=True, help="the program (default: of the build directory)")
    add("--group", action="append", choices=KINDS, help="types of weights; may be repeated (default: all)")
    add("--shape", default="qwen3-0.6b", help="of scripts.record.bench_checkpoint (default: qwen3-0.6b)")
    add("--requests", type=count, action="append", help="at once; may be repeated (default: 1, 8 and 32)")
    add("--prompt", type=count, default=128, help="tokens (default: 128)")
    add("--tokens", type=count, default=64, help="to generate for each request (default: 64)")
    add("--repeat", type=count, default=3, help="rounds (default: 3)")
    add("--llama-server", type=Path, metavar="PROGRAM",
        help="llama.cpp's server, built for this processor: measured, too, with each setting of the package's")
    add("--only", action="append", metavar="SYSTEM", help="measure only this one; may be repeated")
    add("--cache", type=Path, default=USUAL_CACHE,
        help="where venvs and models stay (default: $ASSAY_SERVERS or ~/.cache/assay-servers)")
    add("--offline", action="store_true", help="install nothing")
    add("--markdown", type=Path, metavar="FILE", help="write the tables there, too")
    options = parser.parse_args(arguments)
    options.assay, options.cache = options.assay.absolute(), options.cache.absolute()
    if options.llama_server:
        options.llama_server = options.llama_server.absolute()
    options.group = options.group or list(KINDS)
    options.requests = sorted(set(options.requests or [1, 8, 32]))
    if not options.assay.is_file():
        parser.error(f"--assay: there is no {options.assay}")
    return options


def assay_serve(assay: Path, compute: str, n_requests: int) -> Command:
    def command(programs: Path, model: Path, port: int) -> list[str]:
        return [str(assay), "serve", "--model", str(model), "--compute", compute, "--port", str(port), "--samples", str(n_requests)]
    return command


def llama_server(program: Path, cache: str, plain: bool, n_requests: int, n_context: int) -> Command:
    def command(programs: Path, model: Path, port: int) -> list[str]:
        return [str(program), "--model", str(model), "--port", str(port), "--parallel", str(n_requests),
                "--ctx-size", str(n_requests * n_context), "--threads", str(THREADS), "--cache-type-k", cache,
                "--cache-type-v", cache, "--flash-attn", "off" if plain else "auto", "--no-cache-prompt", "--cache-ram", "0"]
    return command


class System(NamedTuple):
    name: str
    server: Server
    model: Path
    programs: Path


class Group:
    """The systems of one kind, measured in turn. loads: by system and number of requests, one for each round."""

    def __init__(self, options: argparse.Namespace, name: str):
        self.options, self.name, self.kind = options, name, KINDS[name]
        self.loads: dict[tuple[str, int], list[load.Load]] = {}

    def systems(self) -> list[System]:
        """Raises Missing if llama.cpp cannot be installed."""
        options, kind = self.options, self.kind
        programs = install("llama.cpp", options.cache, options.offline)
        most = max(options.requests)
        serve = assay_serve(options.assay, kind.compute, most)
        found = [System(OURS, Server(OURS, "", "", serve, (), ready="/health"),
                        shape.prepare(options.shape, self.name, options.cache), programs)]
        twin = shape.prepare_twin(options.shape, kind.twin, options.cache, programs)
        context = options.prompt + options.tokens + 64
        words = ("--slots", str(most), "--context", str(context), "--threads", str(THREADS), "--forget")
        for name, cache, more in kind.peers:
            server = Server(name, "llama.cpp", "", llama_cpp(cache, *words, *more), (), ready="/health")
            found.append(System(name, server, twin, programs))
            if options.llama_server:
                command = llama_server(options.llama_server, cache, "--plain-attention" in more, most, context)
                found.append(System(name + NATIVE, Server(name + NATIVE, "", "", command, (), ready="/health"), twin, programs))
        return [one for one in found if not options.only or one.name in options.only]

    def prompts(self, n: int, n_tokens: int, seed: int) -> list[list[int]]:
        """Drawn token ids, none of them special; no two prompts begin alike."""
        first, most = 1000, 100000
        drawn = draw.tokens(seed, n * n_tokens, most - first)
        return [[first + id_ for id_ in drawn[i * n_tokens:(i + 1) * n_tokens]] for i in range(n)]

    def measure(self, urls: dict[str, str]) -> None:
        options = self.options
        for number_of_round in range(options.repeat):
            for index, n in enumerate(options.requests):
                seed = draw.seed_of(0, index, number_of_round)
                for name, url in urls.items():
                    model = served_name(url)
                    load.measure(url, model, self.prompts(1, WARM[0], seed + 1), WARM[1])
                    found = load.measure(url, model, self.prompts(n, options.prompt, seed), options.tokens)
                    self.loads.setdefault((name, n), []).append(found)
                    print(f"{self.name}, {n} requests, {name}: {found.speed:.1f} tokens/s, first token {found.first:.3f} s, "
                          f"worst {found.worst:.3f} s, longest pause {found.pause:.3f} s", file=sys.stderr, flush=True)

    def run(self) -> None:
        """Starts all servers, which rest while another one is measured. Raises Missing or Silent."""
        with contextlib.ExitStack() as stack:
            urls = {}
            for one in self.systems():
                log = self.options.cache / "runs" / f"speed-{one.name.replace(' ', '-')}-{self.name}.log"
                urls[one.name] = stack.enter_context(running(one.server, one.programs, one.model, log))
            self.measure(urls)

    def rows(self) -> Iterator[list[str]]:
        names = list(dict.fromkeys(name for name, _ in self.loads))
        peers = [name for name in names if name != OURS]
        yield ["requests at once", "", "", *names, f"{OURS} / best peer"]
        for n in self.options.requests:
            for member, text, unit in (("speed", "throughput", "tokens/s"), ("first", "first token, median", "s"),
                                       ("worst", "first token, worst", "s"),
                                       ("pause", "longest pause in an answer", "s")):
                less = member != "speed"
                cells = {name: (min if less else max)(getattr(one, member) for one in self.loads[name, n]) for name in names}
                best = (min if less else max)((cells[name] for name in peers), default=None)
                ours = cells.get(OURS)
                ratio = None if ours is None or best is None else best / ours if less else ours / best
                yield [str(n), text, unit, *(number(cells[name]) for name in names), ratio_text(ratio)]

    def markdown(self) -> str:
        return f"### {self.name}\n\n{self.kind.note}\n\n{grid(list(self.rows()), 3)}"


def head(options: argparse.Namespace) -> str:
    peer = Server("", "llama.cpp", "", llama_cpp("f32"), ("xllamacpp",))
    return "\n".join([
        f"* {processor()}, {THREADS} processors; {', '.join(flags())}",
        f"* {datetime.date.today().isoformat()}, {platform.system()} {platform.release()}",
        f"* {assay_version(options.assay)}; llama.cpp's server of {', '.join(named_versions(peer))}",
        f"* {options.shape} with random weights; each request: a prompt of {options.prompt} tokens of its own, streamed, greedy, "
        f"{options.tokens} tokens whatever they are; best of {options.repeat} rounds, the servers taking turns", "", ""])


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    text, status = head(options), 0
    for name in options.group:
        group = Group(options, name)
        try:
            group.run()
        except (Missing, Silent) as error:
            print(f"{name}: {error}", file=sys.stderr)
            status = 1
        if group.loads:
            text += group.markdown() + "\n"
    print(text, end="")
    if options.markdown:
        options.markdown.write_text(text)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
