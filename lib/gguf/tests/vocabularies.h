/* GGUF files with a small tokenizer, for tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_TESTS_VOCABULARIES_H
#define GGUF_TESTS_VOCABULARIES_H

/* Byte-level BPE: 0 a, 1 b, 2 c, 3 Ġ (a blank), 4 ab, 5 Ġa, 6 Ġab, 7 <end> (control, eos), 8 <x>
 * (user-defined, eot); merges a b, Ġ ab. defect: NULL, or the name of one of check_documents.c;
 * "bos is eos": bos is <end>, too; "normal end": 7 is </s>, of the normal type. */
const char *vocabulary_bytes(const char *pre, const char *defect);

/* SentencePiece: 0 <unk>, 1 <s>, 2 </s>, 3 U+2581, 4 a, 5 b, 6 c, 7 ab, 8 U+2581 ab, 9 U+2581 a, 10 the byte
 * 0x0A, 11 bc. bos is added. option "no prefix": neither a blank before the text nor bos. */
const char *vocabulary_scores(const char *option);

/* A file without a tokenizer. */
const char *vocabulary_none(void);

#endif
