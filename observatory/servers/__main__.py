"""Installs published servers from PyPI, starts each on the bundle, judges it with `assay probe`, and writes a table.

    python -m observatory.servers --assay build/conformance/assay --markdown observatory/SERVERS.md
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from . import exchanges, models, report, requests
from .install import ALONE, Missing, install, wanted
from .running import Silent, running
from .systems import SERVERS, Server

USUAL_CACHE = Path.home() / ".cache" / "assay-servers"
GROUPS = ("discovery", "protocol", "numerics", "batching", "text")  # of assay probe
PROBE_SECONDS = 1800.0  # limit of one probe


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/check-servers", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--assay", type=Path, help="the program (default: of the build directory)")
    add("--server", action="append", choices=[one.name for one in SERVERS], help="may be repeated (default: all)")
    add("--family", action="append", choices=models.FAMILIES, help="may be repeated (default: all)")
    add("--only", action="append", default=[], metavar="GROUP", help="of assay probe; may be repeated (default: all)")
    add("--cache", type=Path, default=USUAL_CACHE,
        help="where venvs, checkpoints, logs and reports stay (default: $ASSAY_SERVERS or ~/.cache/assay-servers)")
    add("--offline", action="store_true", help="install nothing")
    add("--record", type=Path, metavar="DIR", help="make the exchanges of observatory/servers/requests.py instead of a probe, and "
        "store them in DIR/SERVER-FAMILY.jsonl")
    add("--earlier", action="store_true", help="start nothing: make the table from the reports of earlier runs")
    add("--markdown", type=Path, metavar="FILE", help="write the table there")
    options = parser.parse_args(arguments)
    options.cache = options.cache.absolute()
    options.server = [one for one in SERVERS if not options.server or one.name in options.server]
    options.family = options.family or list(models.FAMILIES)
    if not options.record and not options.earlier and not (options.assay and options.assay.is_file()):
        parser.error("--assay: there is no such program")
    return options


class Check:
    """One server on one family."""

    def __init__(self, options: argparse.Namespace, server: Server, family: str):
        self.options, self.server, self.family = options, server, family
        self.place = options.cache / "runs" / f"{server.name}-{family}"

    def earlier(self) -> report.Result:
        """The result of an earlier run."""
        found, trouble = self.place / "report.json", self.place / "trouble.txt"
        said = trouble.read_text() if trouble.exists() else "was not run"
        return report.Result(self.server.name, self.family, said, report.read(found))

    def run(self) -> report.Result:
        """Runs the server, and keeps the result for `earlier`."""
        for name in ("report.json", "trouble.txt"):
            (self.place / name).unlink(missing_ok=True)
        result = self.start()
        if result.found is None and not self.options.record:
            self.place.mkdir(parents=True, exist_ok=True)
            (self.place / "trouble.txt").write_text(result.trouble)
        return result

    def start(self) -> report.Result:
        options, server = self.options, self.server
        try:
            programs = install(server.package, options.cache, options.offline)
            model = models.prepare(self.family, server.form, options.cache, programs)
            parts = []
            for groups in self.runs():
                with running(server, programs, model, self.place / "server.log") as url:
                    name = requests.served_name(url) if server.lists else model.name
                    if options.record:
                        return self.record(url, name)
                    parts.append(self.probe(url, name, groups))
            return self.join(parts)
        except (Missing, Silent) as error:
            return report.Result(server.name, self.family, str(error).replace(str(options.cache), "CACHE"), None)

    def record(self, url: str, name: str) -> report.Result:
        archive = self.options.record / f"{self.server.name}-{self.family}.jsonl"
        exchanges.create(archive)
        made = requests.requests(models.BUNDLE / self.family, name)
        for one in made:
            head = exchanges.record(archive, url, one.label, one.path, one.body, str(self.options.cache / "models") + "/")
            print(f"    {one.label}: {head['status']} {head['end']}", flush=True)
        return report.Result(self.server.name, self.family, f"{len(made)} exchanges", None)

    def runs(self) -> list[list[str]]:
        """The groups of each run of the probe; []: all."""
        if not self.server.restarts or self.options.record:
            return [self.options.only]
        return [[group] for group in self.options.only or GROUPS]

    def probe(self, url: str, name: str, groups: list[str]) -> report.Result:
        part = f"-{groups[0]}" if self.server.restarts else ""
        saved, found = self.place / f"exchanges{part}", self.place / f"part{part}.json"
        shutil.rmtree(saved, ignore_errors=True)
        command = [str(self.options.assay), "probe", url, "--truth", str(models.BUNDLE / self.family), "--json", str(found),
                   "--compute", self.server.type, "--model", name, "--save", str(saved),
                   *(word for group in groups for word in ("--only", group))]
        try:
            with open(self.place / f"probe{part}.log", "w") as log:
                status = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, timeout=PROBE_SECONDS).returncode
        except subprocess.TimeoutExpired:
            return report.Result(self.server.name, self.family, f"the probe does not end within {PROBE_SECONDS:g} s", None)
        return report.Result(self.server.name, self.family, f"assay probe ends with status {status}", report.read(found))

    def join(self, parts: list[report.Result]) -> report.Result:
        """The parts as one report, which is stored."""
        for part in parts:
            if part.found is None:
                return part
        document = report.joined([part.found for part in parts if part.found])
        (self.place / "report.json").write_text(json.dumps(document))
        return report.Result(self.server.name, self.family, "", document)


def named_versions(server: Server) -> list[str]:
    """The packages that make the server, as its requirements pin them."""
    pins = (line.removeprefix(ALONE).split("==") for line in wanted(server.package).splitlines() if "==" in line)
    return [f"{name} {version}" for name, version in pins if name.split("[")[0] in server.made_of]


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    results = []
    for server in options.server:
        for family in options.family:
            print(f"{server.name}, {family}", flush=True)
            check = Check(options, server, family)
            results.append(check.earlier() if options.earlier else check.run())
            print(f"  {report.summary(results[-1])}", flush=True)
    if options.markdown:
        versions = {one.name: ", ".join(named_versions(one)) for one in options.server}
        options.markdown.write_text(report.markdown(results, versions))
    if options.record:
        return 0
    return report.status(results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
