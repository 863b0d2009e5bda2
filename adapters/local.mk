# Adapters: published systems, and engines in other languages, as programs that `assay run --engine exec:COMMAND` starts. Nothing is built; the
# Python package is installed as it is, for pip install "$(pkg-config --variable=adaptersdir assay)/python".
# SPDX-License-Identifier: Apache-2.0
adapterspythondir = $(pkgdatadir)/adapters/python
dist_adapterspython_DATA = adapters/python/README.md adapters/python/pyproject.toml
adaptersassaydir = $(adapterspythondir)/assay
dist_adaptersassay_DATA = \
	adapters/python/assay/__init__.py \
	adapters/python/assay/__main__.py \
	adapters/python/assay/calls.py \
	adapters/python/assay/client.py \
	adapters/python/assay/engine.py \
	adapters/python/assay/errors.py \
	adapters/python/assay/frames.py \
	adapters/python/assay/pipes.py \
	adapters/python/assay/py.typed \
	adapters/python/assay/pytest_plugin.py \
	adapters/python/assay/requests.py \
	adapters/python/assay/serve.py \
	adapters/python/assay/tensors.py
adapterssystemsdir = $(adaptersassaydir)/adapters
dist_adapterssystems_DATA = \
	adapters/python/assay/adapters/__init__.py \
	adapters/python/assay/adapters/checkpoint.py \
	adapters/python/assay/adapters/gguf_write.py \
	adapters/python/assay/adapters/llama_cpp.py \
	adapters/python/assay/adapters/llama_cpp_context.py \
	adapters/python/assay/adapters/llama_cpp_families.py \
	adapters/python/assay/adapters/llama_cpp_gguf.py \
	adapters/python/assay/adapters/llama_cpp_rope.py \
	adapters/python/assay/adapters/llama_cpp_taps.py \
	adapters/python/assay/adapters/mlx_hooks.py \
	adapters/python/assay/adapters/mlx_lm.py \
	adapters/python/assay/adapters/mlx_lm_taps.py \
	adapters/python/assay/adapters/mlx_sessions.py \
	adapters/python/assay/adapters/mlx_vlm.py \
	adapters/python/assay/adapters/mlx_vlm_batches.py \
	adapters/python/assay/adapters/mlx_vlm_processors.py \
	adapters/python/assay/adapters/mlx_vlm_samples.py \
	adapters/python/assay/adapters/mlx_vlm_taps.py \
	adapters/python/assay/adapters/onnxruntime_genai.py \
	adapters/python/assay/adapters/onnxruntime_genai_export.py \
	adapters/python/assay/adapters/onnxruntime_genai_samples.py \
	adapters/python/assay/adapters/openvino_genai.py \
	adapters/python/assay/adapters/openvino_genai_export.py \
	adapters/python/assay/adapters/openvino_genai_paged.py \
	adapters/python/assay/adapters/openvino_genai_stateful.py \
	adapters/python/assay/adapters/parts.py \
	adapters/python/assay/adapters/safetensors_header.py \
	adapters/python/assay/adapters/transformers.py \
	adapters/python/assay/adapters/transformers_batches.py \
	adapters/python/assay/adapters/transformers_taps.py
adaptersrequirementsdir = $(adapterspythondir)/requirements
dist_adaptersrequirements_DATA = \
	adapters/python/requirements/llama_cpp.txt \
	adapters/python/requirements/mlx_lm.txt \
	adapters/python/requirements/mlx_vlm.txt \
	adapters/python/requirements/onnxruntime_genai.txt \
	adapters/python/requirements/openvino_genai.txt \
	adapters/python/requirements/transformers.txt
TESTS += adapters/tests/python.test
EXTRA_DIST += adapters/tests/python.test \
	adapters/python/findings.tsv \
	adapters/python/tests/__init__.py \
	adapters/python/tests/cases.py \
	adapters/python/tests/fake_torch.py \
	adapters/python/tests/noisy.py \
	adapters/python/tests/openvino_streams.py \
	adapters/python/tests/run.py \
	adapters/python/tests/test_example.py \
	adapters/python/tests/test_frames.py \
	adapters/python/tests/test_gguf.py \
	adapters/python/tests/test_install.py \
	adapters/python/tests/test_mlx.py \
	adapters/python/tests/test_plugin.py \
	adapters/python/tests/test_safetensors.py \
	adapters/python/tests/test_serve.py \
	adapters/python/tests/test_transformers.py \
	adapters/python/tests/toy.py
