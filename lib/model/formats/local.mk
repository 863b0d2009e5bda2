# Formats of stored matrices, and the methods of quantisation that state them.
# SPDX-License-Identifier: Apache-2.0
# Rows of a table, without headers of their own: awq.c bitsandbytes.c compressed_config.c formats.c fp8.c gptq.c mlx.c modelopt.c mxfp4.c
lib_model_libmodel_a_SOURCES += lib/model/formats/formats.c lib/model/formats/methods.h \
	lib/model/formats/awq.c lib/model/formats/bitsandbytes.c lib/model/formats/compressed_config.c \
	lib/model/formats/fp8.c lib/model/formats/gptq.c lib/model/formats/mlx.c \
	lib/model/formats/modelopt.c lib/model/formats/mxfp4.c
lib_model_libmodel_a_SOURCES += lib/model/formats/format.h \
	lib/model/formats/blocks.c lib/model/formats/blocks.h \
	lib/model/formats/codes.c lib/model/formats/codes.h \
	lib/model/formats/compressed.c lib/model/formats/compressed.h \
	lib/model/formats/fields.c lib/model/formats/fields.h \
	lib/model/formats/hf_quant.c lib/model/formats/hf_quant.h \
	lib/model/formats/inputs.c lib/model/formats/inputs.h \
	lib/model/formats/quantization.c lib/model/formats/quantization.h \
	lib/model/formats/rules.c lib/model/formats/rules.h \
	lib/model/formats/settings.c lib/model/formats/settings.h

check_PROGRAMS += lib/model/formats/tests/check_formats
TESTS += lib/model/formats/tests/check_formats
lib_model_formats_tests_check_formats_CFLAGS = $(TEST_CFLAGS)
lib_model_formats_tests_check_formats_LDADD = $(TEST_LIBS)
check_PROGRAMS += lib/model/formats/tests/check_methods
TESTS += lib/model/formats/tests/check_methods
lib_model_formats_tests_check_methods_CFLAGS = $(TEST_CFLAGS)
lib_model_formats_tests_check_methods_LDADD = $(TEST_LIBS)
check_PROGRAMS += lib/model/formats/tests/check_published
TESTS += lib/model/formats/tests/check_published
lib_model_formats_tests_check_published_CFLAGS = $(TEST_CFLAGS)
lib_model_formats_tests_check_published_LDADD = $(TEST_LIBS)
