/* Files of tokenizers for tests, written member by member.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TESTS_TOKENIZER_FILE_H
#define TOKENIZER_TESTS_TOKENIZER_FILE_H

#include "tokenizer/tokenizer.h"

/* A file whose members are each either as usual or as given. */
typedef struct tokenizer_file {
    const char *truncation, *padding, *added, *normalizer, *pretokenizer, *post, *decoder, *model, *version;
} tokenizer_file;

#define BPE_HEAD                                                                                             \
    "{\"type\":\"BPE\",\"dropout\":null,\"unk_token\":null,\"fuse_unk\":false,\"byte_fallback\":false,"
#define BPE    BPE_HEAD "\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"aba\":3},\"merges\":[\"a b\",[\"ab\",\"a\"]]}"
#define SIMPLE BPE_HEAD "\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"aba\":3},\"merges\":[\"a b\",\"ab a\"]}"

#define TOKEN(text, flags) "{\"id\":9,\"content\":\"" text "\"," flags "}"
#define NO_FLAGS                                                                                             \
    "\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,\"special\":true"

/* Writes tokenizer.json into a directory of its own, and returns that. */
const char *tokenizer_file_write(const tokenizer_file *f);

/* A failure fails the test. The caller frees it. */
tokenizer *tokenizer_file_open(const tokenizer_file *f);

#endif
