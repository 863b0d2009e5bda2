/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/generate/show.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/support/json_add.h"
#include "conformance/support/text.h"

/* Lines are printed one by one: cleaning replaces the characters that end them. */
static void show_text(assay_text text, FILE *out)
{
    const char *at = text.at, *end = text.at + text.n;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        char *line = strndup(at, (size_t)((stop ? stop : end) - at));
        if (line) conf_text_print_clean(out, line);
        free(line);
        (void)fputc('\n', out);
        at = stop ? stop + 1 : end;
    }
}

void conf_prompt_show(const conf_prompt *prompt, const conf_options *options, FILE *out)
{
    const serve_images *images = prompt->images;
    const serve_audio *audios = prompt->audios;
    if ((images || audios) && !prompt->place && !options->generate.ignore_template) {
        conf_text_print_clean(out, options->model);
        (void)fprintf(out, " has no chat template: the prompt is a placeholder for each %s, then the text\n",
                      !audios   ? "image"
                      : !images ? "audio clip"
                                : "image and each audio clip");
    }
    if (!options->verbose) return;
    if (prompt->place) {
        (void)fputs("chat template: ", out);
        conf_text_print_clean(out, prompt->place);
        (void)fputc('\n', out);
    }
    for (size_t i = 0; images && i < images->n; i++) {
        conf_text_print_clean(out, options->generate.images[i]);
        (void)fprintf(out, ": resized to %zu x %zu pixels, %zu tokens\n", images->width[i], images->height[i],
                      images->n_tokens[i]);
    }
    for (size_t i = 0; audios && i < audios->n; i++) {
        conf_text_print_clean(out, options->generate.audios[i]);
        (void)fprintf(out, ": %zu samples, %zu frames, %zu tokens\n", audios->n_samples[i],
                      audios->n_frames[i], audios->n_tokens[i]);
    }
    show_text(buffer_text(&prompt->written), out);
}

static bool add_images(json_object *to, const serve_images *images, const conf_options *options)
{
    json_object *list = json_object_new_array();
    bool ok = conf_json_add(to, "images", list);
    for (size_t i = 0; ok && images && i < images->n; i++) {
        json_object *one = json_object_new_object();
        ok = conf_json_append(list, one) && conf_json_add_text(one, "path", options->generate.images[i]) &&
             conf_json_add_count(one, "width", images->width[i]) &&
             conf_json_add_count(one, "height", images->height[i]) &&
             conf_json_add_count(one, "tokens", images->n_tokens[i]);
    }
    return ok;
}

static bool add_audio(json_object *to, const serve_audio *audios, const conf_options *options)
{
    json_object *list = json_object_new_array();
    bool ok = conf_json_add(to, "sounds", list);
    for (size_t i = 0; ok && audios && i < audios->n; i++) {
        json_object *one = json_object_new_object();
        ok = conf_json_append(list, one) && conf_json_add_text(one, "path", options->generate.audios[i]) &&
             conf_json_add_count(one, "samples", audios->n_samples[i]) &&
             conf_json_add_count(one, "frames", audios->n_frames[i]) &&
             conf_json_add_count(one, "tokens", audios->n_tokens[i]);
    }
    return ok;
}

bool conf_prompt_add(json_object *to, const conf_prompt *prompt, const conf_options *options)
{
    const assay_text text = buffer_text(&prompt->written);
    if (text.n > INT_MAX) return false;
    const bool ok = conf_json_add(to, "prompt", json_object_new_string_len(text.at, (int)text.n)) &&
                    (prompt->place ? conf_json_add_text(to, "chat_template", prompt->place)
                                   : json_object_object_add(to, "chat_template", NULL) == 0);
    return ok && add_images(to, prompt->images, options) && add_audio(to, prompt->audios, options);
}
