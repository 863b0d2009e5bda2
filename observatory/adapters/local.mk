# SPDX-License-Identifier: Apache-2.0
# The adapters are installed with the package of adapters/python.
adapterssystemsdir = $(adaptersassaydir)/adapters
dist_adapterssystems_DATA = \
	observatory/adapters/README.md \
	observatory/adapters/assay/adapters/__init__.py \
	observatory/adapters/assay/adapters/llama_cpp.py \
	observatory/adapters/assay/adapters/llama_cpp_context.py \
	observatory/adapters/assay/adapters/llama_cpp_taps.py \
	observatory/adapters/assay/adapters/mlx_lm.py \
	observatory/adapters/assay/adapters/mlx_vlm.py \
	observatory/adapters/assay/adapters/mlx_vlm_batches.py \
	observatory/adapters/assay/adapters/onnxruntime_genai.py \
	observatory/adapters/assay/adapters/onnxruntime_genai_export.py \
	observatory/adapters/assay/adapters/onnxruntime_genai_samples.py \
	observatory/adapters/assay/adapters/openvino_genai.py \
	observatory/adapters/assay/adapters/openvino_genai_export.py \
	observatory/adapters/assay/adapters/openvino_genai_paged.py \
	observatory/adapters/assay/adapters/openvino_genai_stateful.py \
	observatory/adapters/assay/adapters/transformers.py \
	observatory/adapters/assay/adapters/transformers_batches.py \
	observatory/adapters/assay/adapters/transformers_taps.py
adaptersggufdir = $(adapterssystemsdir)/gguf
dist_adaptersgguf_DATA = \
	observatory/adapters/assay/adapters/gguf/__init__.py \
	observatory/adapters/assay/adapters/gguf/convert.py \
	observatory/adapters/assay/adapters/gguf/families.py \
	observatory/adapters/assay/adapters/gguf/rope.py \
	observatory/adapters/assay/adapters/gguf/write.py
adaptersmlxdir = $(adapterssystemsdir)/mlx
dist_adaptersmlx_DATA = \
	observatory/adapters/assay/adapters/mlx/__init__.py \
	observatory/adapters/assay/adapters/mlx/hooks.py \
	observatory/adapters/assay/adapters/mlx/lm_taps.py \
	observatory/adapters/assay/adapters/mlx/processors.py \
	observatory/adapters/assay/adapters/mlx/samples.py \
	observatory/adapters/assay/adapters/mlx/sessions.py \
	observatory/adapters/assay/adapters/mlx/vlm_taps.py
adaptersshareddir = $(adapterssystemsdir)/shared
dist_adaptersshared_DATA = \
	observatory/adapters/assay/adapters/shared/__init__.py
adaptersrequirementsdir = $(adapterspythondir)/requirements
dist_adaptersrequirements_DATA = \
	observatory/adapters/requirements/llama_cpp.txt \
	observatory/adapters/requirements/mlx_lm.txt \
	observatory/adapters/requirements/mlx_vlm.txt \
	observatory/adapters/requirements/onnxruntime_genai.txt \
	observatory/adapters/requirements/openvino_genai.txt \
	observatory/adapters/requirements/transformers.txt
EXTRA_DIST += observatory/adapters/findings.tsv observatory/adapters/pyproject.toml \
	observatory/adapters/tests/fake_torch.py \
	observatory/adapters/tests/openvino_streams.py \
	observatory/adapters/tests/test_gguf.py \
	observatory/adapters/tests/test_install.py \
	observatory/adapters/tests/test_mlx.py \
	observatory/adapters/tests/test_transformers.py
