# SPDX-License-Identifier: Apache-2.0
tokenizer_libtokenizer_la_SOURCES += \
	tokenizer/models/bpe.c tokenizer/models/bpe.h \
	tokenizer/models/bpe_merge.c tokenizer/models/bpe_merge.h \
	tokenizer/models/bpe_open.c tokenizer/models/bpe_open.h \
	tokenizer/models/bpe_parts.h \
	tokenizer/models/bytes.c tokenizer/models/bytes.h \
	tokenizer/models/cache.c tokenizer/models/cache.h \
	tokenizer/models/ids.c tokenizer/models/ids.h \
	tokenizer/models/model.c tokenizer/models/model.h \
	tokenizer/models/pairs.c tokenizer/models/pairs.h \
	tokenizer/models/trie.c tokenizer/models/trie.h \
	tokenizer/models/unigram.c tokenizer/models/unigram.h \
	tokenizer/models/vocab.c tokenizer/models/vocab.h \
	tokenizer/models/wordpiece.c tokenizer/models/wordpiece.h
