# SPDX-License-Identifier: Apache-2.0
lib_tokenizer_libtokenizer_a_SOURCES += \
	lib/tokenizer/text/chars.c lib/tokenizer/text/chars.h \
	lib/tokenizer/text/chars_table.c lib/tokenizer/text/chars_table.h \
	lib/tokenizer/text/charsmap.c lib/tokenizer/text/charsmap.h \
	lib/tokenizer/text/file.c lib/tokenizer/text/file.h \
	lib/tokenizer/text/normal_form.c lib/tokenizer/text/normal_form.h \
	lib/tokenizer/text/pattern.c lib/tokenizer/text/pattern.h \
	lib/tokenizer/text/place.c lib/tokenizer/text/place.h \
	lib/tokenizer/text/property.c lib/tokenizer/text/property.h \
	lib/tokenizer/text/ruby.c lib/tokenizer/text/ruby.h \
	lib/tokenizer/text/ruby_chars.c lib/tokenizer/text/ruby_chars.h \
	lib/tokenizer/text/ruby_sets.c lib/tokenizer/text/ruby_sets.h \
	lib/tokenizer/text/ruby_writer.c lib/tokenizer/text/ruby_writer.h \
	lib/tokenizer/text/writer.c lib/tokenizer/text/writer.h
