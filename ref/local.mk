# Rows of a table, without headers of their own: engine.c
# The reference engine: one source, compiled once for float and once for double.
# SPDX-License-Identifier: Apache-2.0
REF_SOURCES = \
	ref/arithmetic/blas.c ref/arithmetic/blas.h \
	ref/arithmetic/exponential.c ref/arithmetic/exponential.h \
	ref/arithmetic/panels.c ref/arithmetic/panels.h \
	ref/arithmetic/product.c ref/arithmetic/product.h \
	ref/arithmetic/real.h \
	ref/arithmetic/tile.c ref/arithmetic/tile.h \
	ref/arithmetic/weight.c ref/arithmetic/weight.h \
	ref/choice.c ref/choice.h \
	ref/conv.c ref/conv.h \
	ref/conv_tower.c ref/conv_tower.h \
	ref/cross.c ref/cross.h \
	ref/delta.c ref/delta.h \
	ref/features.c ref/features.h \
	ref/forward.c ref/forward.h \
	ref/heads.c ref/heads.h \
	ref/layer.c ref/layer.h \
	ref/merger.c ref/merger.h \
	ref/mlp.c ref/mlp.h \
	ref/ops.c ref/ops.h \
	ref/pass.h \
	ref/patches.c ref/patches.h \
	ref/position_table.c ref/position_table.h \
	ref/sample.c ref/sample.h \
	ref/session.c ref/session.h \
	ref/audio.c ref/audio.h \
	ref/step.c ref/step.h \
	ref/altup.c ref/altup.h \
	ref/tile_rows.h \
	ref/tiles.c ref/tiles.h \
	ref/tower.c ref/tower.h \
	ref/tower_layer.c ref/tower_layer.h \
	ref/trace.c ref/trace.h

noinst_LIBRARIES += ref/libref32.a ref/libref64.a
ref_libref32_a_SOURCES = $(REF_SOURCES)
ref_libref32_a_CFLAGS = $(NUMERIC_CFLAGS) $(OPENBLAS_CFLAGS) $(JSONC_CFLAGS)
ref_libref64_a_SOURCES = $(REF_SOURCES)
ref_libref64_a_CPPFLAGS = $(AM_CPPFLAGS) -DREF_DOUBLE
ref_libref64_a_CFLAGS = $(ref_libref32_a_CFLAGS)

engine_PROGRAMS += ref/ref32.so ref/ref64.so
ref_ref32_so_SOURCES = ref/engine.c
ref_ref32_so_CPPFLAGS = $(AM_CPPFLAGS)
ref_ref32_so_CFLAGS = $(ref_libref32_a_CFLAGS)
ref_ref32_so_LDFLAGS = $(ENGINE_LINK)
ref_ref32_so_LDADD = ref/libref32.a $(LIB_DIALOGUE) $(OPENBLAS_LIBS)
ref_ref64_so_SOURCES = ref/engine.c
ref_ref64_so_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_ref64_so_CFLAGS = $(ref_libref32_a_CFLAGS)
ref_ref64_so_LDFLAGS = $(ref_ref32_so_LDFLAGS)
ref_ref64_so_LDADD = ref/libref64.a $(LIB_DIALOGUE) $(OPENBLAS_LIBS)

REF_TESTS = \
	ref/tests/check_blocks \
	ref/tests/check_conv \
	ref/tests/check_crops \
	ref/tests/check_delta \
	ref/tests/check_engine \
	ref/tests/check_experts \
	ref/tests/check_exponential \
	ref/tests/check_images \
	ref/tests/check_memory \
	ref/tests/check_merger \
	ref/tests/check_ops \
	ref/tests/check_plane_rope \
	ref/tests/check_position_table \
	ref/tests/check_product \
	ref/tests/check_session \
	ref/tests/check_audio \
	ref/tests/check_step \
	ref/tests/check_tap \
	ref/tests/check_tiles \
	ref/tests/check_tower \
	ref/tests/check_unload
check_LIBRARIES += ref/tests/libtests.a
ref_tests_libtests_a_SOURCES = \
	ref/tests/engines.c ref/tests/engines.h \
	ref/tests/pictures.c ref/tests/pictures.h \
	ref/tests/towers.c ref/tests/towers.h
ref_tests_libtests_a_CFLAGS = $(TEST_CFLAGS)
REF_TEST_LIBS = ref/tests/libtests.a ref/libref64.a $(TEST_LIBS) $(OPENBLAS_LIBS)
check_PROGRAMS += $(REF_TESTS)
TESTS += $(REF_TESTS)
ref_tests_check_blocks_CFLAGS = $(TEST_CFLAGS)
ref_tests_check_blocks_LDADD = $(REF_TEST_LIBS)
ref_tests_check_conv_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_conv_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_conv_LDADD = $(REF_TEST_LIBS)
ref_tests_check_delta_SOURCES = ref/tests/check_delta.c
ref_tests_check_delta_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_delta_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_delta_LDADD = $(REF_TEST_LIBS)
ref_tests_check_engine_CFLAGS = $(TEST_CFLAGS)
ref_tests_check_engine_LDADD = $(REF_TEST_LIBS)
ref_tests_check_images_CFLAGS = $(TEST_CFLAGS)
ref_tests_check_images_LDADD = $(REF_TEST_LIBS)
ref_tests_check_memory_SOURCES = ref/tests/check_memory.c ref/engine.c
ref_tests_check_memory_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_memory_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
ref_tests_check_memory_LDADD = ref/tests/libtests.a ref/libref64.a $(LIB_DIALOGUE) $(TEST_LIBS) $(OPENBLAS_LIBS)
ref_tests_check_audio_SOURCES = ref/tests/check_audio.c
ref_tests_check_audio_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_audio_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_audio_LDADD = $(REF_TEST_LIBS)
ref_tests_check_merger_SOURCES = ref/tests/check_merger.c
ref_tests_check_merger_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_merger_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_merger_LDADD = $(REF_TEST_LIBS)
ref_tests_check_experts_SOURCES = ref/tests/check_experts.c
ref_tests_check_experts_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_experts_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_experts_LDADD = $(REF_TEST_LIBS)
ref_tests_check_exponential_SOURCES = ref/tests/check_exponential.c
ref_tests_check_exponential_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_exponential_CFLAGS = $(TEST_CFLAGS)
ref_tests_check_exponential_LDADD = $(REF_TEST_LIBS)
ref_tests_check_ops_SOURCES = ref/tests/check_ops.c
ref_tests_check_ops_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_ops_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_ops_LDADD = $(REF_TEST_LIBS)
ref_tests_check_crops_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_crops_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_crops_LDADD = $(REF_TEST_LIBS)
ref_tests_check_plane_rope_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_plane_rope_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_plane_rope_LDADD = $(REF_TEST_LIBS)
ref_tests_check_position_table_SOURCES = ref/tests/check_position_table.c
ref_tests_check_position_table_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_position_table_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_position_table_LDADD = $(REF_TEST_LIBS)
ref_tests_check_product_SOURCES = ref/tests/check_product.c
ref_tests_check_product_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_product_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_product_LDADD = $(REF_TEST_LIBS)
ref_tests_check_session_CFLAGS = $(TEST_CFLAGS)
ref_tests_check_session_LDADD = $(REF_TEST_LIBS)
ref_tests_check_step_CFLAGS = $(TEST_CFLAGS)
ref_tests_check_step_LDADD = $(REF_TEST_LIBS)
ref_tests_check_tap_CFLAGS = $(TEST_CFLAGS)
ref_tests_check_tap_LDADD = $(REF_TEST_LIBS)
ref_tests_check_tiles_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_tiles_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_tiles_LDADD = $(REF_TEST_LIBS)
ref_tests_check_tower_CPPFLAGS = $(ref_libref64_a_CPPFLAGS)
ref_tests_check_tower_CFLAGS = $(TEST_CFLAGS) $(OPENBLAS_CFLAGS)
ref_tests_check_tower_LDADD = $(REF_TEST_LIBS)
ref_tests_check_unload_CFLAGS = $(TEST_CFLAGS)
ref_tests_check_unload_LDADD = $(REF_TEST_LIBS)
