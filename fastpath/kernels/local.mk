# Rows of a table, without headers of their own: */*__*.c
# One library per instruction set, with its flags only there.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += fastpath/libkernels.a
fastpath_libkernels_a_SOURCES = fastpath/kernels/kernels.c fastpath/kernels/kernels.h
fastpath_libkernels_a_CFLAGS = $(NUMERIC_CFLAGS)
FP_SETS =
LIB_KERNELS = fastpath/libkernels.a $(FP_SETS) $(LIB_MODEL)
fastpath_libkernels_a_LIBADD =
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
include fastpath/kernels/stored/local.mk
if FP_HAVE_NEON
noinst_LIBRARIES += fastpath/libneon.a
fastpath_libneon_a_SOURCES = $(FP_OVER_VECTORS) $(FP_NEON)
fastpath_libneon_a_CFLAGS = $(NUMERIC_CFLAGS) $(NEON_CFLAGS)
FP_SETS += fastpath/libneon.a
endif
if FP_HAVE_AVX2
noinst_LIBRARIES += fastpath/libavx2.a
fastpath_libavx2_a_SOURCES = $(FP_OVER_VECTORS) $(FP_AVX2)
fastpath_libavx2_a_CFLAGS = $(NUMERIC_CFLAGS) $(AVX2_CFLAGS)
FP_SETS += fastpath/libavx2.a
endif
if FP_HAVE_AVX512
noinst_LIBRARIES += fastpath/libavx512.a
fastpath_libavx512_a_SOURCES = $(FP_OVER_VECTORS) $(FP_AVX512)
fastpath_libavx512_a_CFLAGS = $(NUMERIC_CFLAGS) $(AVX512_CFLAGS)
FP_SETS += fastpath/libavx512.a
endif
if FP_HAVE_AVX512BF16
noinst_LIBRARIES += fastpath/libavx512bf16.a
fastpath_libavx512bf16_a_SOURCES = $(FP_AVX512BF16)
fastpath_libavx512bf16_a_CFLAGS = $(NUMERIC_CFLAGS) $(AVX512BF16_CFLAGS)
FP_SETS += fastpath/libavx512bf16.a
endif
if FP_HAVE_AMX
noinst_LIBRARIES += fastpath/libamx.a
fastpath_libamx_a_SOURCES = $(FP_AMX)
fastpath_libamx_a_CFLAGS = $(NUMERIC_CFLAGS) $(AMX_CFLAGS)
FP_SETS += fastpath/libamx.a
endif

# Sweeps the kernels of every instruction set.
TESTS += fastpath/tests/sweep.test
EXTRA_DIST += fastpath/tests/sweep.test fastpath/tests/sweep_amx.test fastpath/tests/sweep_set.c

# The kernels for AMX over tiles in plain C, for which AVX-512 suffices.
if FP_HAVE_AVX512
noinst_LIBRARIES += fastpath/tests/libamx_emulated.a
fastpath_tests_libamx_emulated_a_SOURCES = \
	fastpath/tests/amx_emulated.c fastpath/tests/amx_emulated.h \
	fastpath/tests/sweep_amx.h
fastpath_tests_libamx_emulated_a_CFLAGS = $(NUMERIC_CFLAGS) $(AVX512_CFLAGS)
check_PROGRAMS += fastpath/tests/sweep_amx
fastpath_tests_sweep_amx_SOURCES = \
	fastpath/tests/sweep_amx.c \
	fastpath/tests/sweep_here.c fastpath/tests/sweep_here.h
fastpath_tests_sweep_amx_CFLAGS = $(AM_CFLAGS)
fastpath_tests_sweep_amx_LDADD = \
	fastpath/tests/libamx_emulated.a \
	conformance/libsweep.a $(LIB_KERNELS)
TESTS += fastpath/tests/sweep_amx.test
endif

# For scripts/bench-kernels.
EXTRA_PROGRAMS += fastpath/tests/bench_kernels
CLEANFILES += fastpath/tests/bench_kernels
fastpath_tests_bench_kernels_SOURCES = \
	fastpath/tests/bench_kernels.c \
	fastpath/tests/peak.h fastpath/tests/peak__scalar.c
fastpath_tests_bench_kernels_CFLAGS = $(AM_CFLAGS)
fastpath_tests_bench_kernels_LDADD = $(LIB_KERNELS)
if FP_HAVE_AVX2
EXTRA_LIBRARIES += fastpath/tests/libpeak_avx2.a
fastpath_tests_libpeak_avx2_a_SOURCES = fastpath/tests/peak__avx2.c
fastpath_tests_libpeak_avx2_a_CFLAGS = $(NUMERIC_CFLAGS) $(AVX2_CFLAGS)
fastpath_tests_bench_kernels_LDADD += fastpath/tests/libpeak_avx2.a
endif
if FP_HAVE_AVX512
EXTRA_LIBRARIES += fastpath/tests/libpeak_avx512.a
fastpath_tests_libpeak_avx512_a_SOURCES = fastpath/tests/peak__avx512.c
fastpath_tests_libpeak_avx512_a_CFLAGS = $(NUMERIC_CFLAGS) $(AVX512_CFLAGS)
fastpath_tests_bench_kernels_LDADD += fastpath/tests/libpeak_avx512.a
endif
