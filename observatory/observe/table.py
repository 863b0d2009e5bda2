"""Prints the table observatory/observations.tsv: the distance of each observation from its golden.

`python -m observatory.observe.table > table` judges by the rule of conformance/judge/noise.h, in numpy:
independently of `assay diff`, which judges the same observations in `make check`. The finding in each line is
copied from the existing table; a divergence without a finding gets `?`, and the check rejects it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from scripts.record.support import h5
from scripts.record.support.distances import distances

from . import pack

LIMIT = 4.0  # times the noise
FLOOR_ULPS = 16
HEADER = """\
# What other systems make of the recorded cases. One line for every observation below observations/:
# its path, the verdict, how far it is off, in how many rows the best token is another one, the entry of
# observatory/FINDINGS.md.
# agrees: within the bound, of 4 times the noise: of float32, or of the type that the system states, which is named then.
# diverges: beyond both; the bound is that of float32. cannot: the system gives no answer but its own words. Made by `python -m observatory.observe.table`, judged by
# `assay diff`.
"""


# The types of inputs that observers state, one of which a case records, of llama.cpp with the type of their caches; all others state float32
STATED = {"llama-cpp": ("q8_0+f16", "q8_1+f16", "q8_K+f16"), "llama-cpp-cache": ("q8_0", "q8_1", "q8_K"),
          "compressed-tensors": ("fp8-token", "fp8-static", "fp8-group128", "int8-token", "mxfp4", "nvfp4")}


@dataclass(frozen=True)
class Judgement:
    """times: the largest error as a multiple of the bound, over the rows that break a rule; if no row does, over
    all logits. n_other: rows whose best token is another one, of n_rows."""

    agrees: bool
    times: float
    n_other: int
    n_rows: int


def judge(golden: dict[str, np.ndarray], observed: dict[str, np.ndarray], stated: str = "") -> Judgement:
    """stated: a type of which the golden has the noise; empty: float32."""
    n_words = golden["/expect/truth/decode"].shape[-1]
    truth, float32, found = (
        np.concatenate([tensors[f"{place}/{part}"].reshape(-1, n_words)
                        for part in ("prefill", "decode")]).astype(np.float64)
        for tensors, place in ((golden, "/expect/truth"), (golden, "/expect/float32"),
                               (observed, "/observed")))
    padding = np.isnan(truth).all(-1)
    truth, float32, kept = truth[~padding], float32[~padding], found[~padding]
    masked = ~np.isfinite(kept).all(-1)
    rows_of = int((masked | (truth.argmax(-1) != np.nan_to_num(kept).argmax(-1))).sum()), len(truth)
    if not np.isnan(found[padding]).all() or masked.any():
        return Judgement(False, np.inf, *rows_of)
    found = kept
    floor = FLOOR_ULPS * 2.0 ** (np.frexp(np.abs(truth).max())[1] - 24)
    units = np.maximum(golden[f"/expect/{stated}/noise"] if stated else distances(truth, float32).max(-1), floor)
    times = distances(truth, found) / units[:, None] / LIMIT
    broken = times > 1
    if broken.any():
        rows = broken.any(0)
        first = broken.argmax(0)[rows]  # only the first rule that a row breaks counts
        return Judgement(False, float(times[:, rows][first, np.arange(rows.sum())].max()), *rows_of)
    same = "/expect/tokens" not in golden or np.array_equal(golden["/expect/tokens"],
                                                            observed["/observed/tokens"])
    return Judgement(same, float(times[0].max()), *rows_of)


def explained(table: Path) -> dict[str, str]:
    """File -> finding, from the existing table."""
    if not table.is_file():
        return {}
    lines = [line.split("\t") for line in table.read_text().splitlines() if line[:1] != "#"]
    return {line[0]: line[-1] for line in lines if line[-1] != "-"}


def lines(top: Path) -> list[str]:
    findings = explained(top / "observatory/observations.tsv")
    return [line for file in sorted((top / pack.PACKS).glob("*.h5")) for line in lines_of(file, top / "fixtures" / file.stem, findings)]


def lines_of(file: Path, cases: Path, findings: dict[str, str]) -> Iterator[str]:
    with h5py.File(file) as opened:
        failed = {name: pack.error_of(opened[name]) is not None for name in pack.names(opened)}
    for name, gave_no_answer in failed.items():
        verdict, times, other, finding = "cannot", "-", "-", findings.get(f"{file.name}/{name}", "?")
        if not gave_no_answer:
            golden, observed = h5.read(cases / (name.split(".")[0] + ".h5"))[0], h5.read(file, name)[0]
            judged, of = judge(golden, observed), ""
            for stated in STATED.get(name.partition(".")[2], ()) if not judged.agrees else ():
                if f"/expect/{stated}/noise" in golden and (again := judge(golden, observed, stated)).agrees:
                    judged, of = again, f" of {stated}"
            if judged.agrees:
                verdict, times, finding = "agrees", f"{judged.times * LIMIT:.3g} x noise{of}", "-"
            else:
                verdict, times, other = "diverges", f"{judged.times:.3g} x bound", f"{judged.n_other} of {judged.n_rows}"
        yield "\t".join((f"{file.name}/{name}", verdict, times, other, finding))


if __name__ == "__main__":
    print(HEADER + "\n".join(lines(Path(sys.argv[1] if len(sys.argv) > 1 else "."))))
