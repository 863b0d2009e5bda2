/* Tool calls in what a model writes, read as it is written: text in, content and calls out.
 *
 * The formats, their names and what a call is are those of the published server (vllm-mlx 0.6.0,
 * --tool-call-parser); formats.c lists them. What comes out depends on the text alone, not on how it
 * was cut into deltas.
 *
 * Text is content until an opening marker. From there on it is a block: held until it is known what it is,
 * and then its calls are handed out whole, in the order of the text. The published server's answer to a whole
 * text looks at all of it before it decides. These rules do not, and every recorded answer agrees with them:
 *
 * - A block that is no call is content, markers and all, but for what both of the server's answers drop:
 * blocks of hermes and qwen in the shape of a call whose JSON is broken, and for qwen what the text ends in.
 * - gemma4: no content follows the first call. qwen3_xml: text between calls is content, text behind the last
 *   one is not. glm47, mistral, deepseek, deepseek_v4, functionary, kimi, nemotron, xlam: what follows the
 *   first marker is content only if no call is found at all; harmony: likewise, but for the answer of the
 *   channel `final`. poolside_v1: none of it is; minimax: nothing behind the first whole block is.
 * - Calls without markers (bare JSON, fenced code) are content, but for llama's objects, and arrays of xlam
 *   and functionary, at the very beginning, xlam's fenced code, and calls as Python writes them behind a
 *   block of gemma4 without a call.
 * - hermes: content from an open tag on that another follows, or the end of a thought, waits for a call or
 *   the end of the text.
 * - auto: a later marker of another format may make what is before it no call. From the first marker on, all
 *   is held until the text has ended. deepseek: likewise from a section on that calls stand before. qwen,
 *   step3p5: likewise from a function on whose ends are not as many as its beginnings.
 * - Reasoning is not looked for: that is serving/reasoning/reasoning.h. But what stands between <think> and
 * </think> behind the first marker of gemma4, glm47, hermes or qwen is neither content nor part of a call,
 * and there the end of a thought without a beginning takes along what is before it: thoughts.h.
 *
 * JSON is strict (base/json_scan.h): arguments with a member that comes twice, or NaN, are none.
 *
 * Memory: a block of at most SERVE_TOOLS_BLOCK_MAX bytes, and as much content under a condition. A block that
 * has not ended by then is content so far, and the text behind it is looked at anew; content under a
 * condition is content then. Time: linear in the text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_TOOLS_H
#define SERVING_TOOLS_TOOLS_H

#include "serving/tools/machine.h"

/* request: the JSON text of the request, whose member `tools` some formats ask for names and types; .at NULL:
 * there is none. Not kept. ASSAY_EUNSUPPORTED for a name that is not known, ASSAY_EFORMAT for a request that
 * is not an object. The caller owns *out. */
assay_status serve_tools_open(const char *name, assay_text request, serve_tools **out, assay_error *err);
void serve_tools_free(serve_tools *t);

/* Whether calls are messages to tools, which a reasoning parser that knows messages must then leave in. */
bool serve_tools_reads_messages(const serve_tools *t);

#endif
