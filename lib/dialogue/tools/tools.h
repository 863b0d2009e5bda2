/* Tool calls in a model's output, parsed while it is generated: text in, content and calls out.
 *
 * The formats, their names and their grammar are those of the published server (vllm-mlx 0.6.0,
 * --tool-call-parser); formats.c lists them. The output depends on the text alone, not on how it was cut into
 * deltas.
 *
 * Text is content up to an opening marker. A block begins there; it is held until it is complete, and its
 * calls are then emitted whole, in the order of the text. The published server's answer to a complete text
 * looks at all of it before it decides. The rules below do not, and every recorded answer agrees with them:
 *
 * - A block that is no call is content, including its markers, except for what both answers of the published
 *   server drop: blocks of hermes and qwen in the shape of a call whose JSON is invalid, and for qwen an
 *   unclosed block at the end of the text.
 * - gemma4: content after the first call is dropped. qwen3_xml: text between calls is content, text after the
 *   last call is dropped. glm47, mistral, deepseek, deepseek_v4, functionary, kimi, nemotron, xlam: text
 *   after the first marker is content only if the text has no call at all; harmony: the same, except for the
 *   answer in the channel `final`. poolside_v1: text after the first marker is dropped; minimax: text after
 *   the first complete block is dropped.
 * - Calls without markers (bare JSON, fenced code) are content, except for objects of llama and arrays of
 *   xlam and functionary at the beginning of the text, fenced code of xlam, and Python calls after a gemma4
 *   block without a call.
 * - hermes: content from an opening tag that another one follows, or from a </think>, is held until a call or
 *   the end of the text.
 * - auto: a later marker of another format can turn the text before it into content. All text from the first
 *   marker on is held until the end. deepseek: the same from a section on that calls precede. qwen, step3p5:
 *   the same from a function on whose start and end tags differ in number.
 * - Reasoning is parsed by dialogue/reasoning/reasoning.h, not here. But text between <think> and </think>
 *   after the first marker of gemma4, glm47, hermes or qwen is neither content nor part of a call, and a
 *   </think> without <think> absorbs the text before it there: thoughts.h.
 *
 * JSON is strict (base/json_scan.h): arguments with a duplicate member or NaN are not JSON.
 *
 * Memory: a block of at most SERVE_TOOLS_BLOCK_MAX bytes, and as much held content. A longer block is content
 * up to that length, and the search for openers continues after it; held content that grows longer is
 * emitted. Time: linear in the text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_TOOLS_H
#define DIALOGUE_TOOLS_TOOLS_H

#include "dialogue/tools/machine.h"

/* request: the JSON text of the request, not kept; some formats read names and types from its member `tools`;
 * .at NULL if there is none. ASSAY_EUNSUPPORTED for an unknown name, ASSAY_EFORMAT for a request that is not
 * an object. The caller owns *out. */
assay_status serve_tools_open(const char *name, assay_text request, serve_tools **out, assay_error *err);
void serve_tools_free(serve_tools *t);

/* Whether calls are messages to tools, which a reasoning parser that reads messages must then leave in the
 * content. */
bool serve_tools_reads_messages(const serve_tools *t);

#endif
