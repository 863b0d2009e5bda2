# Our engines with plans that no bundled checkpoint has, and what must hold for all three.
# SPDX-License-Identifier: Apache-2.0
PLAN_MODULES = \
	conformance/plans/changed_fastpath.so \
	conformance/plans/changed_ref32.so \
	conformance/plans/changed_ref64.so
check_PROGRAMS += $(PLAN_MODULES)
PLAN_MODULE_LINK = $(ENGINE_LINK) -Wl,--wrap=plan_check_features,--wrap=plan_derive
conformance_plans_changed_fastpath_so_SOURCES = conformance/plans/tests/change.c fastpath/session/engine.c
conformance_plans_changed_fastpath_so_CFLAGS = $(AM_CFLAGS) $(JSONC_CFLAGS)
conformance_plans_changed_fastpath_so_LDFLAGS = $(PLAN_MODULE_LINK)
conformance_plans_changed_fastpath_so_LDADD = $(fastpath_fastpath_so_LDADD)
conformance_plans_changed_ref32_so_SOURCES = conformance/plans/tests/change.c ref/engine.c
conformance_plans_changed_ref32_so_CPPFLAGS = $(ref_ref32_so_CPPFLAGS)
conformance_plans_changed_ref32_so_CFLAGS = $(ref_ref32_so_CFLAGS)
conformance_plans_changed_ref32_so_LDFLAGS = $(PLAN_MODULE_LINK)
conformance_plans_changed_ref32_so_LDADD = $(ref_ref32_so_LDADD)
conformance_plans_changed_ref64_so_SOURCES = conformance/plans/tests/change.c ref/engine.c
conformance_plans_changed_ref64_so_CPPFLAGS = $(ref_ref64_so_CPPFLAGS)
conformance_plans_changed_ref64_so_CFLAGS = $(ref_ref64_so_CFLAGS)
conformance_plans_changed_ref64_so_LDFLAGS = $(PLAN_MODULE_LINK)
conformance_plans_changed_ref64_so_LDADD = $(ref_ref64_so_LDADD)

check_LIBRARIES += conformance/plans/tests/libtests.a
conformance_plans_tests_libtests_a_SOURCES = conformance/plans/tests/engines.c conformance/plans/tests/engines.h
conformance_plans_tests_libtests_a_CFLAGS = $(TEST_CFLAGS)
PLAN_TEST_LIBS = conformance/plans/tests/libtests.a $(TEST_LIBS)
CONFORMANCE_PLANS_TESTS = \
	conformance/plans/tests/check_bad_images \
	conformance/plans/tests/check_blocks \
	conformance/plans/tests/check_features \
	conformance/plans/tests/check_layer_norm \
	conformance/plans/tests/check_positions \
	conformance/plans/tests/check_positions_state
check_PROGRAMS += $(CONFORMANCE_PLANS_TESTS)
TESTS += $(CONFORMANCE_PLANS_TESTS)
conformance_plans_tests_check_bad_images_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_plans_tests_check_bad_images_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_plans_tests_check_blocks_CFLAGS = $(TEST_CFLAGS)
conformance_plans_tests_check_blocks_LDADD = $(PLAN_TEST_LIBS)
conformance_plans_tests_check_positions_CFLAGS = $(TEST_CFLAGS)
conformance_plans_tests_check_positions_LDADD = $(PLAN_TEST_LIBS)
conformance_plans_tests_check_positions_state_CFLAGS = $(TEST_CFLAGS)
conformance_plans_tests_check_positions_state_LDADD = $(PLAN_TEST_LIBS)
conformance_plans_tests_check_features_CFLAGS = $(CONFORMANCE_TEST_CFLAGS)
conformance_plans_tests_check_features_LDADD = $(CONFORMANCE_TEST_LIBS)
conformance_plans_tests_check_layer_norm_CFLAGS = $(TEST_CFLAGS)
conformance_plans_tests_check_layer_norm_LDADD = conformance/plans/tests/libtests.a $(LIB_FASTPATH) $(TEST_LIBS)
