/* What a checkpoint says about requests: opened once, then immutable.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_CONTEXT_H
#define SERVER_REQUEST_CONTEXT_H

#include "image/settings.h"
#include "server/request/request.h"
#include "serving/chat/placeholder.h"
#include "serving/chat/source.h"

/* A special token that templates see. Both owned. */
typedef struct server_named_token {
    char *name, *text;
} server_named_token;

struct server_requests {
    server_requests_options options;       /* with all defaults filled in; the strings are those below */
    char *dir, *model, *files;             /* files: the real path, without a slash at its end; NULL: none */
    char *reasoning, *tools;               /* NULL: none */
    serve_chat_source source, tool_source; /* for requests without and with tools; place NULL: none */
    server_named_token *tokens;            /* [n_tokens] */
    size_t n_tokens;
    bool has_processor;  /* of any kind: the tokenizer adds its special tokens to a rendered prompt */
    bool has_images;     /* the checkpoint's image processor is supported */
    assay_error no_images; /* why not */
    image_config images;
    serve_placeholder placeholder;
    int32_t placeholder_id; /* -1 without images */
};

#endif
