"""The replays: engines that are sound by construction, and the same with an error planted in every product.

A new replay is a row. SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Replay:
    """compute: "" for float32, else as --compute spells it. order: of the sums (conformance/rates/order.h), "" for the engine's own kernels.
    system: the published system whose adapter computes; else `engine` does. planted: k if every product is wrong by the relative error 2^-k."""
    name: str
    source: str
    compute: str = ""
    engine: str = "fastpath"
    order: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    system: str = ""
    planted: int = 0

    @property
    def type(self) -> str:
        return {"": "float64" if self.engine == "ref64" else "float32", "bf16": "bfloat16"}.get(self.compute, self.compute)


# Sums in one chain and in several, in registers of 4, 8 and 16, in blocks, and cut into 2, 4 and 8 parts.
SUMS = {
    "order of sums": ["forward", "backward", "shuffled:1"],
    "registers and blocks": ["lanes:8", "lanes:8,block:64"],
    "parts added up": ["lanes:8,parts:2", "lanes:8,parts:4", "lanes:8,parts:8"],
}
MORE_SUMS = {  # in float32, whose noise is most of what its engines differ by
    "order of sums": ["shuffled:2", "shuffled:3"],
    "registers and blocks": ["lanes:4", "lanes:16", "block:64", "lanes:8,fused", "lanes:16,block:128,fused"],
}
ROUNDED = {"parts rounded to bfloat16": ["lanes:8,parts:2,rounded", "lanes:8,parts:4,rounded", "lanes:8,parts:8,rounded"]}
CODES = ["q8_0", "q8_1", "q8_K", "int8-token"]  # published types of inputs, which the quantised checkpoints are recorded in
CODED_SUMS = {"order of sums": ["forward", "backward", *(f"shuffled:{seed}" for seed in range(1, 9))]}
SETS = {"": ["scalar", "avx2", "avx512", "neon"], "bf16": ["scalar", "avx2", "avx512", "avx512bf16", "amx", "neon"],
        **dict.fromkeys(["int8", *CODES], ["scalar", "avx2", "avx512", "amx", "neon"])}
CORES = ["Nehalem", "Haswell", "SkylakeX"]
LIBRARIES = {"BLIS": "blis-serial/libblas.so.3", "GSL": "libgslcblas.so.0"}
PLANTED = {"": range(13, 20), "bf16": range(2, 7), "int8": range(2, 7), **dict.fromkeys(CODES, range(1, 6))}


def blas(library: str) -> str | None:
    """The path of a BLAS library; None if it is not installed."""
    folders = [Path("/usr/lib"), *Path("/usr/lib").glob("*-linux-gnu*")]
    return next((str(f / library) for f in folders if (f / library).exists()), None)


def of_sums() -> list[Replay]:
    tables = [("", SUMS), ("", MORE_SUMS), ("bf16", SUMS), ("bf16", ROUNDED), ("int8", SUMS), *((compute, CODED_SUMS) for compute in CODES)]
    return [Replay(f"{compute or 'f32'} {order}", source, compute, order=order) for compute, table in tables for source, orders in table.items() for order in orders]


def of_sets() -> list[Replay]:
    return [Replay(f"{compute or 'f32'} {name}", "instruction sets", compute, environment=(("ASSAY_ISA", name),))
            for compute, names in SETS.items() for name in names]


def of_libraries() -> list[Replay]:
    cores = [Replay(f"f32 OpenBLAS {core}, {threads} threads", "BLAS libraries", order="forward",
                    environment=(("ASSAY_BLAS", "libopenblas.so.0"), ("OPENBLAS_CORETYPE", core), ("OPENBLAS_NUM_THREADS", str(threads))))
             for core in CORES for threads in ((1, 4) if core == CORES[-1] else (1,))]
    others = [Replay(f"f32 {name}", "BLAS libraries", order="forward", environment=(("ASSAY_BLAS", path),))
              for name, library in LIBRARIES.items() for path in [blas(library)] if path]
    wide = [Replay(f"{engine} {core}", "reference engines", engine=engine, environment=(("OPENBLAS_CORETYPE", core),))
            for engine, core in (("ref32", "Haswell"), ("ref64", "Haswell"), ("ref64", "Nehalem"))]
    return cores + others + wide


def of_systems() -> list[Replay]:
    return [Replay(f"f32 torch {sets}, {threads} threads", "torch", system="transformers",
                   environment=(("ATEN_CPU_CAPABILITY", sets), ("OMP_NUM_THREADS", str(threads))))
            for sets, threads in (("default", 1), ("avx2", 2))]


def of_faults() -> list[Replay]:
    return [Replay(f"{compute or 'f32'} planted 2^-{k}", "planted", compute, order=f"lanes:8,planted:{k}", planted=k) for compute, ks in PLANTED.items() for k in ks]


def all_replays() -> list[Replay]:
    return of_sums() + of_sets() + of_libraries() + of_systems() + of_faults()
