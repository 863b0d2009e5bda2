/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dialogue/chat/files.h"
#include "dialogue/chat/special.h"
#include "tokenizer/tokenizer.h"

enum { FIRST_ID = 0, ANSWER_ID = 3 }; /* constants of the published processor */

/* Between the texts of the two tokens. */
static const char before[] =
    "{%- if messages | length != 1 or messages[0].role != 'user' -%}"
    "{{ raise_exception('found ' ~ messages | length ~ ' messages, expected one of the user: the published "
    "processor writes a question and its answer') }}"
    "{%- endif -%}"
    "{%- set content = messages[0].content -%}",
                  image[] =
                      "{%- if content is string -%}"
                      "{{ content }}"
                      "{%- else -%}"
                      "{%- set images = content | selectattr('type', 'equalto', 'image') | list -%}"
                      "{%- if images | length != 1 -%}"
                      "{{ raise_exception('found ' ~ images | length ~ ' images, expected one: the published "
                      "model takes no more') }}"
                      "{%- endif -%}"
                      "{{ '\\n\\nQuestion: ' }}"
                      "{{ content | selectattr('type', 'equalto', 'text') | map(attribute='text') | join(' "
                      "') "
                      "}}"
                      "{{ '\\n\\nAnswer: ' }}",
                  after[] = "{%- endif -%}";

/* The text of a special token. use: what it is for. */
static assay_status copy_token(const char *dir, const tokenizer *tokens, int32_t id, const char *use,
                               char **out, assay_error *err)
{
    size_t n = 0;
    const char *text = tokenizer_text_of(tokens, id, &n);
    if (!text || n == 0 || !tokenizer_is_special(tokens, id) || memchr(text, '{', n))
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s/tokenizer.json: id %d: found no special token, expected the one that %s", dir,
                          (int)id, use);
    *out = strndup(text, n);
    return *out ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
}

/* The published processor begins prompts with the bos_token, by default <|endoftext|>; the model takes the
 * first token for one of an image, whose id is a constant. */
static assay_status check_begin(const char *dir, const tokenizer *tokens, assay_error *err)
{
    json_object *special = NULL;
    const assay_status rc = serve_chat_special_read(dir, &special, err);
    if (rc != ASSAY_OK) return rc;
    const char *named = json_text(serve_chat_member(special, "bos_token"));
    const char *text = named ? named : "<|endoftext|>";
    const int32_t id = tokenizer_id_of(tokens, text, strlen(text));
    const assay_status found =
        id == FIRST_ID
            ? ASSAY_OK
            : assay_fail(err, ASSAY_EFORMAT,
                         "%s/tokenizer_config.json: member bos_token: found \"%.60s\" with id %d, expected "
                         "the token with id %d, which the tokens of an image have",
                         dir, text, (int)id, FIRST_ID);
    (void)json_object_put(special);
    return found;
}

/* Opens the tokenizer, and copies the text of the token that begins prompts; both are the caller's, also
 * after a failure. */
static assay_status open_tokens(const char *dir, tokenizer **tokens, char **first, assay_error *err)
{
    assay_status rc = tokenizer_open(dir, tokens, err);
    if (rc == ASSAY_OK) rc = check_begin(dir, *tokens, err);
    return rc == ASSAY_OK ? copy_token(dir, *tokens, FIRST_ID, "begins a prompt", first, err) : rc;
}

assay_status serve_chat_frame_placeholder(const char *dir, char **out, assay_error *err)
{
    tokenizer *tokens = NULL;
    const assay_status rc = open_tokens(dir, &tokens, out, err);
    tokenizer_free(tokens);
    return rc;
}

static assay_status make_moondream(const char *dir, char **out, assay_error *err)
{
    tokenizer *tokens = NULL;
    char *first = NULL, *answer = NULL, *text = NULL;
    assay_status rc = open_tokens(dir, &tokens, &first, err);
    if (rc == ASSAY_OK) rc = copy_token(dir, tokens, ANSWER_ID, "begins an answer", &answer, err);
    if (rc == ASSAY_OK && asprintf(&text, "%s%s%s%s%s", before, first, image, answer, after) < 0)
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    if (rc == ASSAY_OK) *out = text;
    tokenizer_free(tokens);
    free(first);
    free(answer);
    return rc;
}

assay_status serve_chat_frame_find(const char *dir, char **out, assay_error *err)
{
    json_object *config = NULL;
    assay_status rc = serve_chat_read_object(dir, "config.json", &config, err);
    if (rc != ASSAY_OK) return rc;
    const char *type = json_text(serve_chat_member(config, "model_type"));
    char *found = NULL;
    if (type && strcmp(type, "moondream3") == 0 && serve_chat_has_file(dir, "tokenizer.json"))
        rc = make_moondream(dir, &found, err);
    (void)json_object_put(config);
    if (rc == ASSAY_OK) *out = found;
    return rc;
}
