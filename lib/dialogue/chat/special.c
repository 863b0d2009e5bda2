/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/special.h"

#include <string.h>

#include "base/error.h"
#include "dialogue/chat/files.h"

static bool is_token_name(const char *name)
{
    const size_t n = strlen(name), end = strlen("_token");
    return n > end && strcmp(name + n - end, "_token") == 0;
}

bool serve_chat_special_is_common(const char *name)
{
    static const char *const names[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                        "pad_token", "cls_token", "mask_token"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* Adds the tokens of an object, replacing those of the same name. False if out of memory. */
static bool add_tokens(json_object *from, json_object *to)
{
    if (!json_object_is_type(from, json_type_object)) return true;
    json_object_object_foreach(from, name, value)
    {
        if (json_object_is_type(value, json_type_object)) value = serve_chat_member(value, "content");
        if (!is_token_name(name) || !json_object_is_type(value, json_type_string)) continue;
        if (json_object_object_add(to, name, json_object_get(value)) != 0) {
            (void)json_object_put(value);
            return false;
        }
    }
    return true;
}

assay_status serve_chat_special_read(const char *dir, json_object **out, assay_error *err)
{
    json_object *config = NULL, *map = NULL, *tokens = json_object_new_object();
    assay_status rc = tokens ? serve_chat_read_object(dir, "tokenizer_config.json", &config, err)
                             : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    if (rc == ASSAY_OK && !serve_chat_member(config, "added_tokens_decoder"))
        rc = serve_chat_read_object(dir, "special_tokens_map.json", &map, err);
    if (rc == ASSAY_OK &&
        !(add_tokens(config, tokens) &&
          add_tokens(serve_chat_member(config, "extra_special_tokens"), tokens) &&
          add_tokens(serve_chat_member(config, "model_specific_special_tokens"), tokens) &&
          add_tokens(map, tokens) && add_tokens(serve_chat_member(map, "extra_special_tokens"), tokens)))
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    (void)json_object_put(config);
    (void)json_object_put(map);
    if (rc == ASSAY_OK) *out = tokens;
    else (void)json_object_put(tokens);
    return rc;
}
