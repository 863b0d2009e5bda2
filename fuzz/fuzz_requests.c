/* Input: a letter for the endpoint (c: chat completions, l: completions, m: messages, r: responses), and the
 * body of a request to the checkpoint of server/request/tests/model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/table.h"
#include "fuzz/fuzz.h"
#include "server/request/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VOCAB     262
#define POSITIONS 512

static const server_requests *open_requests(void)
{
    static server_requests *requests;
    static assay_tokenizer *tokenizer;
    char dir[1024], files[1024];
    const assay_serving *serving = assay_serving_v2();
    if (requests) return requests;
    (void)snprintf(dir, sizeof dir, "%s/lib/server/request/tests/model", fuzz_top());
    (void)snprintf(files, sizeof files, "%s/conformance/probe/tests/odd/pictures", fuzz_top());
    fuzz_require(serving->tokenizer_open(dir, &tokenizer, NULL) == ASSAY_OK, "the tokenizer opens");
    const server_requests_options options = {.dir = dir,
                                             .model = "m",
                                             .serving = serving,
                                             .tokenizer = tokenizer,
                                             .vocab = VOCAB,
                                             .max_positions = POSITIONS,
                                             .files = files,
                                             .limits = {.n_images = 2, .image_bytes = 1 << 16}};
    fuzz_require(server_requests_open(&options, &requests, NULL) == ASSAY_OK, "the checkpoint opens");
    return requests;
}

static void check_prompt(const server_request *q, const server_prompt *p)
{
    fuzz_require(p->n_tokens > 0 && p->n_tokens + q->max_tokens <= POSITIONS,
                 "a prompt and its completion fit the model");
    for (size_t i = 0; i < p->n_tokens; i++)
        fuzz_require(p->tokens[i] >= 0 && p->tokens[i] < VOCAB, "a token is of the vocabulary");
    for (size_t i = 0; i < p->n_items; i++)
        fuzz_require(p->items[i].n_tokens > 0 && p->items[i].offset + p->items[i].n_tokens <= p->n_tokens &&
                         (i == 0 || p->items[i].offset >= p->items[i - 1].offset + p->items[i - 1].n_tokens),
                     "an item has its own span of tokens");
}

static void ignore(void *context, const char *bytes, size_t n)
{
    (void)context, (void)bytes, (void)n;
}

/* The response takes the request that was read, and reports the choices that it has. */
static void check_response(const server_requests *requests, const server_request *q)
{
    const assay_byte_sink sink = {.take = ignore};
    const size_t n = q->n * q->n_prompts;
    assay_response *r = NULL;
    fuzz_require(server_request_respond(requests, q, "x", 0, &r, NULL) == ASSAY_OK, "a response opens");
    for (size_t i = 0; i < n; i++) {
        const assay_response_chunk chunk = {
            .size = sizeof chunk, .finished = 1, .new_text = {"a", 1}, .choice = n - 1 - i};
        fuzz_require(assay_serving_v2()->response_chunk(r, &chunk, &sink, NULL) == ASSAY_OK,
                     "each choice of the request is one of the response");
    }
    const assay_response_chunk more = {.size = sizeof more};
    fuzz_require(assay_serving_v2()->response_chunk(r, &more, &sink, NULL) == ASSAY_EINVAL,
                 "the response is over after all choices");
    assay_serving_v2()->response_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char letters[SERVE_N_ENDPOINTS] = {
        [SERVE_CHAT] = 'c', [SERVE_COMPLETIONS] = 'l', [SERVE_MESSAGES] = 'm', [SERVE_RESPONSES] = 'r'};
    const server_requests *requests = open_requests();
    serve_endpoint endpoint = SERVE_CHAT;
    server_request *q = NULL;
    server_refusal refusal = {0};
    if (size == 0) return 0;
    for (serve_endpoint e = 0; e < SERVE_N_ENDPOINTS; e++)
        if (letters[e] == (char)data[0]) endpoint = e;
    char *body = malloc(size); /* exactly, so that the sanitizer detects a read past its end */
    fuzz_require(body != NULL, "an allocation succeeds");
    memcpy(body, data + 1, size - 1);
    const assay_status rc =
        server_request_read(requests, endpoint, (assay_text){body, size - 1}, NULL, &q, &refusal);
    free(body);
    if (rc != ASSAY_OK) {
        fuzz_require(rc == ASSAY_EINVAL && !q, "a body is read or refused");
        fuzz_require(refusal.status == 400 || refusal.status == 404 || refusal.status == 413,
                     "a refusal has a status of the client's fault");
        fuzz_require(*refusal.text != '\0', "a refusal says why");
        return 0;
    }
    fuzz_require(q->n >= 1 && q->n_prompts >= 1 && q->n * q->n_prompts <= 128, "choices are bounded");
    fuzz_require(q->n_top <= VOCAB && q->n_prompt_top <= VOCAB, "logprobs are at most the vocabulary");
    for (size_t i = 0; i < q->n_prompts; i++) check_prompt(q, &q->prompts[i]);
    check_response(requests, q);
    server_request_free(q);
    return 0;
}
