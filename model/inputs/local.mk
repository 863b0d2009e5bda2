# SPDX-License-Identifier: Apache-2.0
model_libmodel_la_SOURCES += \
	model/inputs/item.c model/inputs/item.h \
	model/inputs/item_content.h \
	model/inputs/item_crops.c model/inputs/item_crops.h \
	model/inputs/item_finite.c model/inputs/item_finite.h \
	model/inputs/item_shape.c model/inputs/item_shape.h \
	model/inputs/item_size.c model/inputs/item_size.h \
	model/inputs/item_tiles.c model/inputs/item_tiles.h \
	model/inputs/item_time.c model/inputs/item_time.h \
	model/inputs/media.c model/inputs/media.h \
	model/inputs/media_list.c model/inputs/media_list.h \
	model/inputs/positions.c model/inputs/positions.h \
	model/inputs/seen.c model/inputs/seen.h

MODEL_INPUTS_TESTS = \
	model/inputs/tests/check_crops \
	model/inputs/tests/check_media \
	model/inputs/tests/check_media_refused \
	model/inputs/tests/check_memory \
	model/inputs/tests/check_places_refused \
	model/inputs/tests/check_positions \
	model/inputs/tests/check_sounds \
	model/inputs/tests/check_tiles \
	model/inputs/tests/check_video_sounds
MODEL_INPUTS_SAMPLE = model/inputs/tests/sample.c model/inputs/tests/sample.h
MODEL_INPUTS_IMAGE = $(MODEL_INPUTS_SAMPLE) model/inputs/tests/image.c model/inputs/tests/image.h
check_PROGRAMS += $(MODEL_INPUTS_TESTS)
TESTS += $(MODEL_INPUTS_TESTS)
model_inputs_tests_check_media_SOURCES = model/inputs/tests/check_media.c $(MODEL_INPUTS_SAMPLE)
model_inputs_tests_check_media_CFLAGS = $(TEST_CFLAGS)
model_inputs_tests_check_media_LDADD = $(TEST_LIBS)
model_inputs_tests_check_media_refused_SOURCES = model/inputs/tests/check_media_refused.c $(MODEL_INPUTS_IMAGE)
model_inputs_tests_check_media_refused_CFLAGS = $(TEST_CFLAGS)
model_inputs_tests_check_media_refused_LDADD = $(TEST_LIBS)
model_inputs_tests_check_positions_SOURCES = model/inputs/tests/check_positions.c $(MODEL_INPUTS_SAMPLE)
model_inputs_tests_check_positions_CFLAGS = $(TEST_CFLAGS)
model_inputs_tests_check_positions_LDADD = $(TEST_LIBS)
model_inputs_tests_check_crops_CFLAGS = $(TEST_CFLAGS)
model_inputs_tests_check_crops_LDADD = $(TEST_LIBS)
model_inputs_tests_check_sounds_CFLAGS = $(TEST_CFLAGS)
model_inputs_tests_check_sounds_LDADD = $(TEST_LIBS)
model_inputs_tests_check_memory_SOURCES = model/inputs/tests/check_memory.c $(MODEL_INPUTS_SAMPLE) $(DENY)
model_inputs_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
model_inputs_tests_check_memory_CFLAGS = $(TEST_CFLAGS)
model_inputs_tests_check_memory_LDADD = $(TEST_LIBS)
model_inputs_tests_check_places_refused_SOURCES = model/inputs/tests/check_places_refused.c $(MODEL_INPUTS_IMAGE)
model_inputs_tests_check_places_refused_CFLAGS = $(TEST_CFLAGS)
model_inputs_tests_check_places_refused_LDADD = $(TEST_LIBS)
model_inputs_tests_check_tiles_CFLAGS = $(TEST_CFLAGS)
model_inputs_tests_check_tiles_LDADD = $(TEST_LIBS)
model_inputs_tests_check_video_sounds_SOURCES = model/inputs/tests/check_video_sounds.c $(MODEL_INPUTS_SAMPLE)
model_inputs_tests_check_video_sounds_CFLAGS = $(TEST_CFLAGS)
model_inputs_tests_check_video_sounds_LDADD = $(TEST_LIBS)
