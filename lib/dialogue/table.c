/* The serving ABI that each of our engines exports.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/table.h"

#include "dialogue/audio_size.h"
#include "dialogue/completion.h"
#include "dialogue/image_size.h"
#include "dialogue/reply.h"
#include "dialogue/response/response.h"
#include "dialogue/tokenizing.h"
#include "model/checkpoint/stop.h"
#include "template/template.h"

static assay_status stop_ids(const assay_stop_documents *documents, assay_stop_id *ids, size_t capacity,
                             size_t *n, assay_error *err)
{
    stop_set *set;
    size_t n_ids;
    assay_status rc = stop_set_parse(documents, &set, err);
    if (rc != ASSAY_OK) return rc;
    const int32_t *id = stop_set_ids(set, &n_ids);
    for (size_t i = 0; i < n_ids && i < capacity; i++)
        ids[i] = (assay_stop_id){.id = id[i], .origin = stop_set_origin(set, i)};
    *n = n_ids;
    stop_set_free(set);
    return ASSAY_OK;
}

/* Opens a response whose replies are parsed by this table. */
static assay_status response_open(const assay_response_options *options, assay_response **out,
                                  assay_error *err)
{
    return serve_response_open(assay_serving_v2(), options, out, err);
}

const assay_serving *assay_serving_v2(void)
{
    static const assay_serving table = {
        .abi = ASSAY_SERVING_ABI,
        .size = sizeof table,
        .name = "serving",
        .version = "1",
        .stop_set = stop_ids,
        .reply_open = serve_reply_open,
        .reply_feed = serve_reply_feed,
        .reply_end = serve_reply_end,
        .reply_free = serve_reply_free,
        .tokenizer_open = serve_tokenizer_open,
        .tokenizer_free = serve_tokenizer_free,
        .encode = serve_encode,
        .decode = serve_decode,
        .detokenizer_open = serve_detokenizer_open,
        .detokenizer_push = serve_detokenizer_push,
        .detokenizer_end = serve_detokenizer_end,
        .detokenizer_free = serve_detokenizer_free,
        .response_open = response_open,
        .response_chunk = serve_response_chunk,
        .response_fail = serve_response_fail,
        .response_end = serve_response_end,
        .response_free = serve_response_free,
        .completion_open = serve_completion_open,
        .completion_push = serve_completion_push,
        .completion_free = serve_completion_free,
        .template_render = template_render,
        .image_size = serve_image_size,
        .sound_size = serve_audio_size,
    };
    return &table;
}
