# SPDX-License-Identifier: Apache-2.0
lib_model_libmodel_a_SOURCES += \
	lib/model/plan/arrays.c lib/model/plan/arrays.h \
	lib/model/plan/bind.c lib/model/plan/bind.h \
	lib/model/plan/bind_conv.c lib/model/plan/bind_conv.h \
	lib/model/plan/bind_experts.c lib/model/plan/bind_experts.h \
	lib/model/plan/bind_format.c lib/model/plan/bind_format.h \
	lib/model/plan/bind_matrix.c lib/model/plan/bind_matrix.h \
	lib/model/plan/bind_patches.c lib/model/plan/bind_patches.h \
	lib/model/plan/bind_tensor.c lib/model/plan/bind_tensor.h \
	lib/model/plan/bind_vector.c lib/model/plan/bind_vector.h \
	lib/model/plan/checker.c lib/model/plan/checker.h \
	lib/model/plan/conv.c lib/model/plan/conv.h \
	lib/model/plan/cost.c lib/model/plan/cost.h \
	lib/model/plan/cost_tower.c lib/model/plan/cost_tower.h \
	lib/model/plan/feature.c lib/model/plan/feature.h \
	lib/model/plan/mask.c lib/model/plan/mask.h \
	lib/model/plan/merger.c lib/model/plan/merger.h \
	lib/model/plan/parts.h \
	lib/model/plan/plan.c lib/model/plan/plan.h \
	lib/model/plan/print.c lib/model/plan/print.h \
	lib/model/plan/print_conv.c lib/model/plan/print_conv.h \
	lib/model/plan/print_norm.c lib/model/plan/print_norm.h \
	lib/model/plan/print_tower.c lib/model/plan/print_tower.h \
	lib/model/plan/shapes.c lib/model/plan/shapes.h \
	lib/model/plan/shapes_conv.c lib/model/plan/shapes_conv.h \
	lib/model/plan/shapes_tower.c lib/model/plan/shapes_tower.h \
	lib/model/plan/audio.h \
	lib/model/plan/tiles.h \
	lib/model/plan/tower.h

MODEL_PLAN_TESTS = \
	lib/model/plan/tests/check_bind_tower \
	lib/model/plan/tests/check_conv \
	lib/model/plan/tests/check_cost \
	lib/model/plan/tests/check_feature \
	lib/model/plan/tests/check_head \
	lib/model/plan/tests/check_mask \
	lib/model/plan/tests/check_plan \
	lib/model/plan/tests/check_quantized \
	lib/model/plan/tests/check_quantized_refused \
	lib/model/plan/tests/check_stacks \
	lib/model/plan/tests/check_refused \
	lib/model/plan/tests/check_shapes \
	lib/model/plan/tests/check_shapes_damaged \
	lib/model/plan/tests/check_shapes_tower
check_PROGRAMS += $(MODEL_PLAN_TESTS)
TESTS += $(MODEL_PLAN_TESTS)
lib_model_plan_tests_check_conv_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_conv_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_cost_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_cost_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_feature_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_feature_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_mask_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_mask_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_plan_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_plan_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_quantized_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_quantized_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_quantized_refused_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_quantized_refused_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_shapes_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_shapes_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_refused_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_refused_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_bind_tower_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_bind_tower_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_shapes_damaged_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_shapes_damaged_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_shapes_tower_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_shapes_tower_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_stacks_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_stacks_LDADD = $(TEST_LIBS)
lib_model_plan_tests_check_head_CFLAGS = $(TEST_CFLAGS)
lib_model_plan_tests_check_head_LDADD = $(TEST_LIBS)
