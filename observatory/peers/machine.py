"""Facts about the machine and the date, printed above the tables."""

from __future__ import annotations

import contextlib
import datetime
import platform
import subprocess
from pathlib import Path
from typing import Any

from .table import machine_text

CPUINFO = Path("/proc/cpuinfo")
# Linux's spelling -> common name.
FLAGS = {
    "avx2": "AVX2", "fma": "FMA", "f16c": "F16C", "avx_vnni": "AVX-VNNI", "avx512f": "AVX-512",
    "avx512_vnni": "AVX-512-VNNI", "avx512_bf16": "AVX-512-BF16", "avx512_fp16": "AVX-512-FP16",
    "amx_tile": "AMX", "amx_bf16": "AMX-BF16", "amx_int8": "AMX-INT8",
    "asimddp": "dot products", "i8mm": "I8MM", "bf16": "BF16", "sve": "SVE",
}


def flags(cpuinfo: Path = CPUINFO) -> list[str]:
    """The common names of the first processor's flags that are in FLAGS."""
    try:
        lines = cpuinfo.read_text().splitlines()
    except OSError:
        return []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip().lower() in ("flags", "features"):
            present = set(value.split())
            return [common for flag, common in FLAGS.items() if flag in present]
    return []


def processor(cpuinfo: Path = CPUINFO) -> str:
    """The model of the processor, else its architecture."""
    with contextlib.suppress(OSError):
        for line in cpuinfo.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.machine()


def better(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    """Merges the machine descriptions of two calls of `assay bench`, with the higher value of each limit, of which
    a call has none if no engine passed."""
    limits = ("read_one", "read_all", "fma_one", "fma_all")
    return b | {name: max(a.get(name) or 0, b[name] or 0) for name in limits}


def assay_version(assay: Path) -> str:
    try:
        done = subprocess.run([str(assay), "--version"], capture_output=True, text=True)
    except OSError as error:
        return str(error)
    return done.stdout.strip().splitlines()[0] if done.stdout.strip() else "assay"


def facts(machine: dict[str, Any], versions: list[str], shape: str, first: int) -> list[str]:
    """The lines above the tables."""
    today = datetime.date.today().isoformat()
    lines = machine_text(machine, flags()) if machine else [", ".join(flags())]
    return [*lines, f"{today}, {platform.system()} {platform.release()}",
            f"{shape} with random weights" + (f"; first token after a prompt of {first}" if first else ""),
            *versions]
