# Image preprocessing: from a preprocessor_config.json and an image file to the input of a model. libmodel holds libbase.
# SPDX-License-Identifier: Apache-2.0
noinst_LTLIBRARIES += image/libimage.la
image_libimage_la_SOURCES = \
	image/bmp.c image/bmp.h \
	image/bmp_runs.c image/bmp_runs.h \
	image/config.c image/config.h \
	image/config_file.c image/config_file.h \
	image/crops.c image/crops.h \
	image/decode.c image/decode.h \
	image/exif.c image/exif.h \
	image/gif.c image/gif.h \
	image/gif_codes.c image/gif_codes.h \
	image/inflate.c image/inflate.h \
	image/jpeg.c image/jpeg.h \
	image/metadata.c image/metadata.h \
	image/patches.c image/patches.h \
	image/pixels.c image/pixels.h \
	image/png.c image/png.h \
	image/png_chunks.c image/png_chunks.h \
	image/pnm.c image/pnm.h \
	image/pnm_head.c image/pnm_head.h \
	image/pnm_plain.c image/pnm_plain.h \
	image/processors.c image/processors.h \
	image/resample.c image/resample.h \
	image/resize_rule.c image/resize_rule.h \
	image/settings.h \
	image/tiles.c image/tiles.h \
	image/webp.c image/webp.h

# Multiply-adds are not contracted, so that sizes and pixels are those of the published processors on every machine.
image_libimage_la_CFLAGS = $(NUMERIC_CFLAGS) $(JSONC_CFLAGS) $(ZLIB_CFLAGS) $(JPEG_CFLAGS) $(WEBP_CFLAGS) \
	-ffp-contract=off
image_libimage_la_LIBADD = $(ZLIB_LIBS) $(JPEG_LIBS) $(WEBP_LIBS)

IMAGE_TESTS = \
	image/tests/check_config \
	image/tests/check_config_file \
	image/tests/check_decode \
	image/tests/check_memory \
	image/tests/check_patches \
	image/tests/check_pictures \
	image/tests/check_resample \
	image/tests/check_resize_rule
check_PROGRAMS += $(IMAGE_TESTS)
TESTS += $(IMAGE_TESTS)
IMAGE_RECORDED = base/tests/recorded.c base/tests/recorded.h
EXTRA_DIST += image/tests/vectors
IMAGE_TEST_LIBS = image/libimage.la $(TEST_LIBS)
image_tests_check_config_CFLAGS = $(TEST_CFLAGS)
image_tests_check_config_LDADD = $(IMAGE_TEST_LIBS)
image_tests_check_config_file_CFLAGS = $(TEST_CFLAGS)
image_tests_check_config_file_LDADD = $(IMAGE_TEST_LIBS)
image_tests_check_decode_SOURCES = image/tests/check_decode.c $(IMAGE_RECORDED)
image_tests_check_decode_CFLAGS = $(TEST_CFLAGS)
image_tests_check_decode_LDADD = $(IMAGE_TEST_LIBS) $(ZLIB_LIBS)
image_tests_check_memory_SOURCES = image/tests/check_memory.c $(IMAGE_RECORDED) $(DENY)
image_tests_check_memory_CFLAGS = $(TEST_CFLAGS)
image_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
image_tests_check_memory_LDADD = $(IMAGE_TEST_LIBS)
image_tests_check_patches_SOURCES = image/tests/check_patches.c $(IMAGE_RECORDED)
image_tests_check_patches_CFLAGS = $(TEST_CFLAGS)
image_tests_check_patches_LDADD = $(IMAGE_TEST_LIBS)
image_tests_check_pictures_SOURCES = image/tests/check_pictures.c $(IMAGE_RECORDED)
image_tests_check_pictures_CFLAGS = $(TEST_CFLAGS)
image_tests_check_pictures_LDADD = $(IMAGE_TEST_LIBS) $(ZLIB_LIBS)
image_tests_check_resample_SOURCES = image/tests/check_resample.c $(IMAGE_RECORDED)
image_tests_check_resample_CFLAGS = $(TEST_CFLAGS)
image_tests_check_resample_LDADD = $(IMAGE_TEST_LIBS)
image_tests_check_resize_rule_CFLAGS = $(TEST_CFLAGS)
image_tests_check_resize_rule_LDADD = $(IMAGE_TEST_LIBS)
