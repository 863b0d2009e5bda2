# SPDX-License-Identifier: Apache-2.0
tokenizer_libtokenizer_la_SOURCES += \
	tokenizer/text/chars.c tokenizer/text/chars.h \
	tokenizer/text/chars_table.c tokenizer/text/chars_table.h \
	tokenizer/text/charsmap.c tokenizer/text/charsmap.h \
	tokenizer/text/file.c tokenizer/text/file.h \
	tokenizer/text/normal_form.c tokenizer/text/normal_form.h \
	tokenizer/text/pattern.c tokenizer/text/pattern.h \
	tokenizer/text/place.c tokenizer/text/place.h \
	tokenizer/text/property.c tokenizer/text/property.h \
	tokenizer/text/ruby.c tokenizer/text/ruby.h \
	tokenizer/text/ruby_chars.c tokenizer/text/ruby_chars.h \
	tokenizer/text/ruby_sets.c tokenizer/text/ruby_sets.h \
	tokenizer/text/ruby_writer.c tokenizer/text/ruby_writer.h \
	tokenizer/text/writer.c tokenizer/text/writer.h
