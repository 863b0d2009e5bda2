# SPDX-License-Identifier: Apache-2.0
lib_tokenizer_libtokenizer_a_SOURCES += \
	lib/tokenizer/models/bpe.c lib/tokenizer/models/bpe.h \
	lib/tokenizer/models/bpe_merge.c lib/tokenizer/models/bpe_merge.h \
	lib/tokenizer/models/bpe_open.c lib/tokenizer/models/bpe_open.h \
	lib/tokenizer/models/bpe_parts.h \
	lib/tokenizer/models/bytes.c lib/tokenizer/models/bytes.h \
	lib/tokenizer/models/cache.c lib/tokenizer/models/cache.h \
	lib/tokenizer/models/ids.c lib/tokenizer/models/ids.h \
	lib/tokenizer/models/model.c lib/tokenizer/models/model.h \
	lib/tokenizer/models/pairs.c lib/tokenizer/models/pairs.h \
	lib/tokenizer/models/trie.c lib/tokenizer/models/trie.h \
	lib/tokenizer/models/unigram.c lib/tokenizer/models/unigram.h \
	lib/tokenizer/models/vocab.c lib/tokenizer/models/vocab.h \
	lib/tokenizer/models/wordpiece.c lib/tokenizer/models/wordpiece.h
