# A kernel library, engines and a wrapper to start from: installed next to the fixtures, and built by their own Makefiles against the installed
# headers, as in examples/tests. exec-engine needs no build.
# SPDX-License-Identifier: Apache-2.0
exampleskernelsdir = $(pkgdatadir)/examples/kernels
dist_exampleskernels_DATA = \
	examples/kernels/Makefile \
	examples/kernels/README.md \
	examples/kernels/example.c \
	examples/kernels/example.h \
	examples/kernels/matmul_bf16.c \
	examples/kernels/matmul_stored.c \
	examples/kernels/rms_norm.c
examplesenginedir = $(pkgdatadir)/examples/engine
dist_examplesengine_DATA = \
	examples/engine/Makefile \
	examples/engine/README.md \
	examples/engine/check.c \
	examples/engine/check.h \
	examples/engine/checkpoint.c \
	examples/engine/checkpoint.h \
	examples/engine/engine.c \
	examples/engine/engine.h \
	examples/engine/llama.c \
	examples/engine/llama.h \
	examples/engine/optional.c \
	examples/engine/optional.h
examplesexecenginedir = $(pkgdatadir)/examples/exec-engine
dist_examplesexecengine_DATA = \
	examples/exec-engine/Makefile \
	examples/exec-engine/README.md \
	examples/exec-engine/engine.py \
	examples/exec-engine/llama.py
exampleswrapperdir = $(pkgdatadir)/examples/wrapper
dist_exampleswrapper_DATA = \
	examples/wrapper/Makefile \
	examples/wrapper/README.md \
	examples/wrapper/wrapper.c
TESTS += examples/tests/engine.test examples/tests/exec_engine.test examples/tests/kernels.test examples/tests/wrapper.test
EXTRA_DIST += examples/tests/engine.test examples/tests/exec_engine.test examples/tests/installed.sh examples/tests/kernels.test \
	examples/tests/wrapper.test
