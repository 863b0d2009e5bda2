# Image preprocessing: from a preprocessor_config.json and an image file to the input of a model.
# SPDX-License-Identifier: Apache-2.0
noinst_LIBRARIES += lib/image/libimage.a
LIB_IMAGE = lib/image/libimage.a $(ZLIB_LIBS) $(JPEG_LIBS) $(WEBP_LIBS) $(LIB_BASE)
lib_image_libimage_a_SOURCES = \
	lib/image/bmp.c lib/image/bmp.h \
	lib/image/bmp_runs.c lib/image/bmp_runs.h \
	lib/image/config.c lib/image/config.h \
	lib/image/config_file.c lib/image/config_file.h \
	lib/image/crops.c lib/image/crops.h \
	lib/image/decode.c lib/image/decode.h \
	lib/image/exif.c lib/image/exif.h \
	lib/image/gif.c lib/image/gif.h \
	lib/image/gif_codes.c lib/image/gif_codes.h \
	lib/image/inflate.c lib/image/inflate.h \
	lib/image/jpeg.c lib/image/jpeg.h \
	lib/image/metadata.c lib/image/metadata.h \
	lib/image/patches.c lib/image/patches.h \
	lib/image/pixels.c lib/image/pixels.h \
	lib/image/png.c lib/image/png.h \
	lib/image/png_chunks.c lib/image/png_chunks.h \
	lib/image/pnm.c lib/image/pnm.h \
	lib/image/pnm_head.c lib/image/pnm_head.h \
	lib/image/pnm_plain.c lib/image/pnm_plain.h \
	lib/image/processors.c lib/image/processors.h \
	lib/image/resample.c lib/image/resample.h \
	lib/image/resize_rule.c lib/image/resize_rule.h \
	lib/image/settings.h \
	lib/image/tiles.c lib/image/tiles.h \
	lib/image/webp.c lib/image/webp.h

# Multiply-adds are not contracted, so that sizes and pixels are those of the published processors on every machine.
lib_image_libimage_a_CFLAGS = $(NUMERIC_CFLAGS) $(JSONC_CFLAGS) $(ZLIB_CFLAGS) $(JPEG_CFLAGS) $(WEBP_CFLAGS) \
	-ffp-contract=off

IMAGE_TESTS = \
	lib/image/tests/check_config \
	lib/image/tests/check_config_file \
	lib/image/tests/check_decode \
	lib/image/tests/check_memory \
	lib/image/tests/check_patches \
	lib/image/tests/check_pictures \
	lib/image/tests/check_resample \
	lib/image/tests/check_resize_rule
check_PROGRAMS += $(IMAGE_TESTS)
TESTS += $(IMAGE_TESTS)
EXTRA_DIST += lib/image/tests/vectors
IMAGE_TEST_LIBS = $(LIB_IMAGE) $(TEST_LIBS)
lib_image_tests_check_config_CFLAGS = $(TEST_CFLAGS)
lib_image_tests_check_config_LDADD = $(IMAGE_TEST_LIBS)
lib_image_tests_check_config_file_CFLAGS = $(TEST_CFLAGS)
lib_image_tests_check_config_file_LDADD = $(IMAGE_TEST_LIBS)
lib_image_tests_check_decode_CFLAGS = $(TEST_CFLAGS)
lib_image_tests_check_decode_LDADD = $(IMAGE_TEST_LIBS) $(ZLIB_LIBS)
lib_image_tests_check_memory_CFLAGS = $(TEST_CFLAGS)
lib_image_tests_check_memory_LDFLAGS = $(AM_LDFLAGS) $(DENY_LINK)
lib_image_tests_check_memory_LDADD = $(IMAGE_TEST_LIBS)
lib_image_tests_check_patches_CFLAGS = $(TEST_CFLAGS)
lib_image_tests_check_patches_LDADD = $(IMAGE_TEST_LIBS)
lib_image_tests_check_pictures_CFLAGS = $(TEST_CFLAGS)
lib_image_tests_check_pictures_LDADD = $(IMAGE_TEST_LIBS) $(ZLIB_LIBS)
lib_image_tests_check_resample_CFLAGS = $(TEST_CFLAGS)
lib_image_tests_check_resample_LDADD = $(IMAGE_TEST_LIBS)
lib_image_tests_check_resize_rule_CFLAGS = $(TEST_CFLAGS)
lib_image_tests_check_resize_rule_LDADD = $(IMAGE_TEST_LIBS)
