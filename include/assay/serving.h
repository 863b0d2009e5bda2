/* The serving ABI, version 2: the parts between the tokens of a model and the client of a server: stop set,
 * tokenizer, parsers of reasoning and tool calls, responses. The harness replays recorded texts through it.
 *
 * An engine, or a server's own library without an engine, exports one function, `assay_serving_v2`, which
 * returns a table that lives as long as the object is loaded:
 *
 *     const assay_serving *assay_serving_v2(void);
 *
 * A member may be NULL: cases that need it are then skipped by name. Any thread may call an `_open` function;
 * the object that it makes is used by one thread at a time, unless stated otherwise. Ownership is that of
 * assay/engine.h. Texts are bytes, not terminated, and UTF-8 unless stated otherwise.
 *
 * Structs that begin with `size` are options, see <assay/options.h>: both sides accept shorter and longer
 * ones, and the default of every member is zero. A required member has no default: zero is refused with
 * ASSAY_EINVAL. A reserved member is 0, and anything else is ASSAY_EUNSUPPORTED. Structs without a size never
 * change.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_SERVING_H
#define ASSAY_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <assay/options.h>
#include <assay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_SERVING_ABI    2U
#define ASSAY_SERVING_SYMBOL "assay_serving_v2"

typedef struct assay_text {
    const char *at; /* [n]; NULL: there is no such text */
    size_t n;
} assay_text;

/* The documents of a checkpoint that name token ids which end generation. Each is the text of a JSON object
 * or absent. */
typedef struct assay_stop_documents {
    assay_text tokenizer;         /* eos_token_id, eos_token_ids: attributes of the opened tokenizer */
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

/* The part of a reply that a piece belongs to. */
typedef enum assay_part {
    ASSAY_PART_CONTENT,
    ASSAY_PART_REASONING,
    ASSAY_PART_CALL,     /* a tool call begins; the piece is the tool's name, whole */
    ASSAY_PART_ARGUMENTS /* of the latest call: pieces of one JSON text, or of its beginning if the reply ends
                          * within the call, or of other text if the model did not write JSON */
} assay_part;

/* Receives the pieces of a reply in the order in which a client sees them.
 * text: [n], n > 0, borrowed for the call; a piece never ends within a complete character. */
typedef struct assay_sink {
    void (*take)(void *context, assay_part part, const char *text, size_t n);
    void *context;
} assay_sink;

/* How to read a reply. Names are those of the published server (vllm-mlx 0.6.0: --reasoning-parser,
 * --tool-call-parser). */
typedef struct assay_reply_options {
    uint32_t size;
    uint32_t thinking_off; /* not 0: the request or the template turned thinking off: reasoning is not
                            * emitted, and is recognised only after an explicit marker */
    const char *reasoning; /* the parser's name; NULL: none */
    const char *tools;     /* the parser's name; NULL: none */
    assay_text request;    /* the request as JSON; its member `tools` declares the tools; NULL: no tools */
} assay_reply_options;

typedef struct assay_reply assay_reply;

/* Receives the bytes of a response's body, in order. bytes: [n], n > 0, borrowed for the call. */
typedef struct assay_byte_sink {
    void (*take)(void *context, const char *bytes, size_t n);
    void *context;
} assay_byte_sink;

/* A client's request, and the configuration of the server. Everything is copied. Required: endpoint, request,
 * server, id. */
typedef struct assay_response_options {
    uint32_t size;
    uint32_t reserved;    /* 0 */
    const char *endpoint; /* "/v1/chat/completions", "/v1/completions", "/v1/messages" or "/v1/responses" */
    assay_text request;   /* the body of the request, a JSON object */
    assay_text server;    /* a JSON object: model, reasoning_parser, tool_parser (names or null),
                           * auto_tool_choice    (a boolean: if false, tool_parser is not used),
                           * default_chat_template_kwargs    (an object or null) */
    const char *id;       /* ids in the answer are derived from it, for example a random word */
    int64_t created;      /* seconds since 1970 */
} assay_response_options;

/* A token that was possible at a position, and the natural logarithm of its probability. */
typedef struct assay_token_logprob {
    int32_t id;
    double logprob;  /* at most 0; -INFINITY is a probability of 0. NaN: there is none, as for the first token
                      * of  a prompt */
    assay_text text; /* the bytes that this token alone adds to a text; they need not be UTF-8 */
    size_t rank;     /* 1: no token of the vocabulary is more probable; 0: unknown */
} assay_token_logprob;

/* The token at a position, and the tokens that were most probable there. */
typedef struct assay_logprobs {
    assay_token_logprob token;
    const assay_token_logprob *top; /* [n_top], the most probable first */
    size_t n_top;
} assay_logprobs;

/* The next output of an engine. Everything is borrowed for the call. The response writes those of its members
 * that the request asks for (logprobs, prompt_logprobs, echo, return_token_ids) and leaves the others out. */
typedef struct assay_response_chunk {
    uint32_t size;
    uint32_t finished;                        /* not 0: this is the last chunk of its choice */
    assay_text new_text;                      /* may be empty */
    int64_t prompt_tokens, completion_tokens; /* of this choice so far; 0: unknown */
    const char *finish_reason; /* of the last chunk: "stop", "length", "content_filter"; "error": the
                                * engine failed; NULL: "stop" */
    assay_text stop_sequence;  /* the stop text of the request that ended the completion; NULL: none */
    /* The index of the choice: prompt * n + i for choice i of n of a prompt. The response is over when every
     * choice of the request has had its last chunk. */
    size_t choice;
    /* [n_logprobs]: of the tokens generated since the preceding chunk of this choice, in order. The text of a
     * token may come in a later chunk. */
    const assay_logprobs *logprobs;
    size_t n_logprobs;
    /* [n_prompt_logprobs], in the first chunk of a choice: of all tokens of its prompt. */
    const assay_logprobs *prompt_logprobs;
    size_t n_prompt_logprobs;
    assay_text prompt_text;   /* completions, in the first chunk of a choice: the prompt, for `echo` */
    const int32_t *token_ids; /* [n_token_ids]: the tokens generated since the preceding chunk */
    size_t n_token_ids;
    const int32_t *prompt_token_ids; /* [n_prompt_token_ids], in the first chunk of a choice */
    size_t n_prompt_token_ids;
} assay_response_chunk;

typedef struct assay_response assay_response;
typedef struct assay_tokenizer assay_tokenizer; /* used by any number of threads at once */
typedef struct assay_detokenizer assay_detokenizer;
typedef struct assay_completion assay_completion;

typedef enum assay_finish {
    ASSAY_FINISH_NONE, /* not finished */
    ASSAY_FINISH_STOP,
    ASSAY_FINISH_LENGTH
} assay_finish;

/* Everything but the struct itself is borrowed until completion_free. Required: tokenizer. */
typedef struct assay_completion_options {
    uint32_t size;
    uint32_t reserved; /* 0 */
    const assay_tokenizer *tokenizer;
    const int32_t *stop_ids; /* [n_stop_ids] */
    size_t n_stop_ids;
    const assay_text *stop_texts; /* [n_stop_texts], at most 64 of 1 to 4096 bytes */
    size_t n_stop_texts;
    size_t prompt_tokens; /* reported in the state; 0: unknown */
    size_t max_tokens;    /* 0: no limit */
} assay_completion_options;

typedef struct assay_completion_state {
    assay_finish finish;
    int32_t stop_id;                         /* the id that ended the completion; -1: none */
    bool by_text;                            /* a stop text ended the completion */
    size_t prompt_tokens, completion_tokens; /* of the prompt, and generated, the stop id included */
} assay_completion_state;

/* A chat template and its variables. Required: source, variables. */
typedef struct assay_template_options {
    uint32_t size;
    uint32_t reserved;    /* 0 */
    assay_text source;    /* the template: Jinja as transformers sets it up */
    assay_text variables; /* a JSON object: messages, tools, add_generation_prompt, bos_token, … */
    int64_t now;          /* the time that strftime_now prints: seconds since 1970, as UTC */
} assay_template_options;

/* An image or a video, and the config of the processor that resizes it. Required: config, height, width. */
typedef struct assay_image_options {
    uint32_t size;
    uint32_t reserved;     /* 0 */
    assay_text config;     /* preprocessor_config.json or, of a video, video_preprocessor_config.json */
    int64_t height, width; /* pixels */
    int64_t n_frames;      /* of a video, as sampled; 0: a still image */
} assay_image_options;

typedef struct assay_image_size {
    int64_t height, width;          /* pixels, resized */
    int64_t grid_t, grid_h, grid_w; /* patches: image_grid_thw of families that have it */
    int64_t n_tokens;               /* placeholder tokens of the image in the prompt, without markers */
} assay_image_size;

/* An audio clip, and the config of its feature extractor. Required: config, n_samples. */
typedef struct assay_sound_options {
    uint32_t size;
    uint32_t reserved; /* 0 */
    assay_text config; /* preprocessor_config.json */
    int64_t n_samples; /* of one channel, at the config's sampling_rate */
    int64_t n_longest; /* of the longest audio clip of the prompt; 0: n_samples */
    int64_t n_window;  /* of the model's audio_config: half a chunk, in frames; 0: 50 */
} assay_sound_options;

typedef struct assay_sound_size {
    int64_t n_frames; /* of the spectrogram, without padding */
    int64_t n_tokens; /* placeholder tokens of the audio clip in the prompt, without markers */
} assay_sound_size;

/* On failure out-parameters are untouched, and `err`, if it is not NULL, holds the reason. */
typedef struct assay_serving {
    uint32_t abi;     /* ASSAY_SERVING_ABI */
    uint32_t size;    /* sizeof(assay_serving) that the object was built with */
    const char *name; /* one word, for reports */
    const char *version;

    /* Writes the union of the ids that the documents name, sorted, without duplicates: the first `capacity`
     * of them to ids, and their number to *n. null, an absent member and [] add nothing; ids in text_config
     * count where the top level of the document has none. Values other than non-negative 32-bit integers and
     * lists of them are ASSAY_EFORMAT, with the member's name. */
    assay_status (*stop_set)(const assay_stop_documents *documents, assay_stop_id *ids, size_t capacity,
                             size_t *n, assay_error *err);

    /* Reads a reply while it is generated; options NULL: without parsers. The output does not depend on how
     * the text is cut into deltas. ASSAY_EUNSUPPORTED for an unknown parser. */
    assay_status (*reply_open)(const assay_reply_options *options, assay_reply **out, assay_error *err);
    assay_status (*reply_feed)(assay_reply *reply, const char *delta, size_t n, const assay_sink *sink,
                               assay_error *err);
    /* Called once, at the end: emits withheld text. */
    assay_status (*reply_end)(assay_reply *reply, const assay_sink *sink, assay_error *err);
    void (*reply_free)(assay_reply *reply);

    /* dir: a checkpoint's directory with tokenizer.json. */
    assay_status (*tokenizer_open)(const char *dir, assay_tokenizer **out, assay_error *err);
    void (*tokenizer_free)(assay_tokenizer *tokenizer);

    /* Writes the first `capacity` ids to ids, and their number to *n_ids. add_special: with the tokens that
     * the tokenizer's post-processor adds to a text. */
    assay_status (*encode)(const assay_tokenizer *tokenizer, const char *text, size_t n, bool add_special,
                           int32_t *ids, size_t capacity, size_t *n_ids, assay_error *err);

    /* Writes the first `capacity` bytes to text, and their number to *n_text. skip_special: without special
     * tokens. An unknown id has no text, as published; ASSAY_EINVAL for a negative id. */
    assay_status (*decode)(const assay_tokenizer *tokenizer, const int32_t *ids, size_t n, bool skip_special,
                           char *text, size_t capacity, size_t *n_text, assay_error *err);

    /* Borrows the tokenizer. Emits ASSAY_PART_CONTENT: after each id as much text as is certain, never a part
     * of a character, and the rest at the end. The whole is the text of `decode`. */
    assay_status (*detokenizer_open)(const assay_tokenizer *tokenizer, bool skip_special,
                                     assay_detokenizer **out, assay_error *err);
    assay_status (*detokenizer_push)(assay_detokenizer *detokenizer, int32_t id, const assay_sink *sink,
                                     assay_error *err);
    assay_status (*detokenizer_end)(assay_detokenizer *detokenizer, const assay_sink *sink, assay_error *err);
    void (*detokenizer_free)(assay_detokenizer *detokenizer);

    /* A completion under way: receives generated ids and emits text as ASSAY_PART_CONTENT, special tokens
     * included. The text ends before a stop id or a stop text. Text that may become a stop text is withheld.
     */
    assay_status (*completion_open)(const assay_completion_options *options, assay_completion **out,
                                    assay_error *err);
    /* *state: after this id. ASSAY_EINVAL once the completion has ended. */
    assay_status (*completion_push)(assay_completion *completion, int32_t id, const assay_sink *sink,
                                    assay_completion_state *state, assay_error *err);
    void (*completion_free)(assay_completion *completion);

    /* A response under way: turns the output of an engine into the body for the client, which is the event
     * stream of the endpoint's protocol if the request streams, and otherwise one JSON object at the end.
     * Reasoning and tool calls are separated as by reply_open. ASSAY_EFORMAT for invalid documents,
     * ASSAY_EUNSUPPORTED for an unknown endpoint or parser.
     *
     * When a client disconnects, the response is freed. */
    assay_status (*response_open)(const assay_response_options *options, assay_response **out,
                                  assay_error *err);
    /* ASSAY_EINVAL once the response is over: after its last chunk, or after a failure. */
    assay_status (*response_chunk)(assay_response *response, const assay_response_chunk *chunk,
                                   const assay_byte_sink *sink, assay_error *err);
    /* The engine failed: sends `text` to the client as the protocol's error; the response is over. */
    assay_status (*response_fail)(assay_response *response, const char *text, const assay_byte_sink *sink,
                                  assay_error *err);
    /* The engine has no more output. If no chunk was the last one, that is a failure, and is sent as an
     * error. */
    assay_status (*response_end)(assay_response *response, const assay_byte_sink *sink, assay_error *err);
    void (*response_free)(assay_response *response);

    /* Optional. Renders a chat template and passes the text to sink, in order, after it is known to be
     * complete: on failure nothing is passed. ASSAY_EFORMAT for a template that is not valid or fails: the
     * message is the text of raise_exception, or says in which line what was found. ASSAY_EUNSUPPORTED, with
     * its name, for what the module does not support. */
    assay_status (*template_render)(const assay_template_options *options, const assay_byte_sink *sink,
                                    assay_error *err);

    /* The size to which the published processor resizes an image. A member of the config that is null counts
     * as absent. ASSAY_EFORMAT or ASSAY_EUNSUPPORTED, with the member's name, for a config that the published
     * processor refuses, or that the callee does not support; ASSAY_EUNSUPPORTED for a size that the
     * published processor refuses, such as an aspect ratio above 200. */
    assay_status (*image_size)(const assay_image_options *options, assay_image_size *out, assay_error *err);

    /* Optional. The size of the spectrogram that the published feature extractor makes of an audio clip, and
     * its tokens. ASSAY_EFORMAT or ASSAY_EUNSUPPORTED as image_size; ASSAY_EUNSUPPORTED for an audio clip
     * that is too short for the published extractor; ASSAY_EINVAL for numbers that are out of range. */
    assay_status (*sound_size)(const assay_sound_options *options, assay_sound_size *out, assay_error *err);
} assay_serving;

typedef const assay_serving *assay_serving_fn(void);

#ifdef __cplusplus
}
#endif

#endif
