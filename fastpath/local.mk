# Rows of a table, without headers of their own: session/engine.c session/kernels_table.c
# The stateful engine. kernels/ holds one library per instruction set, with its flags only there.
# SPDX-License-Identifier: Apache-2.0
include fastpath/kernels/local.mk

# All but the ABI is a library, so that tests link it.
noinst_LIBRARIES += fastpath/libfastpath.a
fastpath_libfastpath_a_SOURCES = \
	fastpath/attend.c fastpath/attend.h \
	fastpath/cache/cache.c fastpath/cache/cache.h \
	fastpath/cache/cache_spec.c fastpath/cache/cache_spec.h \
	fastpath/cache/cache_type.c fastpath/cache/cache_type.h \
	fastpath/cache/keys.c fastpath/cache/keys.h \
	fastpath/cache/page.c fastpath/cache/page.h \
	fastpath/choice.c fastpath/choice.h \
	fastpath/pack_conv.c fastpath/pack_conv.h \
	fastpath/cross.c fastpath/cross.h \
	fastpath/cross_keys.c fastpath/cross_keys.h \
	fastpath/delta.c fastpath/delta.h \
	fastpath/experts.c fastpath/experts.h \
	fastpath/features.c fastpath/features.h \
	fastpath/forward.c fastpath/forward.h \
	fastpath/head_scale.c fastpath/head_scale.h \
	fastpath/inputs.c fastpath/inputs.h \
	fastpath/layer.c fastpath/layer.h \
	fastpath/layer_norm.c fastpath/layer_norm.h \
	fastpath/mlp.c fastpath/mlp.h \
	fastpath/model.c fastpath/model.h \
	fastpath/ops.c fastpath/ops.h \
	fastpath/pack.c fastpath/pack.h \
	fastpath/pack_matrix.c fastpath/pack_matrix.h \
	fastpath/pass.h fastpath/pass_trace.c fastpath/pass_trace.h \
	fastpath/plane_rope.c fastpath/plane_rope.h \
	fastpath/pool.c fastpath/pool.h \
	fastpath/scratch.c fastpath/scratch.h \
	fastpath/session/feature_cache.c fastpath/session/feature_cache.h \
	fastpath/session/positions.c fastpath/session/positions.h \
	fastpath/session/rope_request.c fastpath/session/rope_request.h \
	fastpath/session/sample.c fastpath/session/sample.h \
	fastpath/session/sample_features.c fastpath/session/sample_features.h \
	fastpath/session/session.c fastpath/session/session.h \
	fastpath/session/step.c fastpath/session/step.h \
	fastpath/session/steps.c fastpath/session/steps.h \
	fastpath/altup.c fastpath/altup.h \
	fastpath/pack_tower.c fastpath/pack_tower.h \
	fastpath/trace.c fastpath/trace.h \
	fastpath/tower/attend.c fastpath/tower/attend.h \
	fastpath/tower/conv.c fastpath/tower/conv.h \
	fastpath/tower/conv_attend.c fastpath/tower/conv_attend.h \
	fastpath/tower/conv_tower.c fastpath/tower/conv_tower.h \
	fastpath/tower/conv_unit.c fastpath/tower/conv_unit.h \
	fastpath/tower/crops.c fastpath/tower/crops.h \
	fastpath/tower/layer.c fastpath/tower/layer.h \
	fastpath/tower/layout.c fastpath/tower/layout.h \
	fastpath/tower/linear.c fastpath/tower/linear.h \
	fastpath/tower/merge.c fastpath/tower/merge.h \
	fastpath/tower/mlp.c fastpath/tower/mlp.h \
	fastpath/tower/padding.c fastpath/tower/padding.h \
	fastpath/tower/pass.h \
	fastpath/tower/patches.c fastpath/tower/patches.h \
	fastpath/tower/rope.c fastpath/tower/rope.h \
	fastpath/tower/audio.c fastpath/tower/audio.h \
	fastpath/tower/tiles.c fastpath/tower/tiles.h \
	fastpath/tower/table.c fastpath/tower/table.h \
	fastpath/tower/taps.c fastpath/tower/taps.h \
	fastpath/tower/tower.c fastpath/tower/tower.h
fastpath_libfastpath_a_CFLAGS = $(NUMERIC_CFLAGS) $(JSONC_CFLAGS)
LIB_FASTPATH = fastpath/libfastpath.a $(LIB_KERNELS)

engine_PROGRAMS += fastpath/fastpath.so
fastpath_fastpath_so_SOURCES = fastpath/session/engine.c fastpath/session/kernels_table.c
fastpath_fastpath_so_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
fastpath_fastpath_so_LDFLAGS = $(ENGINE_LINK)
fastpath_fastpath_so_LDADD = $(LIB_FASTPATH) $(LIB_DIALOGUE)

FASTPATH_TESTS = \
	fastpath/tests/check_blocks \
	fastpath/tests/check_cache \
	fastpath/tests/check_cache_recurrent \
	fastpath/tests/check_cache_specs \
	fastpath/tests/check_choice \
	fastpath/tests/check_conv \
	fastpath/tests/check_cross \
	fastpath/tests/check_delta \
	fastpath/tests/check_engine \
	fastpath/tests/check_features \
	fastpath/tests/check_cache_type \
	fastpath/tests/check_coded \
	fastpath/tests/check_image_positions \
	fastpath/tests/check_images_again \
	fastpath/tests/check_kernels \
	fastpath/tests/check_kernels_table \
	fastpath/tests/check_repack \
	fastpath/tests/check_limit \
	fastpath/tests/check_memory_images \
	fastpath/tests/check_narrow \
	fastpath/tests/check_outside \
	fastpath/tests/check_pool \
	fastpath/tests/check_session \
	fastpath/tests/check_session_fork \
	fastpath/tests/check_steps \
	fastpath/tests/check_tap \
	fastpath/tests/check_threads \
	fastpath/tests/check_threads_images \
	fastpath/tests/check_vision
check_PROGRAMS += $(FASTPATH_TESTS)
TESTS += $(FASTPATH_TESTS)
check_LIBRARIES += fastpath/tests/libtests.a
fastpath_tests_libtests_a_SOURCES = \
	fastpath/tests/courses.c fastpath/tests/courses.h \
	fastpath/tests/grid.c fastpath/tests/grid.h \
	fastpath/tests/naive_tower.c fastpath/tests/naive_tower.h \
	fastpath/tests/pictures.c fastpath/tests/pictures.h \
	fastpath/tests/sessions.c fastpath/tests/sessions.h \
	fastpath/tests/towers.c fastpath/tests/towers.h
fastpath_tests_libtests_a_CFLAGS = $(TEST_CFLAGS)
# Tests of the module that they open through the ABI.
check_LIBRARIES += fastpath/tests/libabi.a
fastpath_tests_libabi_a_SOURCES = fastpath/tests/abi.c fastpath/tests/abi.h
fastpath_tests_libabi_a_CFLAGS = $(TEST_CFLAGS)
FASTPATH_ABI_TEST_LIBS = fastpath/tests/libabi.a fastpath/tests/libtests.a $(TEST_LIBS)
FASTPATH_TEST_LIBS = fastpath/tests/libtests.a $(LIB_FASTPATH) $(TEST_LIBS)
fastpath_tests_check_blocks_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_blocks_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_blocks_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fp_forward
fastpath_tests_check_cache_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_cache_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_cache_recurrent_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_cache_recurrent_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_cache_specs_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_cache_specs_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_conv_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_conv_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_engine_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_engine_LDADD = $(FASTPATH_ABI_TEST_LIBS)
fastpath_tests_check_features_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_features_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_features_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fp_tower_run
fastpath_tests_check_grid_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_grid_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_grid_steps_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_grid_steps_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_image_positions_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_image_positions_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_images_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_images_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_cross_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_cross_LDADD = $(FASTPATH_ABI_TEST_LIBS)
fastpath_tests_check_images_again_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_images_again_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_repack_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_repack_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_kernels_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_kernels_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_kernels_table_SOURCES = fastpath/tests/check_kernels_table.c fastpath/session/kernels_table.c
fastpath_tests_check_kernels_table_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_kernels_table_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_limit_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_limit_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_limit_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fp_page_make,--wrap=fp_page_release
fastpath_tests_check_memory_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_memory_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
fastpath_tests_check_choice_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_choice_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_delta_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_delta_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_memory_images_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_memory_images_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_memory_images_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
fastpath_tests_check_cache_type_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_cache_type_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_coded_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_coded_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_narrow_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_narrow_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_outside_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_outside_LDADD = $(FASTPATH_ABI_TEST_LIBS)
fastpath_tests_check_pool_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_pool_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_session_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_session_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_session_fork_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_session_fork_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_steps_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_steps_LDADD = $(FASTPATH_ABI_TEST_LIBS)
fastpath_tests_check_tap_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_tap_LDADD = $(FASTPATH_ABI_TEST_LIBS)
fastpath_tests_check_threads_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_threads_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_threads_images_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_threads_images_LDADD = $(FASTPATH_TEST_LIBS)
fastpath_tests_check_vision_CFLAGS = $(TEST_CFLAGS)
fastpath_tests_check_vision_LDADD = $(FASTPATH_TEST_LIBS)
