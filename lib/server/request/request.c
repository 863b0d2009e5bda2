/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/request.h"

#include <stdint.h>
#include <stdlib.h>

#include "dialogue/chat/audio.h"
#include "dialogue/chat/images.h"
#include "server/request/gate.h"

static void free_prompt(server_prompt *prompt)
{
    free(prompt->tokens);
    buffer_free(&prompt->text);
    free((assay_item *)(uintptr_t)prompt->items);
    serve_images_free(prompt->images);
    serve_audio_free(prompt->audios);
    if (prompt->gate) server_gate_release(prompt->gate, prompt->n_media_bytes);
}

void server_request_free(server_request *q)
{
    if (!q) return;
    for (size_t i = 0; i < q->n_prompts; i++) free_prompt(&q->prompts[i]);
    free(q->prompts);
    for (size_t i = 0; i < q->n_stop_texts; i++) free((char *)(uintptr_t)q->stop_texts[i].at);
    free(q->stop_texts);
    free(q->body);
    free(q);
}
