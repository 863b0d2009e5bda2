"""The systems of the scoreboard: one for each file in observatory/adapters/requirements, and engines that come with Assay."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scripts.venvs import Packages


@dataclass(frozen=True)
class System:
    """A column. name: of the adapter's module and of its requirements. made_of: the packages whose versions are stated. observed: the names that its recorded
    observations have (observatory/observations.tsv). environment: of pip, while it builds. bundled: an engine that comes with Assay."""

    name: str
    title: str
    made_of: tuple[str, ...]
    observed: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    bundled: bool = False


# llama.cpp: builds only the libraries, for this processor.
KNOWN = (
    System("transformers", "transformers", ("transformers", "torch")),
    System("mlx_lm", "mlx-lm", ("mlx-lm", "mlx"), ("mlx-lm",)),
    System("mlx_vlm", "mlx-vlm", ("mlx-vlm", "mlx"), ("mlx-vlm", "mlx-vlm-batch")),
    System("llama_cpp", "llama-cpp-python", ("llama-cpp-python",), ("llama-cpp",), environment=(
        ("CMAKE_ARGS", "-DGGML_NATIVE=ON -DGGML_OPENMP=OFF -DLLAVA_BUILD=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF "
         "-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_SERVER=OFF -DLLAMA_CURL=OFF"),)),
    System("openvino_genai", "OpenVINO GenAI", ("openvino-genai", "openvino"), ("openvino",)),
    System("onnxruntime_genai", "onnxruntime-genai", ("onnxruntime-genai", "onnxruntime"), ("onnxruntime-genai",)),
)
BUNDLED = (System("fastpath", "fastpath (Assay)", (), bundled=True), System("ref32", "ref32 (Assay)", (), bundled=True))


def packages(system: System, adapters: Path) -> Packages:
    return Packages(adapters / "requirements" / f"{system.name}.txt", environment=system.environment)


def found(adapters: Path) -> list[System]:
    """The systems with a file of requirements: those of KNOWN in its order, then others, which state the versions of all that they pin."""
    names = sorted(path.stem for path in (adapters / "requirements").glob("*.txt"))
    known = [one for one in KNOWN if one.name in names]
    others = [name for name in names if name not in {one.name for one in KNOWN}]
    return known + [System(name, name, tuple(Packages(adapters / "requirements" / f"{name}.txt").pins())) for name in others]


def chosen(adapters: Path, names: list[str]) -> list[System]:
    """names []: every adapter and, last, fastpath as a control. Raises ValueError."""
    all_of_them = {one.name: one for one in [*found(adapters), *BUNDLED]}
    if unknown := [name for name in names if name not in all_of_them]:
        raise ValueError(f"--systems: found {unknown[0]}, expected some of {', '.join(all_of_them)}")
    return [one for one in all_of_them.values() if (one.name in names if names else one.name != "ref32")]
