# SPDX-License-Identifier: Apache-2.0
lib_model_libmodel_a_SOURCES += \
	lib/model/inputs/item.c lib/model/inputs/item.h \
	lib/model/inputs/item_content.h \
	lib/model/inputs/item_crops.c lib/model/inputs/item_crops.h \
	lib/model/inputs/item_finite.c lib/model/inputs/item_finite.h \
	lib/model/inputs/item_shape.c lib/model/inputs/item_shape.h \
	lib/model/inputs/item_size.c lib/model/inputs/item_size.h \
	lib/model/inputs/item_tiles.c lib/model/inputs/item_tiles.h \
	lib/model/inputs/item_time.c lib/model/inputs/item_time.h \
	lib/model/inputs/medium.c lib/model/inputs/medium.h \
	lib/model/inputs/media_list.c lib/model/inputs/media_list.h \
	lib/model/inputs/positions.c lib/model/inputs/positions.h \
	lib/model/inputs/seen.c lib/model/inputs/seen.h

MODEL_INPUTS_TESTS = \
	lib/model/inputs/tests/check_crops \
	lib/model/inputs/tests/check_media \
	lib/model/inputs/tests/check_media_refused \
	lib/model/inputs/tests/check_memory \
	lib/model/inputs/tests/check_places_refused \
	lib/model/inputs/tests/check_positions \
	lib/model/inputs/tests/check_audio \
	lib/model/inputs/tests/check_tiles \
	lib/model/inputs/tests/check_video_audio
check_PROGRAMS += $(MODEL_INPUTS_TESTS)
TESTS += $(MODEL_INPUTS_TESTS)
lib_model_inputs_tests_check_media_CFLAGS = $(TEST_CFLAGS)
lib_model_inputs_tests_check_media_LDADD = $(TEST_LIBS)
lib_model_inputs_tests_check_media_refused_CFLAGS = $(TEST_CFLAGS)
lib_model_inputs_tests_check_media_refused_LDADD = $(TEST_LIBS)
lib_model_inputs_tests_check_positions_CFLAGS = $(TEST_CFLAGS)
lib_model_inputs_tests_check_positions_LDADD = $(TEST_LIBS)
lib_model_inputs_tests_check_crops_CFLAGS = $(TEST_CFLAGS)
lib_model_inputs_tests_check_crops_LDADD = $(TEST_LIBS)
lib_model_inputs_tests_check_audio_CFLAGS = $(TEST_CFLAGS)
lib_model_inputs_tests_check_audio_LDADD = $(TEST_LIBS)
lib_model_inputs_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
lib_model_inputs_tests_check_memory_CFLAGS = $(TEST_CFLAGS)
lib_model_inputs_tests_check_memory_LDADD = $(TEST_LIBS)
lib_model_inputs_tests_check_places_refused_CFLAGS = $(TEST_CFLAGS)
lib_model_inputs_tests_check_places_refused_LDADD = $(TEST_LIBS)
lib_model_inputs_tests_check_tiles_CFLAGS = $(TEST_CFLAGS)
lib_model_inputs_tests_check_tiles_LDADD = $(TEST_LIBS)
lib_model_inputs_tests_check_video_audio_CFLAGS = $(TEST_CFLAGS)
lib_model_inputs_tests_check_video_audio_LDADD = $(TEST_LIBS)
