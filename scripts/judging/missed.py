"""Which faults of stored weights the noise of each compute type still shows: `python3 -m scripts.judging.missed [NAME...]` prints a line a type.

NAME: of cases, "single" if there is none.
A pair is a fault and a case that fails with it by the noise of float32. fastpath computes in the type where it has it, in float32 where it has not.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.judging.measure import TOP

BUILD = Path(os.environ.get("ASSAY_BUILD", TOP / "build"))
ASSAY, FAULTS = BUILD / "conformance/assay", BUILD / "conformance/faults"
WIDEST = "f32"
OWN = (WIDEST, "bf16", "q8_0", "q8_1", "q8_K", "int8-token")  # of fastpath
OTHERS = ("f16", "tf32", "fp8-token", "fp8-group128", "fp8-static", "nvfp4", "mxfp4")


def stored_faults() -> list[str]:
    """The names in the table of faults of stored weights."""
    return re.findall(r'^ +\{"([a-z0-9-]+)"', (TOP / "conformance/faults/stored/table.c").read_text(encoding="utf-8"), re.M)


def run(fault: str, compute: str, cases: list[str], dumped: str | None = None) -> dict[str, bool]:
    """Whether each case fails; those without such a run are left out."""
    command = [ASSAY, "run", "--engine", FAULTS / "faults.so", "--manner", "whole", "--json", "-", "--compute", compute, *(["--dump", dumped] if dumped else [])]
    out = subprocess.run([*command, *cases], capture_output=True, text=True, check=False, env={**os.environ, "ASSAY_FAULT": fault}).stdout
    return {row["path"]: row["outcome"] == "failed" for row in json.loads(out)["results"] if row["outcome"] in ("passed", "failed")}


def differ(case: str, dumped: str, compute: str) -> bool | None:
    """The same of dumped outputs; None without such a run."""
    place = Path(*Path(case).parts[-3:])
    code = subprocess.run([ASSAY, "diff", "--compute", compute, case, next(Path(dumped).rglob(str(place)))], capture_output=True, check=False).returncode
    return None if code == 77 else code == 1


def main(names: list[str]) -> None:
    formats = re.compile("(gguf|ct|fp8|gptq|bnb|modelopt)-|awq$")
    cases = [str(case) for name in names or ["single"] for case in sorted((TOP / "fixtures").glob(f"*/*/{name}.h5")) if formats.match(case.parent.name)]
    seen: dict[str, list[tuple[str, bool]]] = {compute: [] for compute in (*OWN, *OTHERS)}
    for fault in stored_faults():
        with tempfile.TemporaryDirectory() as dumped:
            failed = [case for case, fails in run(fault, WIDEST, cases, dumped).items() if fails]
            seen[WIDEST] += [(f"{fault} {case}", True) for case in failed]
            for compute in OWN[1:] if failed else ():
                seen[compute] += [(f"{fault} {case}", fails) for case, fails in run(fault, compute, failed).items()]
            for compute in OTHERS:
                found = ((case, differ(case, dumped, compute)) for case in failed)
                seen[compute] += [(f"{fault} {case}", fails) for case, fails in found if fails is not None]
    for compute, pairs in seen.items():
        print(f"{compute}: {sum(fails for _, fails in pairs)} of {len(pairs)}", *(name.replace(f"{TOP}/fixtures/", "") for name, fails in pairs if not fails), sep="\n    missed: ")


if __name__ == "__main__":
    main(sys.argv[1:])
