# One convenience library per instruction set, with its flags only there.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += fastpath/libkernels.la
fastpath_libkernels_la_SOURCES = fastpath/kernels/kernels.c fastpath/kernels/kernels.h
fastpath_libkernels_la_CFLAGS = $(NUMERIC_CFLAGS)
fastpath_libkernels_la_LIBADD =
# Headers over vectors of any width, and each set's own sources; the folders of operations add theirs.
FP_OVER_VECTORS =
FP_NEON =
FP_AVX2 =
FP_AVX512 =
FP_AVX512BF16 =
FP_AMX =
include fastpath/kernels/isa/local.mk
include fastpath/kernels/vec/local.mk
include fastpath/kernels/attention/local.mk
include fastpath/kernels/cap/local.mk
include fastpath/kernels/delta/local.mk
include fastpath/kernels/gate/local.mk
include fastpath/kernels/matmul/local.mk
include fastpath/kernels/narrow/local.mk
include fastpath/kernels/rms_norm/local.mk
include fastpath/kernels/rope/local.mk
include fastpath/kernels/router/local.mk
if FP_HAVE_NEON
noinst_LTLIBRARIES += fastpath/libneon.la
fastpath_libneon_la_SOURCES = $(FP_OVER_VECTORS) $(FP_NEON)
fastpath_libneon_la_CFLAGS = $(NUMERIC_CFLAGS) $(NEON_CFLAGS)
fastpath_libkernels_la_LIBADD += fastpath/libneon.la
endif
if FP_HAVE_AVX2
noinst_LTLIBRARIES += fastpath/libavx2.la
fastpath_libavx2_la_SOURCES = $(FP_OVER_VECTORS) $(FP_AVX2)
fastpath_libavx2_la_CFLAGS = $(NUMERIC_CFLAGS) $(AVX2_CFLAGS)
fastpath_libkernels_la_LIBADD += fastpath/libavx2.la
endif
if FP_HAVE_AVX512
noinst_LTLIBRARIES += fastpath/libavx512.la
fastpath_libavx512_la_SOURCES = $(FP_OVER_VECTORS) $(FP_AVX512)
fastpath_libavx512_la_CFLAGS = $(NUMERIC_CFLAGS) $(AVX512_CFLAGS)
fastpath_libkernels_la_LIBADD += fastpath/libavx512.la
endif
if FP_HAVE_AVX512BF16
noinst_LTLIBRARIES += fastpath/libavx512bf16.la
fastpath_libavx512bf16_la_SOURCES = $(FP_AVX512BF16)
fastpath_libavx512bf16_la_CFLAGS = $(NUMERIC_CFLAGS) $(AVX512BF16_CFLAGS)
fastpath_libkernels_la_LIBADD += fastpath/libavx512bf16.la
endif
if FP_HAVE_AMX
noinst_LTLIBRARIES += fastpath/libamx.la
fastpath_libamx_la_SOURCES = $(FP_AMX)
fastpath_libamx_la_CFLAGS = $(NUMERIC_CFLAGS) $(AMX_CFLAGS)
fastpath_libkernels_la_LIBADD += fastpath/libamx.la
endif

# Sweeps the kernels of every instruction set.
TESTS += fastpath/tests/sweep.test
EXTRA_DIST += fastpath/tests/sweep.test fastpath/tests/sweep_amx.test fastpath/tests/sweep_set.c

# The kernels for AMX over tiles in plain C, for which AVX-512 suffices.
if FP_HAVE_AVX512
noinst_LTLIBRARIES += fastpath/tests/libamx_emulated.la
fastpath_tests_libamx_emulated_la_SOURCES = \
	fastpath/tests/amx_emulated.c fastpath/tests/amx_emulated.h \
	fastpath/tests/sweep_amx.h
fastpath_tests_libamx_emulated_la_CFLAGS = $(NUMERIC_CFLAGS) $(AVX512_CFLAGS)
check_PROGRAMS += fastpath/tests/sweep_amx
fastpath_tests_sweep_amx_SOURCES = \
	fastpath/tests/sweep_amx.c \
	fastpath/tests/sweep_here.c fastpath/tests/sweep_here.h
fastpath_tests_sweep_amx_CFLAGS = $(AM_CFLAGS)
fastpath_tests_sweep_amx_LDADD = \
	fastpath/tests/libamx_emulated.la \
	conformance/libsweep.la fastpath/libkernels.la lib/model/libmodel.la $(JSONC_LIBS)
TESTS += fastpath/tests/sweep_amx.test
endif

# For scripts/bench-kernels.
EXTRA_PROGRAMS += fastpath/tests/bench_kernels
CLEANFILES += fastpath/tests/bench_kernels
fastpath_tests_bench_kernels_SOURCES = \
	fastpath/tests/bench_kernels.c \
	fastpath/tests/peak.h fastpath/tests/peak__scalar.c
fastpath_tests_bench_kernels_CFLAGS = $(AM_CFLAGS)
fastpath_tests_bench_kernels_LDADD = fastpath/libkernels.la lib/model/libmodel.la $(JSONC_LIBS)
if FP_HAVE_AVX2
EXTRA_LTLIBRARIES += fastpath/tests/libpeak_avx2.la
fastpath_tests_libpeak_avx2_la_SOURCES = fastpath/tests/peak__avx2.c
fastpath_tests_libpeak_avx2_la_CFLAGS = $(NUMERIC_CFLAGS) $(AVX2_CFLAGS)
fastpath_tests_bench_kernels_LDADD += fastpath/tests/libpeak_avx2.la
endif
if FP_HAVE_AVX512
EXTRA_LTLIBRARIES += fastpath/tests/libpeak_avx512.la
fastpath_tests_libpeak_avx512_la_SOURCES = fastpath/tests/peak__avx512.c
fastpath_tests_libpeak_avx512_la_CFLAGS = $(NUMERIC_CFLAGS) $(AVX512_CFLAGS)
fastpath_tests_bench_kernels_LDADD += fastpath/tests/libpeak_avx512.la
endif
