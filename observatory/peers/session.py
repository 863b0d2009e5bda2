"""One run: installs peers, makes models, compares logits, then measures all systems, alternating."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from . import draw, install, machine, pictures, processes, table
from .cells import (
    FIRST_PROMPT, GROUPS, IMAGE_SYSTEMS, PEERS, REFERENCE, REFERENCE_SYSTEMS, SYSTEMS, Point, System, image_points, points)
from .processes import Failure

EXACT = 1e-3  # allowed difference between two float32 results, relative to the largest logit
ALIKE = 0.5   # smallest cosine: narrower types add noise, but a smaller value means a different model
COMPUTED = {  # compute type -> description of fastpath's computation, for the table
    "": "as it chooses",
    "f32": "f32; cache f32",
    "bf16": "products and, with VDPBF16PS, weights of attention of bf16, all else f32; cache bf16",
    "int8": "products of 8-bit activations in groups of 64, all else f32; cache bf16",
    REFERENCE: "f64, weights widened in blocks in each step; no cache",
}
STORED = {  # group -> our weights, if not the group's name
    "8-bit": "8-bit groups of 64, bf16 scales and biases",
    "4-bit": "4-bit groups of 64, bf16 scales and biases",
    REFERENCE: "bf16",
}


class Session:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.models: Path = options.cache / "models" / options.shape
        self.points = points(options.prompt, options.context, options.batch)
        self.troubles: list[str] = []
        self.pythons: dict[str, Path] = {}
        self.versions: dict[str, dict[str, str]] = {}
        self.machine: dict[str, Any] = {}
        self.groups = {name: table.Group(name, [], {}, {}) for name in options.group}
        self.known = (IMAGE_SYSTEMS if options.images else REFERENCE_SYSTEMS if REFERENCE in options.group
                      else SYSTEMS)
        self.systems: list[System] = []
        self.broken: set[tuple[System, Point]] = set()
        self.n_ids = 0
        self.compared: Point | None = None  # a prompt with images, to compare logits of

    def run(self) -> int:
        self.install()
        if not self.pythons:
            print("no peer is installed", file=sys.stderr)
            return 77
        if not self.make_models():
            return 1
        self.compare()
        rounds = 0 if self.options.prepare else self.options.repeat
        for done in range(rounds):
            self.round(done)
            self.write(done + 1)
        self.say("")
        print(self.document(rounds))
        return 0

    def say(self, text: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{text[:100]}", end="", file=sys.stderr, flush=True)

    def trouble(self, text: str) -> None:
        if text not in self.troubles:
            self.say("")
            print(f"left out: {text}", file=sys.stderr)
            self.troubles.append(text)

    def install(self) -> None:
        given = dict(self.options.python)
        for name, peer in PEERS.items():
            if name not in {s.peer for s in self.known}:
                continue
            if self.options.peer and name not in self.options.peer:
                continue
            if peer.left_out and not self.options.peer and name not in given:
                self.trouble(f"{name}: {peer.left_out}")
                continue
            self.say(f"installing {name}")
            try:
                python = given.get(name) or install.install(name, self.options.cache,
                                                            self.options.offline)
                self.versions[name] = processes.ask(
                    [str(python), "-m", "observatory.peers.measure", "--peer", name, "--version"],
                    self.options.timeout)
                self.pythons[name] = python
            except (install.Missing, Failure) as error:
                self.trouble(f"{name}: {error}")

    def make_models(self) -> bool:
        """Writes the checkpoints, then the peers' models, which are made from those in float32 and bfloat16."""
        self.models.mkdir(parents=True, exist_ok=True)
        python = next(iter(self.pythons.values()))
        chosen = [s for s in self.known if s.group in self.groups and s.peer in self.pythons]
        wanted = dict.fromkeys(["f32", *self.groups])  # float32 is always needed, to compare logits with
        for group in wanted:
            path = self.models / GROUPS[group]
            if (path / "config.json").exists():
                continue
            self.say(f"writing {path.name}")
            command = processes.checkpoint_command(python, self.options.shape, group, path)
            if not self.make(command, path.name):
                return False
        config = json.loads((self.models / GROUPS["f32"] / "config.json").read_text())
        self.n_ids = config["vocab_size"]
        if self.options.images:
            tower = pictures.read_tower(self.models / GROUPS["f32"])
            if not tower:
                self.trouble(f"{self.options.shape}: its checkpoint has no tower")
                return False
            self.points = image_points(self.options.images, tower)
            self.compared = image_points([pictures.Pictures(4 * tower.side, 3 * tower.side, 2)], tower)[0]
        for system in chosen:
            if self.make_one(system, system.model):
                self.systems.append(system)
        return True

    def make_one(self, system: System, model: str) -> bool:
        """Makes a peer's model if it is missing; quantised ones are made from the float32 one in the same format."""
        kind = Path(model).suffix
        source = f"float32{kind}"
        if (self.models / model).exists():
            return True
        if Path(model).stem not in ("float32", "bfloat16") and not self.make_one(system, source):
            return False
        self.say(f"writing {model}")
        return self.make([str(self.pythons[system.peer]), "-m", "observatory.peers.prepare", "--peer",
                          system.peer, "--model", model, str(self.models)], system.name)

    def make(self, command: list[str], what: str) -> bool:
        log = self.models / "making.log"
        try:
            install.run(command, log)
        except install.Missing as error:
            self.trouble(f"{what}: {error}")
            return False
        return True

    def engines(self, group: str) -> list[str]:
        return [name for of, name in self.options.engine if of in ("", group)]

    def extra(self, group: str) -> list[str]:
        return [word for of, word in self.options.bench_option if of in ("", group)]

    def compute(self, group: str) -> str:
        """The compute type that engines are asked for; empty: their default."""
        words = self.extra(group)
        return words[words.index("--compute") + 1] if "--compute" in words[:-1] else ""

    def compare(self) -> None:
        """Compares logits with ours in float32, and leaves out systems that compute a different model. Adds the
        columns of the tables."""
        out, seconds = self.models / "logits", float(self.options.timeout)
        truth = None
        try:
            self.say("logits of ours")
            truth = processes.our_logits(
                self.options.assay, self.engines("f32")[0] if self.engines("f32") else "fastpath",
                self.models / GROUPS["f32"], self.n_ids, out, seconds, self.compute("f32"),
                self.compared)[0]
        except Failure as error:
            self.trouble(f"logits of float32 to compare with: {error}")
        for group in self.groups.values():
            for name in self.engines(group.name):
                group.columns.append(self.our_column(group.name, name, truth, out))
            for system in [s for s in self.systems if s.group == group.name]:
                self.compare_peer(group, system, truth, out)

    def our_column(self, group: str, name: str, truth: Any, out: Path) -> table.Column:
        compute = self.compute(group)
        computed = COMPUTED[group] if group == REFERENCE else COMPUTED.get(compute, compute)
        column = table.Column(Path(name).name, True, STORED.get(group, group), computed)
        if truth is None:
            return column
        try:
            like = processes.likeness(truth, processes.our_logits(
                self.options.assay, name, self.models / GROUPS[group], self.n_ids, out,
                float(self.options.timeout), compute, self.compared))
        except Failure as error:
            self.trouble(f"{group}, logits of {name}: {error}")
            return column
        return column._replace(error=like.error, alike=like.alike, same_token=like.same_token)

    def command(self, system: System) -> list[str]:
        return processes.peer_command(self.pythons[system.peer], system, self.models)

    def compare_peer(self, group: table.Group, system: System, truth: Any, out: Path) -> None:
        command = self.command(system)
        column = table.Column(system.name, False, system.stored, system.computed)
        self.say(f"{system.group}, logits of {system.name}")
        try:
            rows = processes.peer_logits(command, self.n_ids, out, float(self.options.timeout),
                                         self.compared)
            if truth is not None:
                like = processes.likeness(truth, rows)
                column = column._replace(error=like.error, alike=like.alike,
                                         same_token=like.same_token)
                judge(system, like, max(map(abs, truth)))
        except Failure as error:
            self.trouble(f"{system.group}, {system.name}: {error}")
            self.systems.remove(system)
            return
        group.columns.append(column)

    def round(self, number: int) -> None:
        """Measures one round: at each point the peers run one after the other, in another order in each round."""
        for name, group in self.groups.items():
            self.ask_assay(group, number)
            here = [s for s in self.systems if s.group == name]
            for index, point in enumerate(self.points):
                for i in range(len(here)):
                    system = here[(i + index + number) % len(here)]
                    if (system, point) not in self.broken:
                        self.say(f"round {number + 1}: {name}, {point}, {system.name}")
                        self.ask_peer(group, system, point, number)

    def ask_peer(self, group: table.Group, system: System, point: Point, number: int) -> None:
        command = self.command(system)
        try:
            time, told = processes.measure_peer(command, point, self.n_ids, self.options.tokens,
                                                self.seed(point, number), self.options.timeout)
        except Failure as error:
            self.broken.add((system, point))
            self.trouble(f"{system.group}, {system.name}, {point}: {error}")
            return
        group.times.setdefault((system.name, point), []).append(time)
        for i, column in enumerate(group.columns):
            if column.name == system.name:
                group.columns[i] = column._replace(told=told)

    def seed(self, point: Point, number: int) -> int:
        """The seed of the tokens that assay bench draws for this point when ask_assay calls it."""
        if point.pictures:
            return draw.seed_of(number, 1 + self.points.index(point), 0)
        prompts = self.options.prompt if point.batch == 1 else [1]
        here = points(prompts, self.options.context, [point.batch])
        return draw.seed_of(number, here.index(point), 0)

    def ask_assay(self, group: table.Group, number: int) -> None:
        """Calls assay bench once per batch size, because prefill is only measured with one sample."""
        o = self.options
        engines = self.engines(group.name)
        extra = self.extra(group.name)
        for batch in sorted({1, *o.batch} if not o.images else {1}) if engines else []:
            self.say(f"round {number + 1}: {group.name}, assay bench, batch {batch}")
            try:
                found = processes.measure_assay(
                    o.assay, self.models / GROUPS[group.name], engines, extra,
                    self.asked_points(batch), batch, 1 if o.images else o.tokens, number, o.timeout)
            except Failure as error:
                self.trouble(f"{group.name}, assay bench: {error}")
                continue
            for text in found.troubles:
                self.trouble(f"{group.name}, {text}")
            self.machine = machine.better(self.machine, found.machine)
            self.keep(group, found, batch)

    def asked_points(self, batch: int) -> list[Point]:
        """Those that a call of assay bench measures besides the first token; at least one step of decode, which no
        option leaves out."""
        o = self.options
        asked = self.points if o.images else points(o.prompt if batch == 1 else [1], o.context, [batch])[1:]
        return asked if o.context and not o.images else [*asked, Point("decode", 1)]

    def keep(self, group: table.Group, found: processes.Bench, batch: int) -> None:
        for (name, point), time in found.times.items():
            if point not in self.points:
                continue
            if point.batch != batch or (batch > 1 and point.measure != "decode"):
                continue  # each call also measures the first token
            key = Path(name).name, point
            group.times.setdefault(key, []).append(time)
            if (name, point) in found.limits:
                group.limits[key] = max(group.limits.get(key, (0, "")), found.limits[name, point])

    def document(self, n_rounds: int) -> str:
        versions = [machine.assay_version(self.options.assay)]
        versions += [f"{said['version']} ({said['note']})" for said in self.versions.values()]
        facts = machine.facts(self.machine, versions, self.options.shape,
                              0 if self.options.images else FIRST_PROMPT)
        return table.document(list(self.groups.values()), self.points, facts, self.troubles,
                              n_rounds, self.options.median)

    def write(self, n_rounds: int) -> None:
        if self.options.markdown:
            self.options.markdown.write_text(self.document(n_rounds))


def judge(system: System, like: processes.Likeness, largest: float) -> None:
    """Raises Failure if the logits are not those of the model."""
    if system.exact and like.error > EXACT * largest:
        raise Failure(f"its logits are {like.error:.2g} from ours in float32, of which the largest "
                      f"is {largest:.3g}")
    if like.alike < ALIKE:
        raise Failure(f"its logits are not those of the model: cosine {like.alike:.3f} with ours")
