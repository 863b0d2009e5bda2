/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/placeholder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dialogue/chat/files.h"
#include "dialogue/chat/frame.h"
#include "dialogue/chat/special.h"
#include "tokenizer/tokenizer.h"

/* A text that a processor writes: the token that the tokenizer names by `member`, else `usual`; neither: "".
 */
typedef struct written {
    const char *member, *usual;
} written;

typedef struct rule {
    const char *const *processors; /* values of processor_class; ends with NULL */
    const char *image_processor;   /* the class of checkpoints without a processor_class */
    written token, begin, end, before, after;
    written audio, before_audio, after_audio; /* `usual` NULL: the processor takes no audio clips */
    /* finds token, begin and end; NULL: they are the members above */
    assay_status (*copy)(const char *dir, serve_placeholder *p, assay_error *err);
    const char *apart; /* what the processor writes before `begin` and after `end`; NULL: nothing */
    bool is_first;     /* see serve_placeholder */
} rule;

static const char *const qwen[] = {"Qwen2VLProcessor", "Qwen2_5_VLProcessor", "Qwen3VLProcessor", NULL};
static const char *const omni[] = {"Qwen3OmniMoeProcessor", NULL};
static const char *const paddleocr[] = {"PaddleOCRVLProcessor", NULL};
static const char *const glm4v[] = {"Glm4vProcessor", "Glm46VProcessor", NULL};
static const char *const ernie[] = {"Ernie4_5_VLMoeProcessor", "Ernie4_5_VL_MoeProcessor", NULL};
static const char *const hunyuan[] = {"HunYuanVLProcessor", NULL};
static const char *const moondream[] = {"Moondream3Processor", NULL};
static const char *const falcon[] = {"FalconOCRProcessor", NULL};
static const char *const mllama[] = {"MllamaProcessor", NULL};
static const char *const gemma3n[] = {"Gemma3nProcessor", NULL};
static const char *const gemma4[] = {"Gemma4Processor", NULL};

/* An id that config.json names, with the published class's default. */
typedef struct named_id {
    const char *member;
    int32_t usual;
} named_id;

/* Appends the text of an id. */
static assay_status append_id(const char *dir, json_object *config, const tokenizer *tokens,
                              const named_id *id, buffer *out, assay_error *err)
{
    json_object *value = serve_chat_member(config, id->member);
    const int32_t number = value ? json_object_get_int(value) : id->usual;
    size_t n = 0;
    const char *text = tokenizer_text_of(tokens, number, &n);
    if (!text || n == 0)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s/config.json: member %s: found %d, expected the id of a token", dir, id->member,
                          (int)number);
    return buffer_append(out, text, n) ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
}

/* The texts of a list of ids, one after the other. */
static assay_status copy_ids(const char *dir, json_object *config, const tokenizer *tokens,
                             const named_id *ids, size_t n, char **out, assay_error *err)
{
    buffer text = {0};
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) rc = append_id(dir, config, tokens, &ids[i], &text, err);
    if (rc == ASSAY_OK && !(*out = strndup(text.data, text.n)))
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    buffer_free(&text);
    return rc;
}

static assay_status copy_falcon(const char *dir, serve_placeholder *p, assay_error *err)
{
    static const named_id token[] = {{"img_id", 227}}, end[] = {{"img_end_id", 230}},
                          begin[] = {{"image_cls_token_id", 244},
                                     {"image_reg_1_token_id", 245},
                                     {"image_reg_2_token_id", 246},
                                     {"image_reg_3_token_id", 247},
                                     {"image_reg_4_token_id", 248}};
    json_object *config = NULL;
    tokenizer *tokens = NULL;
    assay_status rc = serve_chat_read_object(dir, "config.json", &config, err);
    if (rc == ASSAY_OK) rc = tokenizer_open(dir, &tokens, err);
    if (rc == ASSAY_OK) rc = copy_ids(dir, config, tokens, token, 1, &p->token, err);
    if (rc == ASSAY_OK) rc = copy_ids(dir, config, tokens, begin, 5, &p->begin, err);
    if (rc == ASSAY_OK) rc = copy_ids(dir, config, tokens, end, 1, &p->end, err);
    tokenizer_free(tokens);
    (void)json_object_put(config);
    return rc;
}

/* The tokens of an image have the id of the first token of a prompt. */
static assay_status copy_moondream(const char *dir, serve_placeholder *p, assay_error *err)
{
    p->begin = strdup("");
    p->end = strdup("");
    if (!p->begin || !p->end) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    return serve_chat_frame_placeholder(dir, &p->token, err);
}

/* replace_image_token of the classes in transformers 5.23; _expand_image_tokens of Falcon-OCR's in mlx-vlm.
 */
static const rule rules[] = {
    {.processors = qwen,
     .image_processor = "Qwen2VLImageProcessor",
     .token = {"image_token", "<|image_pad|>"},
     .before = {"vision_start_token", "<|vision_start|>"},
     .after = {"vision_end_token", "<|vision_end|>"}},
    {.processors = omni,
     .image_processor = "", /* a checkpoint names the class */
     .token = {"image_token", "<|image_pad|>"},
     .before = {"vision_bos_token", "<|vision_start|>"},
     .after = {"vision_eos_token", "<|vision_end|>"},
     .audio = {"audio_token", "<|audio_pad|>"},
     .before_audio = {"audio_bos_token", "<|audio_start|>"},
     .after_audio = {"audio_eos_token", "<|audio_end|>"}},
    {.processors = paddleocr,
     .image_processor = "PaddleOCRVLImageProcessor",
     .token = {"image_token", "<|IMAGE_PLACEHOLDER|>"},
     .before = {NULL, "<|IMAGE_START|>"},
     .after = {NULL, "<|IMAGE_END|>"}},
    {.processors = glm4v,
     .image_processor = "Glm4vImageProcessor",
     .token = {"image_token", "<|image|>"},
     .before = {NULL, "<|begin_of_image|>"},
     .after = {NULL, "<|end_of_image|>"}},
    {.processors = ernie,
     .image_processor = "Ernie4_5_VLMoeImageProcessor",
     .token = {"image_token", NULL},
     .before = {"image_start_token", NULL},
     .after = {"image_end_token", NULL}},
    {.processors = hunyuan,
     .image_processor = "HunYuanVLImageProcessor",
     .token = {"image_token", NULL},
     .before = {"image_start_token", NULL},
     .after = {"image_end_token", NULL}},
    {.processors = falcon, .image_processor = "FalconOCRProcessor", .copy = copy_falcon},
    {.processors = moondream,
     .image_processor = "Moondream3Processor",
     .copy = copy_moondream,
     .is_first = true},
    {.processors = mllama, .image_processor = "MllamaImageProcessor", .token = {"image_token", "<|image|>"}},
    {.processors = gemma3n,
     .image_processor = "SiglipImageProcessor",
     .token = {"image_token", NULL},
     .begin = {"boi_token", NULL},
     .end = {"eoi_token", NULL},
     .apart = "\n\n"},
    {.processors = gemma4,
     .image_processor = "Gemma4ImageProcessor",
     .token = {"image_token", NULL},
     .begin = {"boi_token", NULL},
     .end = {"eoi_token", NULL}},
};
enum { N_RULES = sizeof rules / sizeof *rules };

static const char *const class_files[] = {"processor_config.json", "preprocessor_config.json",
                                          "tokenizer_config.json"};
enum { N_CLASS_FILES = sizeof class_files / sizeof *class_files };

static const rule *find_class(const char *name)
{
    for (size_t i = 0; i < N_RULES; i++)
        for (const char *const *at = rules[i].processors; *at; at++)
            if (strcmp(*at, name) == 0) return &rules[i];
    return NULL;
}

static const rule *find_image_processor(const char *name)
{
    for (size_t i = 0; i < N_RULES; i++)
        if (strcmp(rules[i].image_processor, name) == 0) return &rules[i];
    return NULL;
}

/* The rule of the processor_class of one file; *out stays as it is if the file names none. */
static assay_status find_in_file(const char *dir, const char *file, const rule **out, assay_error *err)
{
    json_object *root = NULL;
    assay_status rc = serve_chat_read_object(dir, file, &root, err);
    if (rc != ASSAY_OK) return rc;
    json_object *value = serve_chat_member(root, "processor_class");
    const char *name = value ? json_text(value) : NULL;
    if (name) *out = find_class(name);
    if (value && !*out)
        rc = assay_fail(err, ASSAY_EUNSUPPORTED,
                        "%s/%s: member processor_class: found %.80s, expected a supported processor, such as "
                        "\"%s\"",
                        dir, file, json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), qwen[0]);
    (void)json_object_put(root);
    return rc;
}

/* image_processor: "" for audio clips. */
static assay_status find_rule(const char *dir, const char *image_processor, const rule **out,
                              assay_error *err)
{
    const rule *found = NULL;
    const bool is_image = *image_processor != '\0';
    for (size_t i = 0; !found && i < N_CLASS_FILES; i++) {
        const assay_status rc = find_in_file(dir, class_files[i], &found, err);
        if (rc != ASSAY_OK) return rc;
    }
    if (!found && is_image) found = find_image_processor(image_processor);
    if (!found)
        return assay_fail(err, ASSAY_EUNSUPPORTED,
                          "%s: the placeholder of %s%s is not known: expected a member "
                          "processor_class in processor_config.json",
                          dir, is_image ? "images for " : "audio clips", image_processor);
    *out = found;
    return ASSAY_OK;
}

/* Copies the text of `w`. */
static assay_status copy_text(const char *dir, json_object *tokens, const written *w, char **out,
                              assay_error *err)
{
    const char *text = w->member ? json_text(serve_chat_member(tokens, w->member)) : NULL;
    if (!text) text = w->usual;
    if (w->member && (!text || !*text))
        return assay_fail(err, ASSAY_EFORMAT, "%s/tokenizer_config.json: found no %s, expected a token", dir,
                          w->member);
    *out = strdup(text ? text : "");
    return *out ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
}

/* Puts a text before `begin` and after `end`. */
static assay_status set_apart(const char *dir, const char *apart, serve_placeholder *p, assay_error *err)
{
    char *begin = NULL, *end = NULL;
    if (asprintf(&begin, "%s%s", apart, p->begin) < 0) begin = NULL;
    if (asprintf(&end, "%s%s", p->end, apart) < 0) end = NULL;
    if (begin && end) {
        free(p->begin);
        free(p->end);
        p->begin = begin;
        p->end = end;
        return ASSAY_OK;
    }
    free(begin);
    free(end);
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
}

assay_status serve_placeholder_find(const char *dir, const char *image_processor, serve_placeholder *out,
                                    assay_error *err)
{
    const rule *r = NULL;
    json_object *tokens = NULL;
    serve_placeholder p = {.noun = "image"};
    assay_status rc = find_rule(dir, image_processor, &r, err);
    if (rc == ASSAY_OK) rc = serve_chat_special_read(dir, &tokens, err);
    if (rc == ASSAY_OK && r->copy) rc = r->copy(dir, &p, err);
    if (rc == ASSAY_OK && !r->copy) rc = copy_text(dir, tokens, &r->token, &p.token, err);
    if (rc == ASSAY_OK && !r->copy) rc = copy_text(dir, tokens, &r->begin, &p.begin, err);
    if (rc == ASSAY_OK && !r->copy) rc = copy_text(dir, tokens, &r->end, &p.end, err);
    if (rc == ASSAY_OK) rc = copy_text(dir, tokens, &r->before, &p.before, err);
    if (rc == ASSAY_OK) rc = copy_text(dir, tokens, &r->after, &p.after, err);
    if (rc == ASSAY_OK && r->apart) rc = set_apart(dir, r->apart, &p, err);
    (void)json_object_put(tokens);
    p.is_first = r && r->is_first;
    if (rc == ASSAY_OK) *out = p;
    else serve_placeholder_free(&p);
    return rc;
}

assay_status serve_placeholder_find_audio(const char *dir, serve_placeholder *out, assay_error *err)
{
    static const written none = {NULL, NULL};
    const rule *r = NULL;
    json_object *tokens = NULL;
    serve_placeholder p = {.noun = "audio clip"};
    assay_status rc = find_rule(dir, "", &r, err);
    if (rc == ASSAY_OK && !r->audio.usual)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: %s takes no audio clips", dir, r->processors[0]);
    if (rc == ASSAY_OK) rc = serve_chat_special_read(dir, &tokens, err);
    if (rc == ASSAY_OK) rc = copy_text(dir, tokens, &r->audio, &p.token, err);
    if (rc == ASSAY_OK) rc = copy_text(dir, tokens, &none, &p.begin, err);
    if (rc == ASSAY_OK) rc = copy_text(dir, tokens, &none, &p.end, err);
    if (rc == ASSAY_OK) rc = copy_text(dir, tokens, &r->before_audio, &p.before, err);
    if (rc == ASSAY_OK) rc = copy_text(dir, tokens, &r->after_audio, &p.after, err);
    (void)json_object_put(tokens);
    if (rc == ASSAY_OK) *out = p;
    else serve_placeholder_free(&p);
    return rc;
}

void serve_placeholder_free(serve_placeholder *placeholder)
{
    free(placeholder->token);
    free(placeholder->begin);
    free(placeholder->end);
    free(placeholder->before);
    free(placeholder->after);
    *placeholder = (serve_placeholder){0};
}

/* The next placeholder in at[0..n); NULL if there is none. */
static const char *find_next(const serve_placeholder *p, const char *at, size_t n)
{
    return n ? memmem(at, n, p->token, strlen(p->token)) : NULL;
}

static size_t count_placeholders(const serve_placeholder *p, assay_text text)
{
    const char *end = text.at + text.n;
    size_t n = 0;
    for (const char *at = text.at; (at = find_next(p, at, (size_t)(end - at))); at += strlen(p->token)) n++;
    return n;
}

assay_status serve_placeholder_expand(const serve_placeholder *placeholder, const char *name, assay_text text,
                                      const size_t *n_tokens, size_t n, buffer *out, assay_error *err)
{
    const serve_placeholder *p = placeholder;
    const size_t n_found = count_placeholders(p, text);
    if (n_found != n)
        return assay_fail(err, ASSAY_EINVAL, "%s has %zu placeholder%s %s, expected %zu, one for each %s",
                          name, n_found, n_found == 1 ? "" : "s", p->token, n, p->noun);
    const char *at = text.at, *end = text.at + text.n;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) {
        const char *next = find_next(p, at, (size_t)(end - at));
        ok = buffer_append(out, at, (size_t)(next - at)) && buffer_append_string(out, p->begin);
        for (size_t k = 0; ok && k < n_tokens[i]; k++) ok = buffer_append_string(out, p->token);
        ok = ok && buffer_append_string(out, p->end);
        at = next + strlen(p->token);
    }
    ok = ok && buffer_append(out, at, (size_t)(end - at));
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
}

assay_status serve_placeholder_expand_kinds(const serve_placed *kinds, size_t n_kinds, const char *name,
                                            assay_text text, buffer *out, assay_error *err)
{
    buffer last = {0};
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < n_kinds; i++) {
        buffer next = {0};
        if (kinds[i].n == 0) continue;
        rc = serve_placeholder_expand(kinds[i].placeholder, name, text, kinds[i].n_tokens, kinds[i].n, &next,
                                      err);
        buffer_free(&last);
        last = next;
        text = buffer_text(&last);
    }
    if (rc == ASSAY_OK && !buffer_append_text(out, text))
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", name);
    buffer_free(&last);
    return rc;
}
