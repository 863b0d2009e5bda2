/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/generate/describe.h"

#include <string.h>

#include "conformance/support/text.h"
#include "dialogue/chat/audio.h"
#include "dialogue/chat/files.h"
#include "dialogue/chat/placeholder.h"
#include "dialogue/chat/source.h"
#include "image/config_file.h"
#include "template/inspect.h"

#define NAMED_MAX 16 /* features that are named */

/* The features that were named, so that each is named once. */
typedef struct named {
    FILE *out;
    assay_text names[NAMED_MAX];
    size_t n;
} named;

static void print_line(FILE *out, const char *name, const char *text)
{
    (void)fprintf(out, "%-12s ", name);
    conf_text_print_clean(out, text);
    (void)fputc('\n', out);
}

static void name_unsupported(void *context, const char *kind, assay_text name)
{
    named *known = context;
    char text[160];
    for (size_t i = 0; i < known->n; i++)
        if (known->names[i].n == name.n && memcmp(known->names[i].at, name.at, name.n) == 0) return;
    if (known->n == NAMED_MAX) return;
    known->names[known->n++] = name;
    (void)snprintf(text, sizeof text, "the %s \"%.*s\" is not implemented: rendering fails where it is used",
                   kind, name.n > 60 ? 60 : (int)name.n, name.at);
    print_line(known->out, "", text);
}

static void print_facts(const serve_chat_source *source, const template_facts *facts, FILE *out)
{
    char text[256];
    const char *reads = facts->reads_tools && facts->reads_thinking ? "reads tools and enable_thinking"
                        : facts->reads_tools                        ? "reads tools"
                        : facts->reads_thinking                     ? "reads no tools, but enable_thinking"
                                                                    : "reads no tools";
    (void)snprintf(text, sizeof text, "%.120s, %zu bytes, %s", source->place, source->n, reads);
    print_line(out, "chat", text);
}

static void describe_template(const serve_chat_source *source, FILE *out)
{
    named known = {.out = out};
    char text[sizeof(assay_error) + 160];
    template_facts facts;
    assay_error err = {0};
    const assay_text given = {.at = source->text, .n = source->n};
    if (template_inspect(given, NULL, NULL, &facts, &err) != ASSAY_OK) {
        (void)snprintf(text, sizeof text, "%.120s: %s", source->place, err.text);
        print_line(out, "chat", text);
        return;
    }
    print_facts(source, &facts, out);
    (void)template_inspect(given, name_unsupported, &known, &facts, NULL);
}

/* Whether the text of a template contains the placeholder; some are written by special tokens. */
static bool writes(const serve_chat_source *source, const char *placeholder)
{
    return source->place && source->n > 0 &&
           memmem(source->text, source->n, placeholder, strlen(placeholder));
}

static void describe_images(const char *dir, const serve_chat_source *source, FILE *out)
{
    image_config config;
    serve_placeholder placeholder;
    assay_error err = {0};
    char text[256];
    const bool has_processor = serve_chat_has_processor(dir); /* in a file: some models have theirs without */
    if (!has_processor && !serve_chat_has_file(dir, "tokenizer.json")) return;
    if (image_config_open(dir, false, &config, &err) != ASSAY_OK) {
        if (has_processor) print_line(out, "images", err.text);
        return;
    }
    if (serve_placeholder_find(dir, config.type, &placeholder, &err) == ASSAY_OK) {
        (void)snprintf(text, sizeof text, "%s, placeholder %.80s%s", config.type, placeholder.token,
                       !source->place || writes(source, placeholder.token)
                           ? ""
                           : ", which the chat template does not contain");
        print_line(out, "images", text);
        serve_placeholder_free(&placeholder);
    } else {
        print_line(out, "images", err.text);
    }
    for (size_t i = 0; i < config.n_notes; i++) print_line(out, "", config.notes[i]);
    image_config_free(&config);
}

/* Nothing for a checkpoint whose processor takes no audio clips. */
static void describe_audio(const char *dir, const serve_chat_source *source, FILE *out)
{
    serve_audio_processor processor;
    serve_placeholder placeholder;
    assay_error err = {0};
    char text[256];
    if (!serve_chat_has_processor(dir) || serve_placeholder_find_audio(dir, &placeholder, NULL) != ASSAY_OK)
        return;
    if (serve_audio_processor_open(dir, &processor, &err) == ASSAY_OK) {
        (void)snprintf(text, sizeof text, "%s, %lld Hz, placeholder %.80s%s", processor.config.type,
                       (long long)processor.config.sampling_rate, placeholder.token,
                       !source->place || writes(source, placeholder.token)
                           ? ""
                           : ", which the chat template does not contain");
        print_line(out, "audio", text);
        for (size_t i = 0; i < processor.config.n_notes; i++) print_line(out, "", processor.config.notes[i]);
        serve_audio_processor_free(&processor);
    } else {
        print_line(out, "audio", err.text);
    }
    serve_placeholder_free(&placeholder);
}

void conf_prompt_describe(const char *dir, FILE *out)
{
    serve_chat_source source = {0};
    assay_error err = {0};
    if (serve_chat_source_find(dir, false, &source, &err) != ASSAY_OK) print_line(out, "chat", err.text);
    else if (!source.place) print_line(out, "chat", "no chat template");
    else describe_template(&source, out);
    describe_images(dir, &source, out);
    describe_audio(dir, &source, out);
    serve_chat_source_free(&source);
}
