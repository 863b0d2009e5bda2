"""A pytest plugin: def test_engine(assay_case), once for each recorded case.

Options: --assay-fixtures DIR (may be repeated), --assay-engine COMMAND, --assay-program PATH.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PASSED, DIVERGED, USAGE, SKIPPED = 0, 1, 2, 77  # exit statuses of `assay run`


@dataclass(frozen=True)
class Case:
    """A recorded case and how it is judged."""

    path: Path
    engine: str
    program: str

    def command(self) -> list[str]:
        return [self.program, "run", "--verbose", "--engine", self.engine, str(self.path)]

    def run(self) -> None:
        """Judges the case. Ends the test: skipped if the engine refuses the case, failed with assay's report if it diverges."""
        __tracebackhide__ = True
        try:
            done = subprocess.run(self.command(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        except OSError as error:
            pytest.fail(f"--assay-program: {error}", pytrace=False)
        if done.returncode == SKIPPED:
            pytest.skip(reason_of(done.stdout))
        if done.returncode != PASSED:
            pytest.fail(f"{shlex.join(self.command())}: exit status {done.returncode}\n{done.stdout}", pytrace=False)


def reason_of(report: str) -> str:
    """The first reason for which assay skipped a case."""
    lines = [line.strip() for line in report.splitlines() if line.strip()]
    return next((line.removeprefix("skipped: ").rstrip(":") for line in lines if line.startswith("skipped: ")), lines[0] if lines else "skipped")


def engine_name(command: str) -> str:
    """What `assay run --engine` takes: a command is `exec:COMMAND`; bundled engines and shared objects keep their names."""
    known = command.startswith("exec:") or command.endswith(".so") or command in ("ref64", "ref32", "fastpath")
    return command if known else f"exec:{command}"


def cases_below(folder: Path) -> list[Path]:
    """All recorded cases, without the observations that are next to them."""
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise pytest.UsageError(f"--assay-fixtures: {folder} is no directory")
    return [path for path in sorted(folder.rglob("*.h5")) if "observed" not in path.parts]


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("assay", "Assay: whether an inference engine computes what its model says")
    group.addoption("--assay-fixtures", action="append", default=[], metavar="DIR", help="cases below DIR; may be repeated")
    group.addoption("--assay-engine", metavar="COMMAND", help="starts the engine (docs/protocol.md), or a shared object, or a bundled engine")
    group.addoption("--assay-program", default="assay", metavar="PATH", help="the program assay; without it, the one in PATH")


def pytest_generate_tests(metafunc: Any) -> None:
    if "assay_case" not in metafunc.fixturenames:
        return
    config = metafunc.config
    folders, engine = config.getoption("--assay-fixtures"), config.getoption("--assay-engine")
    if not folders or not engine:
        missing = "--assay-fixtures" if not folders else "--assay-engine"
        metafunc.parametrize("assay_case", [pytest.param(None, marks=pytest.mark.skip(reason=f"{missing} was not given"))], ids=["none"])
        return
    program = config.getoption("--assay-program")
    found = [(path, path.relative_to(folder).with_suffix("") if path != folder else Path(path.stem))
             for folder in map(Path, folders) for path in cases_below(folder)]
    metafunc.parametrize("assay_case", [Case(path, engine_name(engine), program) for path, _ in found], indirect=True,
                         ids=[json.dumps(str(name))[1:-1] for _, name in found])


@pytest.fixture
def assay_case(request: Any) -> Case:
    """One recorded case. It is judged when the test is called; the test's body runs only if the engine agrees."""
    return request.param


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> None:
    """Here and not in the fixture: a divergence is a failure of the test, not an error of its setup."""
    __tracebackhide__ = True
    case = pyfuncitem.funcargs.get("assay_case")
    if isinstance(case, Case):
        case.run()
