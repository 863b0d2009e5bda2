# SPDX-License-Identifier: Apache-2.0
model_libmodel_la_SOURCES += \
	model/plan/arrays.c model/plan/arrays.h \
	model/plan/bind.c model/plan/bind.h \
	model/plan/bind_conv.c model/plan/bind_conv.h \
	model/plan/bind_matrix.c model/plan/bind_matrix.h \
	model/plan/bind_patches.c model/plan/bind_patches.h \
	model/plan/bind_tensor.c model/plan/bind_tensor.h \
	model/plan/bind_vector.c model/plan/bind_vector.h \
	model/plan/checker.c model/plan/checker.h \
	model/plan/conv.c model/plan/conv.h \
	model/plan/cost.c model/plan/cost.h \
	model/plan/cost_tower.c model/plan/cost_tower.h \
	model/plan/feature.c model/plan/feature.h \
	model/plan/mask.c model/plan/mask.h \
	model/plan/merger.c model/plan/merger.h \
	model/plan/parts.h \
	model/plan/plan.c model/plan/plan.h \
	model/plan/print.c model/plan/print.h \
	model/plan/print_conv.c model/plan/print_conv.h \
	model/plan/print_norm.c model/plan/print_norm.h \
	model/plan/print_tower.c model/plan/print_tower.h \
	model/plan/shapes.c model/plan/shapes.h \
	model/plan/shapes_conv.c model/plan/shapes_conv.h \
	model/plan/shapes_tower.c model/plan/shapes_tower.h \
	model/plan/sound.h \
	model/plan/tiles.h \
	model/plan/tower.h

MODEL_PLAN_TESTS = \
	model/plan/tests/check_bind_tower \
	model/plan/tests/check_conv \
	model/plan/tests/check_cost \
	model/plan/tests/check_feature \
	model/plan/tests/check_mask \
	model/plan/tests/check_plan \
	model/plan/tests/check_quantized \
	model/plan/tests/check_quantized_refused \
	model/plan/tests/check_refused \
	model/plan/tests/check_shapes \
	model/plan/tests/check_shapes_tower
check_PROGRAMS += $(MODEL_PLAN_TESTS)
TESTS += $(MODEL_PLAN_TESTS)
PLAN_TEST_CONV = model/plan/tests/conv_towers.c model/plan/tests/conv_towers.h
model_plan_tests_check_conv_SOURCES = model/plan/tests/check_conv.c $(PLAN_TEST_CONV)
model_plan_tests_check_conv_CFLAGS = $(TEST_CFLAGS)
model_plan_tests_check_conv_LDADD = $(TEST_LIBS)
model_plan_tests_check_cost_CFLAGS = $(TEST_CFLAGS)
model_plan_tests_check_cost_LDADD = $(TEST_LIBS)
model_plan_tests_check_feature_CFLAGS = $(TEST_CFLAGS)
model_plan_tests_check_feature_LDADD = $(TEST_LIBS)
model_plan_tests_check_mask_CFLAGS = $(TEST_CFLAGS)
model_plan_tests_check_mask_LDADD = $(TEST_LIBS)
model_plan_tests_check_plan_CFLAGS = $(TEST_CFLAGS)
model_plan_tests_check_plan_LDADD = $(TEST_LIBS)
model_plan_tests_check_quantized_CFLAGS = $(TEST_CFLAGS)
model_plan_tests_check_quantized_LDADD = $(TEST_LIBS)
model_plan_tests_check_quantized_refused_CFLAGS = $(TEST_CFLAGS)
model_plan_tests_check_quantized_refused_LDADD = $(TEST_LIBS)
model_plan_tests_check_shapes_CFLAGS = $(TEST_CFLAGS)
model_plan_tests_check_shapes_LDADD = $(TEST_LIBS)
model_plan_tests_check_refused_CFLAGS = $(TEST_CFLAGS)
model_plan_tests_check_refused_LDADD = $(TEST_LIBS)
model_plan_tests_check_bind_tower_CFLAGS = $(TEST_CFLAGS)
model_plan_tests_check_bind_tower_LDADD = $(TEST_LIBS)
model_plan_tests_check_shapes_tower_CFLAGS = $(TEST_CFLAGS)
model_plan_tests_check_shapes_tower_LDADD = $(TEST_LIBS)
