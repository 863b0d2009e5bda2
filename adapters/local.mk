# Engines in other languages, as programs that `assay run --engine exec:COMMAND` starts. Nothing is built; the Python package is installed
# as it is, with the adapters of observatory/adapters, for pip install "$(pkg-config --variable=adaptersdir assay)/python".
# SPDX-License-Identifier: Apache-2.0
adapterspythondir = $(pkgdatadir)/adapters/python
dist_adapterspython_DATA = adapters/python/README.md adapters/python/pyproject.toml
adaptersassaydir = $(adapterspythondir)/assay
dist_adaptersassay_DATA = \
	adapters/python/assay/__init__.py \
	adapters/python/assay/__main__.py \
	adapters/python/assay/calls.py \
	adapters/python/assay/checkpoint.py \
	adapters/python/assay/client.py \
	adapters/python/assay/engine.py \
	adapters/python/assay/errors.py \
	adapters/python/assay/frames.py \
	adapters/python/assay/pipes.py \
	adapters/python/assay/py.typed \
	adapters/python/assay/pytest_plugin.py \
	adapters/python/assay/requests.py \
	adapters/python/assay/safetensors_header.py \
	adapters/python/assay/serve.py \
	adapters/python/assay/tensors.py
TESTS += adapters/tests/python.test
EXTRA_DIST += adapters/tests/python.test \
	adapters/python/tests/__init__.py \
	adapters/python/tests/noisy.py \
	adapters/python/tests/test_example.py \
	adapters/python/tests/test_frames.py \
	adapters/python/tests/test_install.py \
	adapters/python/tests/test_plugin.py \
	adapters/python/tests/test_safetensors.py \
	adapters/python/tests/test_serve.py \
	adapters/python/tests/toy.py
