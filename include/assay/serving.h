/* The serving ABI, version 1: what stands between the tokens of a model and the client of a server, which the
 * harness replays recorded texts through: the stop set, parsers of reasoning and tool calls, the tokenizer.
 *
 * An engine, or a server's own library without an engine, exports one function, `assay_serving_v1`, which
 * returns a table that lives as long as the object is loaded:
 *
 *     const assay_serving *assay_serving_v1(void);
 *
 * A member may be NULL: cases that need it are then skipped, by name. Members that open something are called
 * from any thread; what they open is used by one thread at a time. Ownership is that of assay/engine.h.
 * Texts are bytes, UTF-8 where nothing else is said, and not terminated.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SERVING_H
#define ASSAY_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <assay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_SERVING_ABI    1U
#define ASSAY_SERVING_SYMBOL "assay_serving_v1"

typedef struct assay_text {
    const char *at; /* [n]; NULL: there is no such text */
    size_t n;
} assay_text;

/* The documents of a checkpoint that name token ids which end generation. Each is the text of a JSON object
 * or absent. */
typedef struct assay_stop_documents {
    assay_text tokenizer;         /* eos_token_id, eos_token_ids: what a tokenizer, opened, says of itself */
    assay_text config;            /* config.json: eos_token_id */
    assay_text generation_config; /* generation_config.json: eos_token_id */
} assay_stop_documents;

/* Bits: the documents that name an id. */
typedef enum assay_stop_origin {
    ASSAY_STOP_CONFIG = 1,
    ASSAY_STOP_GENERATION_CONFIG = 2,
    ASSAY_STOP_TOKENIZER = 4
} assay_stop_origin;

typedef struct assay_stop_id {
    int32_t id;
    uint32_t origin; /* bits of assay_stop_origin */
} assay_stop_id;

/* What a piece of a reply is. */
typedef enum assay_part {
    ASSAY_PART_CONTENT,
    ASSAY_PART_REASONING,
    ASSAY_PART_CALL,     /* a tool call begins; the piece is the tool's name, whole */
    ASSAY_PART_ARGUMENTS /* of the call that began last: pieces of one JSON text, of its beginning where the
                          * reply ends in the call, or of what the model wrote that is not JSON */
} assay_part;

/* Takes the pieces of a reply in the order in which a client is to see them.
 * text: [n], n > 0, borrowed for the call; a piece never ends within a character that the model finished. */
typedef struct assay_sink {
    void (*take)(void *context, assay_part part, const char *text, size_t n);
    void *context;
} assay_sink;

/* How a reply is read. Names are those of the published server (vllm-mlx 0.6.0: --reasoning-parser,
 * --tool-call-parser). */
typedef struct assay_reply_options {
    uint32_t size;         /* sizeof(assay_reply_options) that the caller was built with */
    const char *reasoning; /* the parser's name; NULL: none */
    const char *tools;     /* the parser's name; NULL: none */
    assay_text request;    /* the JSON text of the request, whose member `tools` says which there are */
    bool thinking_off;     /* the request or the template turned thinking off: reasoning is not shown, and
                            * is looked for only behind an explicit marker */
} assay_reply_options;

typedef struct assay_reply assay_reply;

/* Takes bytes of a response's body, in order. bytes: [n], n > 0, borrowed for the call. */
typedef struct assay_byte_sink {
    void (*take)(void *context, const char *bytes, size_t n);
    void *context;
} assay_byte_sink;

/* A request that a client made, and what the server that answers was told. Everything is copied. */
typedef struct assay_response_options {
    uint32_t size;        /* sizeof(assay_response_options) that the caller was built with */
    const char *endpoint; /* "/v1/chat/completions", "/v1/messages" or "/v1/responses" */
    assay_text request;   /* the JSON object that is the request's body */
    assay_text server;    /* a JSON object: model, reasoning_parser, tool_parser (names or null),
                           * auto_tool_choice    (a boolean: without it tool_parser is not asked),
                           * default_chat_template_kwargs    (an object or null) */
    const char *id;       /* what the ids of the answer are made of, say a random word */
    int64_t created;      /* seconds since 1970 */
} assay_response_options;

/* What an engine says next. */
typedef struct assay_response_chunk {
    uint32_t size;       /* sizeof(assay_response_chunk) that the caller was built with */
    bool finished;       /* this is the last one */
    assay_text new_text; /* may be empty */
    int64_t prompt_tokens, completion_tokens; /* so far; 0: not known yet */
    const char *finish_reason; /* of the last one: "stop", "length", "content_filter"; "error": the
                                * engine failed */
    assay_text stop_sequence;  /* the text of the request that ended it; NULL: none did */
} assay_response_chunk;

typedef struct assay_response assay_response;
typedef struct assay_tokenizer assay_tokenizer; /* used by any number of threads at once */
typedef struct assay_detokenizer assay_detokenizer;
typedef struct assay_completion assay_completion;

typedef enum assay_finish {
    ASSAY_FINISH_NONE, /* it goes on */
    ASSAY_FINISH_STOP,
    ASSAY_FINISH_LENGTH
} assay_finish;

/* Everything is borrowed until completion_free. */
typedef struct assay_completion_options {
    uint32_t size; /* sizeof(assay_completion_options) that the caller was built with */
    const assay_tokenizer *tokenizer;
    const int32_t *stop_ids; /* [n_stop_ids] */
    size_t n_stop_ids;
    const assay_text *stop_texts; /* [n_stop_texts], at most 64 of 1 to 4096 bytes */
    size_t n_stop_texts;
    size_t prompt_tokens; /* > 0 */
    size_t max_tokens;    /* > 0 */
} assay_completion_options;

typedef struct assay_completion_state {
    assay_finish finish;
    int32_t stop_id; /* that ended it; -1: none did */
    bool by_text;    /* a stop text ended it */
    size_t prompt_tokens,
        completion_tokens; /* those that the model was given, and chose, a stop id included */
} assay_completion_state;

/* On failure out-parameters are untouched, and `err`, where it is not NULL, holds the reason. */
typedef struct assay_serving {
    uint32_t abi;     /* ASSAY_SERVING_ABI */
    uint32_t size;    /* sizeof(assay_serving) that the object was built with */
    const char *name; /* one word, for reports */
    const char *version;

    /* The union of what the documents name, sorted by id, without duplicates: the first `room` of them into
     * ids, and how many there are into *n. null, an absent member and [] add nothing; text_config's ids count
     * where the top level of a document has none. Anything else but a non-negative 32-bit integer or a list
     * of them is ASSAY_EFORMAT and named. */
    assay_status (*stop_set)(const assay_stop_documents *documents, assay_stop_id *ids, size_t room,
                             size_t *n, assay_error *err);

    /* Reads a reply as it is generated. What comes out does not depend on how the text was cut into deltas.
     * ASSAY_EUNSUPPORTED for a parser of another name. */
    assay_status (*reply_open)(const assay_reply_options *options, assay_reply **out, assay_error *err);
    assay_status (*reply_feed)(assay_reply *reply, const char *delta, size_t n, const assay_sink *sink,
                               assay_error *err);
    /* Once, at the end: what was held back is released. */
    assay_status (*reply_end)(assay_reply *reply, const assay_sink *sink, assay_error *err);
    void (*reply_free)(assay_reply *reply);

    /* dir: a checkpoint's directory with tokenizer.json. */
    assay_status (*tokenizer_open)(const char *dir, assay_tokenizer **out, assay_error *err);
    void (*tokenizer_free)(assay_tokenizer *tokenizer);

    /* The first `room` ids into ids, and how many there are into *n_ids. add_special: with the tokens that
     * the tokenizer's template puts around a text. */
    assay_status (*encode)(const assay_tokenizer *tokenizer, const char *text, size_t n, bool add_special,
                           int32_t *ids, size_t room, size_t *n_ids, assay_error *err);

    /* The first `room` bytes into text, and how many there are into *n_text. skip_special: without special
     * tokens. An id that means nothing has no text, as published; ASSAY_EINVAL for a negative one. */
    assay_status (*decode)(const assay_tokenizer *tokenizer, const int32_t *ids, size_t n, bool skip_special,
                           char *text, size_t room, size_t *n_text, assay_error *err);

    /* Borrows the tokenizer. What is released is ASSAY_PART_CONTENT: as much as is certain after each id,
     * never half a character, and the rest at the end. All of it together is the text of `decode`. */
    assay_status (*detokenizer_open)(const assay_tokenizer *tokenizer, bool skip_special,
                                     assay_detokenizer **out, assay_error *err);
    assay_status (*detokenizer_push)(assay_detokenizer *detokenizer, int32_t id, const assay_sink *sink,
                                     assay_error *err);
    assay_status (*detokenizer_end)(assay_detokenizer *detokenizer, const assay_sink *sink, assay_error *err);
    void (*detokenizer_free)(assay_detokenizer *detokenizer);

    /* A completion under way: ids that a model chose in, text out as ASSAY_PART_CONTENT, special tokens
     * included. A stop id and a stop text are no part of the text, and nothing behind them is; what may yet
     * become a stop text is held back. */
    assay_status (*completion_open)(const assay_completion_options *options, assay_completion **out,
                                    assay_error *err);
    /* *state is that behind this id. ASSAY_EINVAL once the completion has ended. */
    assay_status (*completion_push)(assay_completion *completion, int32_t id, const assay_sink *sink,
                                    assay_completion_state *state, assay_error *err);
    void (*completion_free)(assay_completion *completion);

    /* A response under way: what an engine says becomes the body that the client is sent, the event stream of
     * the endpoint's protocol where the request streams, else one JSON object at the end. Reasoning and tool
     * calls are taken out as reply_open's parsers do. ASSAY_EFORMAT for documents that are not what they must
     * be, ASSAY_EUNSUPPORTED for an endpoint or a parser of another name.
     *
     * A client that went away is a response that is freed. */
    assay_status (*response_open)(const assay_response_options *options, assay_response **out,
                                  assay_error *err);
    /* ASSAY_EINVAL once the response is over: behind a chunk that is the last one, or a failure. */
    assay_status (*response_chunk)(assay_response *response, const assay_response_chunk *chunk,
                                   const assay_byte_sink *sink, assay_error *err);
    /* The engine failed: the client is told `text`, in the protocol's way, and the response is over. */
    assay_status (*response_fail)(assay_response *response, const char *text, const assay_byte_sink *sink,
                                  assay_error *err);
    /* The engine says nothing more. Where no chunk was the last one, that is a failure, and told as one. */
    assay_status (*response_end)(assay_response *response, const assay_byte_sink *sink, assay_error *err);
    void (*response_free)(assay_response *response);
} assay_serving;

typedef const assay_serving *assay_serving_fn(void);

#ifdef __cplusplus
}
#endif

#endif
