/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/generate/prompt.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "conformance/abi/serving.h"
#include "dialogue/chat/chat.h"
#include "dialogue/chat/files.h"
#include "dialogue/chat/placeholder.h"
#include "image/config_file.h"

#define FILE_MAX ((size_t)1 << 30) /* bytes of an image or audio file */

/* A prompt while it is made. */
typedef struct making {
    const conf_options *options;
    const char *dir;
    const assay_serving *serving;
    serve_placeholder placeholder, audio_placeholder; /* zero without images, without audio clips */
    conf_prompt made;
    assay_error *err;
} making;

static assay_status no_memory(const making *m)
{
    return assay_fail(m->err, ASSAY_ENOMEM, "%s: out of memory", m->dir);
}

/* Why a checkpoint has no config of an image processor; reason: the error of image_config_open. */
static assay_status explain_missing(const making *m, const assay_error *reason)
{
    json_object *config = NULL;
    const assay_status rc = serve_chat_read_object(m->dir, "config.json", &config, m->err);
    const bool sees = serve_chat_member(config, "vision_config") != NULL;
    (void)json_object_put(config);
    if (rc != ASSAY_OK) return rc;
    return assay_fail(m->err, ASSAY_EUNSUPPORTED, "--image: %s%s", reason->text,
                      sees ? "" : "; its config.json has no vision_config: it seems to be a text model");
}

/* The files with [n] names; NULL if out of memory. The caller frees the list. */
static serve_media_file *list_files(const char **names, size_t n)
{
    serve_media_file *files = calloc(n + 1, sizeof *files);
    for (size_t i = 0; files && i < n; i++) files[i].name = names[i];
    return files;
}

static assay_status read_images(making *m, const image_config *config)
{
    const conf_generate_options *g = &m->options->generate;
    serve_media_file *files = list_files(g->images, g->n_images);
    if (!files) return no_memory(m);
    const serve_media_limits limits = {.file = FILE_MAX, .arrays = SIZE_MAX};
    const assay_status rc = serve_images_open(config, files, g->n_images, &limits, &m->made.images, m->err);
    free(files);
    return rc;
}

/* Reads the images, with the processor's config. */
static assay_status open_images(making *m)
{
    image_config config;
    assay_error reason = {0};
    assay_status rc = image_config_open(m->dir, false, &config, &reason);
    if (rc == ASSAY_EIO && !serve_chat_has_file(m->dir, "preprocessor_config.json"))
        return explain_missing(m, &reason);
    if (rc != ASSAY_OK) return assay_fail(m->err, rc, "%s", reason.text);
    rc = serve_placeholder_find(m->dir, config.type, &m->placeholder, m->err);
    if (rc == ASSAY_OK) rc = read_images(m, &config);
    image_config_free(&config);
    if (rc != ASSAY_OK) return rc;
    m->made.placeholder = strdup(m->placeholder.token);
    return m->made.placeholder ? ASSAY_OK : no_memory(m);
}

static assay_status read_audio(making *m, const serve_audio_processor *processor)
{
    const conf_generate_options *g = &m->options->generate;
    serve_media_file *files = list_files(g->audios, g->n_audios);
    if (!files) return no_memory(m);
    const serve_media_limits limits = {.file = FILE_MAX, .arrays = SIZE_MAX};
    const assay_status rc = serve_audio_open(processor, files, g->n_audios, &limits, &m->made.audios, m->err);
    free(files);
    return rc;
}

/* Reads the audio clips, with the config of the feature extractor. */
static assay_status open_audios(making *m)
{
    serve_audio_processor processor;
    assay_error reason = {0};
    assay_status rc = serve_audio_processor_open(m->dir, &processor, &reason);
    if (rc != ASSAY_OK)
        return assay_fail(m->err, rc == ASSAY_EIO ? ASSAY_EUNSUPPORTED : rc, "--audio: %s", reason.text);
    rc = serve_placeholder_find_audio(m->dir, &m->audio_placeholder, m->err);
    if (rc == ASSAY_OK) rc = read_audio(m, &processor);
    serve_audio_processor_free(&processor);
    if (rc != ASSAY_OK) return rc;
    m->made.audio_placeholder = strdup(m->audio_placeholder.token);
    return m->made.audio_placeholder ? ASSAY_OK : no_memory(m);
}

/* The local time as if it were UTC: templates print it without a time zone. */
static int64_t local_now(void)
{
    const time_t now = time(NULL);
    struct tm local;
    return localtime_r(&now, &local) ? (int64_t)timegm(&local) : (int64_t)now;
}

static assay_status render(making *m, const serve_chat_source *source, assay_text text)
{
    const conf_generate_options *g = &m->options->generate;
    const serve_chat_request request = {.system = {g->system, g->system ? strlen(g->system) : 0},
                                        .prompt = text,
                                        .n_images = g->n_images,
                                        .n_audios = g->n_audios,
                                        .thinking_off = g->no_thinking,
                                        .now = local_now()};
    const char *lacks;
    if (!conf_serving_has(m->serving, CONF_SERVING_TEMPLATE, &lacks))
        return assay_fail(m->err, ASSAY_EUNSUPPORTED, "%s/%s: the engine's serving table lacks %s", m->dir,
                          source->place, lacks);
    const assay_status rc = serve_chat_render(m->serving, m->dir, source, &request, &m->made.written,
                                              &m->made.add_special, m->err);
    if (rc != ASSAY_OK) return rc;
    m->made.place = strdup(source->place);
    return m->made.place ? ASSAY_OK : no_memory(m);
}

static bool write_placeholders(buffer *out, const serve_placeholder *p, size_t n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        ok = buffer_append_string(out, p->before) && buffer_append_string(out, p->token) &&
             buffer_append_string(out, p->after);
    return ok;
}

/* Without a template: the placeholders of all images and audio, then the text. */
static assay_status write_plain(making *m, assay_text text)
{
    const conf_generate_options *g = &m->options->generate;
    buffer *out = &m->made.written;
    const bool ok = write_placeholders(out, &m->placeholder, g->n_images) &&
                    write_placeholders(out, &m->audio_placeholder, g->n_audios);
    return ok && buffer_append_text(out, text) ? ASSAY_OK : no_memory(m);
}

/* Writes the prompt with one placeholder for each image and audio clip. */
static assay_status write_prompt(making *m, assay_text text)
{
    const conf_generate_options *g = &m->options->generate;
    const bool wants = g->chat || g->system;
    serve_chat_source source = {0};
    m->made.add_special = true;
    if (g->ignore_template || (!wants && g->n_images + g->n_audios == 0))
        return buffer_append_text(&m->made.written, text) ? ASSAY_OK : no_memory(m);
    assay_status rc = serve_chat_source_find(m->dir, false, &source, m->err);
    if (rc == ASSAY_OK && source.place) rc = render(m, &source, text);
    else if (rc == ASSAY_OK && wants)
        rc = assay_fail(m->err, ASSAY_EIO,
                        "%s: found no chat template, expected one because of %s: chat_template.jinja, "
                        "chat_template.json, or a member chat_template of tokenizer_config.json",
                        m->dir, g->chat ? "--chat" : "--system-prompt");
    else if (rc == ASSAY_OK) rc = write_plain(m, text);
    serve_chat_source_free(&source);
    return rc;
}

static assay_status expand(making *m)
{
    const serve_images *images = m->made.images;
    const serve_audio *audios = m->made.audios;
    const char *name = m->made.place ? "the prompt rendered with the chat template" : "the prompt";
    serve_placed kinds[2] = {{.n = 0}, {.n = 0}};
    if (images) kinds[0] = (serve_placed){&m->placeholder, images->n_tokens, images->n};
    if (audios) kinds[1] = (serve_placed){&m->audio_placeholder, audios->n_tokens, audios->n};
    return serve_placeholder_expand_kinds(kinds, 2, name, buffer_text(&m->made.written), &m->made.text,
                                          m->err);
}

static assay_status join_items(making *m)
{
    const serve_images *images = m->made.images;
    const serve_audio *audios = m->made.audios;
    const size_t n_images = images ? images->n : 0, n_audios = audios ? audios->n : 0;
    assay_item *items = calloc(n_images + n_audios + 1, sizeof *items);
    if (!items) return no_memory(m);
    for (size_t i = 0; i < n_images; i++) items[i] = images->items[i];
    for (size_t i = 0; i < n_audios; i++) items[n_images + i] = audios->items[i];
    m->made.items = items;
    m->made.n_items = n_images + n_audios;
    return ASSAY_OK;
}

assay_status conf_prompt_make(const conf_options *options, const assay_serving *serving, assay_text text,
                              conf_prompt *out, assay_error *err)
{
    making m = {.options = options, .dir = options->model, .serving = serving, .err = err};
    assay_status rc = options->generate.n_images ? open_images(&m) : ASSAY_OK;
    if (rc == ASSAY_OK && options->generate.n_audios) rc = open_audios(&m);
    if (rc == ASSAY_OK) rc = write_prompt(&m, text);
    if (rc == ASSAY_OK) rc = expand(&m);
    if (rc == ASSAY_OK) rc = join_items(&m);
    serve_placeholder_free(&m.placeholder);
    serve_placeholder_free(&m.audio_placeholder);
    if (rc == ASSAY_OK) *out = m.made;
    else conf_prompt_free(&m.made);
    return rc;
}

void conf_prompt_free(conf_prompt *prompt)
{
    buffer_free(&prompt->text);
    buffer_free(&prompt->written);
    free(prompt->place);
    free(prompt->placeholder);
    free(prompt->audio_placeholder);
    serve_images_free(prompt->images);
    serve_audio_free(prompt->audios);
    free(prompt->items);
    *prompt = (conf_prompt){0};
}
