"""The published server, unpacked below a cache directory: its source and its tests. It is not installed."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

REQUIREMENTS = Path(__file__).parent / "serving.txt"
CACHE = Path(os.environ.get("ASSAY_RECORDER") or Path.home() / ".cache" / "assay-recorder")


def wanted() -> str:
    """Name and version, such as "vllm-mlx 0.6.0"."""
    line, = (line for line in REQUIREMENTS.read_text().splitlines() if not line.startswith("#"))
    return line.split()[0].replace("==", " ")


def fetch(place: Path) -> None:
    """Downloads the package that serving.txt pins by hash, and unpacks it as `place`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                        "--no-binary", ":all:", "--disable-pip-version-check", "--no-input",
                        "--require-hashes", "--dest", scratch, "-r", str(REQUIREMENTS)], check=True)
        archive, = Path(scratch).glob("*.tar.gz")
        with tarfile.open(archive) as tar:
            tar.extractall(scratch, filter="data")
        archive.unlink()
        unpacked, = (one for one in Path(scratch).iterdir() if one.is_dir())
        unpacked.rename(place)


def place() -> Path:
    """The directory that contains `vllm_mlx` and `tests`; downloads it if it is missing."""
    there = CACHE / wanted().replace(" ", "-")
    if not there.is_dir():
        try:
            fetch(there)
        except (subprocess.CalledProcessError, OSError, tarfile.TarError) as error:
            raise RuntimeError(f"{wanted()} cannot be had: {error}") from error
    return there


def load() -> Path:
    """Makes `import vllm_mlx` find this package; raises RuntimeError if another one is imported already. Returns its
    directory."""
    there = place()
    sys.path.insert(0, str(there))
    logging.getLogger("vllm_mlx").setLevel(logging.CRITICAL)
    import vllm_mlx
    if Path(vllm_mlx.__file__).parent != there / "vllm_mlx":
        raise RuntimeError(f"vllm_mlx was imported from {vllm_mlx.__file__} already")
    return there
