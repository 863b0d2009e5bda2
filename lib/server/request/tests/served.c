/* SPDX-License-Identifier: Apache-2.0 */
#include "server/request/tests/served.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialogue/table.h"

const char *served_files;
server_request_limits served_limits;
const char *served_model = "lib/server/request/tests/model";
size_t served_vocab = SERVED_VOCAB;

static assay_tokenizer *tokenizer;

const server_requests *served_requests(void)
{
    static server_requests *requests;
    const char *top = getenv("top_srcdir");
    char dir[1024];
    assay_error err = {0};
    if (requests) return requests;
    (void)snprintf(dir, sizeof dir, "%s/%s", top ? top : ".", served_model);
    const assay_serving *serving = assay_serving_v2();
    ck_assert_msg(serving->tokenizer_open(dir, &tokenizer, &err) == ASSAY_OK, "%s", err.text);
    const server_requests_options options = {.dir = dir,
                                             .model = "m",
                                             .serving = serving,
                                             .tokenizer = tokenizer,
                                             .vocab = served_vocab,
                                             .max_positions = SERVED_POSITIONS,
                                             .files = served_files,
                                             .limits = served_limits};
    ck_assert_msg(server_requests_open(&options, &requests, &err) == ASSAY_OK, "%s", err.text);
    return requests;
}

server_request *served_read(serve_endpoint endpoint, const char *body)
{
    server_request *q = NULL;
    server_refusal refusal = {0};
    const assay_status rc = server_request_read(served_requests(), endpoint, (assay_text){body, strlen(body)},
                                                NULL, &q, &refusal);
    ck_assert_msg(rc == ASSAY_OK, "%s: %s", body, refusal.text);
    return q;
}

void served_refuse(serve_endpoint endpoint, const char *body, int status, const char *member,
                   const char *words)
{
    server_request *q = NULL;
    server_refusal refusal = {0};
    const assay_status rc = server_request_read(served_requests(), endpoint, (assay_text){body, strlen(body)},
                                                NULL, &q, &refusal);
    ck_assert_msg(rc == ASSAY_EINVAL, "%.300s: accepted", body);
    ck_assert_ptr_null(q);
    ck_assert_msg(refusal.status == status, "%.300s: %d: %s", body, refusal.status, refusal.text);
    ck_assert_str_eq(refusal.member, member);
    ck_assert_msg(strncmp(refusal.text, member, strlen(member)) == 0, "%s", refusal.text);
    ck_assert_msg(strstr(refusal.text, words) != NULL, "%.300s: %s, expected %s", body, refusal.text, words);
}

const char *served_prompt(const server_request *q, size_t prompt)
{
    static char text[1 << 16];
    size_t n = 0;
    assay_error err = {0};
    ck_assert_uint_lt(prompt, q->n_prompts);
    ck_assert_msg(assay_serving_v2()->decode(tokenizer, q->prompts[prompt].tokens,
                                             q->prompts[prompt].n_tokens, false, text, sizeof text - 1, &n,
                                             &err) == ASSAY_OK,
                  "%s", err.text);
    ck_assert_uint_lt(n, sizeof text);
    text[n] = '\0';
    return text;
}
