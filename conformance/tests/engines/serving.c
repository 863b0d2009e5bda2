/* Stop sets, sizes of images and reply parsers of assay/serving.h, for a model that puts reasoning between <
 * and >, and tool calls in [name text]. The module exports no engine. Each process breaks one rule, which
 * MODULE_FAULT names. The parser is called angles, or as SERVING_PARSER says.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/serving.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/engines/rule.h"

#define NAME_MAX_BYTES 64

struct assay_reply {
    bool tools, thinking_off;
    assay_part part;
    char name[NAME_MAX_BYTES]; /* [n_name], of a call whose name is incomplete */
    size_t n_name, n_fed;
};

/* The stop set of every checkpoint is {1, 50}; a config that does not begin with '{' is refused. */
static assay_status stop_set(const assay_stop_documents *documents, assay_stop_id *ids, size_t capacity,
                             size_t *n, assay_error *err)
{
    bool odd = documents->config.at && documents->config.at[0] != '{';
    if (errs("refuses") || (odd && !errs("accepts"))) return fail(err, ASSAY_EFORMAT, "config.json: odd");
    if (capacity < 2) return fail(err, ASSAY_EINVAL, "the capacity is too small");
    ids[0] = (assay_stop_id){1, documents->tokenizer.at ? ASSAY_STOP_TOKENIZER : ASSAY_STOP_CONFIG};
    ids[1] = (assay_stop_id){errs("id") ? 51 : 50, errs("origin") ? ASSAY_STOP_TOKENIZER : ASSAY_STOP_CONFIG};
    *n = errs("drops-id") ? 1 : errs("many") ? 1U << 20 : 2;
    return ASSAY_OK;
}

static assay_status reply_open(const assay_reply_options *options, assay_reply **out, assay_error *err)
{
    const char *parser = options->tools ? options->tools : options->reasoning;
    const char *name = getenv("SERVING_PARSER");
    if (!parser || strcmp(parser, name ? name : "angles") != 0)
        return fail(err, ASSAY_EUNSUPPORTED, "parser: expected angles");
    if (errs("no-memory")) return fail(err, ASSAY_ENOMEM, "no memory");
    static size_t n_opened;
    *out = calloc(1, sizeof **out);
    if (++n_opened > 3 && errs("spoils")) (*out)->part = ASSAY_PART_REASONING;
    (*out)->tools = options->tools != NULL;
    (*out)->thinking_off = options->thinking_off && !errs("thinks");
    return ASSAY_OK;
}

/* Collects the name up to a blank; the rest up to the bracket are arguments. */
static void feed_call(assay_reply *r, char c, const assay_sink *sink)
{
    if (r->part == ASSAY_PART_CALL && c != ' ') {
        r->name[r->n_name++ % sizeof r->name] = c;
        return;
    }
    if (r->part == ASSAY_PART_CALL) {
        if (!errs("orphan")) sink->take(sink->context, ASSAY_PART_CALL, r->name, r->n_name);
        r->part = ASSAY_PART_ARGUMENTS;
    } else if (c == ']') {
        r->part = ASSAY_PART_CONTENT;
        if (errs("twice")) sink->take(sink->context, ASSAY_PART_CALL, r->name, r->n_name);
        r->n_name = 0;
    } else {
        if (errs("arguments") && c == '1') c = '2';
        sink->take(sink->context, ASSAY_PART_ARGUMENTS, &c, 1);
    }
}

static void feed_text(assay_reply *r, char c, const assay_sink *sink)
{
    if (c == '<' && !r->tools) r->part = ASSAY_PART_REASONING;
    else if (c == '>' && !r->tools) r->part = errs("stays") ? ASSAY_PART_REASONING : ASSAY_PART_CONTENT;
    else if (r->part != ASSAY_PART_REASONING || !r->thinking_off) sink->take(sink->context, r->part, &c, 1);
}

static assay_status reply_feed(assay_reply *r, const char *delta, size_t n, const assay_sink *sink,
                               assay_error *err)
{
    if (errs("crash")) (void)raise(SIGKILL);
    if (((unsigned char)*delta & 0xc0U) == 0x80U)
        return fail(err, ASSAY_EINTERNAL, "a delta begins within a character");
    if (errs("feed")) return fail(err, ASSAY_EINTERNAL, "it cannot go on");
    if (errs("cut") && r->n_fed++ > 0 && !r->tools) r->part = ASSAY_PART_CONTENT;
    if (errs("whole") && n > 6) n -= 3;
    if (errs("empty")) sink->take(sink->context, ASSAY_PART_CONTENT, delta, 0);
    if (errs("part")) sink->take(sink->context, (assay_part)9, delta, n);
    for (size_t i = 0; i < n; i++) {
        if (r->tools && r->part == ASSAY_PART_CONTENT && delta[i] == '[') r->part = ASSAY_PART_CALL;
        else if (r->part == ASSAY_PART_CALL || r->part == ASSAY_PART_ARGUMENTS) feed_call(r, delta[i], sink);
        else feed_text(r, delta[i], sink);
    }
    return ASSAY_OK;
}

static assay_status reply_end(assay_reply *r, const assay_sink *sink, assay_error *err)
{
    (void)r, (void)err;
    if (errs("adds")) sink->take(sink->context, ASSAY_PART_CONTENT, "!", 1);
    return ASSAY_OK;
}

static void reply_free(assay_reply *r)
{
    free(r);
}

/* An image keeps its size, in patches of 2 x 2 pixels; 4 patches are one token, and 2 frames one temporal
 * patch. An odd height is refused. */
static assay_status image_size(const assay_image_options *options, assay_image_size *out, assay_error *err)
{
    if (errs("image-memory")) return fail(err, ASSAY_ENOMEM, "no memory");
    if (options->height % 2 != 0 && !errs("image-accepts")) return fail(err, ASSAY_EUNSUPPORTED, "odd");
    const int64_t t = options->n_frames ? options->n_frames / 2 : 1;
    const int64_t h = options->height / 2, w = options->width / 2;
    *out = (assay_image_size){.height = options->height + errs("image-height"),
                              .width = options->width + errs("image-width"),
                              .grid_t = t + errs("image-frames"),
                              .grid_h = h + errs("image-rows"),
                              .grid_w = w + errs("image-columns"),
                              .n_tokens = t * h * w / 4 + errs("image-tokens")};
    return ASSAY_OK;
}

/* An audio clip has a frame for each sample but the last of the longest audio clip, and a token for each
 * frame. One sample is refused. */
static assay_status sound_size(const assay_sound_options *options, assay_sound_size *out, assay_error *err)
{
    if (errs("sound-memory")) return fail(err, ASSAY_ENOMEM, "no memory");
    if (options->n_samples == 1 && !errs("sound-accepts")) return fail(err, ASSAY_EUNSUPPORTED, "one");
    const int64_t n = options->n_samples - (options->n_samples == options->n_longest);
    *out = (assay_sound_size){.n_frames = n + errs("sound-frames"), .n_tokens = n + errs("sound-tokens")};
    return ASSAY_OK;
}

/* "Renders" a template: the text itself, or an error if it begins with "!". */
static assay_status template_render(const assay_template_options *options, const assay_byte_sink *sink,
                                    assay_error *err)
{
    const assay_text source = options->source;
    const bool refuses = (source.n > 0 && source.at[0] == '!') || errs("template-refuses");
    if (errs("template-both") && refuses) sink->take(sink->context, "x", 1);
    if (refuses && !errs("template-accepts"))
        return fail(err, ASSAY_EFORMAT, errs("template-error") ? "another" : "line 1: expected");
    sink->take(sink->context, source.at, source.n - errs("template-cut"));
    return ASSAY_OK;
}

const assay_serving *assay_serving_v2(void);

const assay_serving *assay_serving_v2(void)
{
    static assay_serving table;
    table = (assay_serving){.abi = ASSAY_SERVING_ABI + errs("abi"),
                            .size = errs("size")  ? 8
                                    : errs("old") ? offsetof(assay_serving, reply_open)
                                                  : sizeof table,
                            .name = errs("nameless") ? NULL : "serving",
                            .version = "1",
                            .stop_set = errs("lacks") ? NULL : stop_set,
                            .reply_open = reply_open,
                            .reply_feed = reply_feed,
                            .reply_end = errs("lacks") ? NULL : reply_end,
                            .reply_free = reply_free,
                            .image_size = errs("lacks") ? NULL : image_size,
                            .sound_size = errs("lacks") || errs("lacks-sound") ? NULL : sound_size,
                            .template_render = errs("lacks") ? NULL : template_render};
    return errs("no-table") ? NULL : &table;
}
