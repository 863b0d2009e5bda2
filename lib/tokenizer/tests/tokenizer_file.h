/* Writes a tokenizer.json for a test, member by member.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TESTS_TOKENIZER_FILE_H
#define TOKENIZER_TESTS_TOKENIZER_FILE_H

#include "tokenizer/tokenizer.h"

/* The members of the file, each as JSON. NULL: the default, which is version "1.0", no added tokens,
 * the model SIMPLE, and null for all others. */
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

/* Writes tokenizer.json into a new directory, and returns the directory. */
const char *tokenizer_file_write(const tokenizer_file *f);

/* Writes and opens the file; fails the test on error. The caller frees the tokenizer. */
tokenizer *tokenizer_file_open(const tokenizer_file *f);

#endif
