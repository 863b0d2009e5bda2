/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/text/special.h"

#include <string.h>

#define WITH_LETTERS "]~b]" /* lower-case letters that follow belong to the token */

static const char *const TOKENS[] = {"<|im_end|>",
                                     "<|im_start|>",
                                     "<|endoftext|>",
                                     "<|end|>",
                                     "<|eot_id|>",
                                     "<|start_header_id|>",
                                     "<|channel|>",
                                     "<|message|>",
                                     "<|end_header_id|>",
                                     "<|start|>",
                                     "<|return|>",
                                     "<|call|>",
                                     "<s>",
                                     "</s>",
                                     "<|constrain|>",
                                     "<pad>",
                                     "[PAD]",
                                     "[SEP]",
                                     "[CLS]",
                                     "[e~[",
                                     WITH_LETTERS,
                                     "]~!b[",
                                     "<tool_call_reasoning>",
                                     "</tool_call_reasoning>"};

typedef enum likeness { NO_TOKEN, BEGINS, IS_TOKEN } likeness;

/* No token is a prefix of another. */
static likeness match_tokens(const serve_special *s)
{
    for (size_t i = 0; i < sizeof TOKENS / sizeof *TOKENS; i++)
        if (strncmp(TOKENS[i], s->held, s->n) == 0) return TOKENS[i][s->n] ? BEGINS : IS_TOKEN;
    return NO_TOKEN;
}

static bool begins_token(char c)
{
    return c == '<' || c == '[' || c == ']';
}

/* Handles the latest character: drops a token, or emits what can no longer become one. A token's first
 * character occurs in tokens only at their ends, so only the latest one can begin another token. */
static void resolve_held(serve_special *s, void (*take)(void *context, assay_text piece), void *context)
{
    const likeness like = match_tokens(s);
    const char last = s->held[s->n - 1];
    if (like == BEGINS) return;
    if (like == IS_TOKEN) {
        s->letters = s->n == strlen(WITH_LETTERS) && memcmp(s->held, WITH_LETTERS, s->n) == 0;
        s->n = 0;
        return;
    }
    const bool begins = begins_token(last);
    take(context, (assay_text){s->held, s->n - begins});
    s->held[0] = last;
    s->n = begins;
}

void serve_special_feed(serve_special *s, assay_text text, void (*take)(void *context, assay_text piece),
                        void *context)
{
    size_t begin = 0;
    for (size_t at = 0; at < text.n; at++) {
        const char c = text.at[at];
        s->letters = s->letters && c >= 'a' && c <= 'z';
        if (s->n > 0 && (unsigned char)c >= 0x80) { /* tokens are ASCII, and pieces are whole characters */
            serve_special_end(s, take, context);
            begin = at;
        }
        if (s->n == 0 && !s->letters && !begins_token(c)) continue;
        if (begin < at) take(context, (assay_text){text.at + begin, at - begin});
        begin = at + 1;
        if (s->letters) continue;
        s->held[s->n++] = c;
        resolve_held(s, take, context);
    }
    if (begin < text.n) take(context, (assay_text){text.at + begin, text.n - begin});
}

void serve_special_end(serve_special *s, void (*take)(void *context, assay_text piece), void *context)
{
    if (s->n > 0) take(context, (assay_text){s->held, s->n});
    *s = (serve_special){0};
}
