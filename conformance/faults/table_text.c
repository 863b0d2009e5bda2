/* Faults of stop sets, parsers and streams of events.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/faults/fault.h"

const fault TEXT_FAULTS[] = {
    {"stop-tokenizer-only", "the stop set is read only from the tokenizer", "trained/gemma4/dialogues",
     "trained/qwen3/dialogues", FAULT_VECTORS, "expected 13 tokens, found 64",
     .stops_of = ASSAY_STOP_TOKENIZER},
    {"stop-generation-only", "the stop set is read only from generation_config.json", "serving/eos/published",
     "trained/gemma4/dialogues", FAULT_VECTORS, "found from generation_config.json",
     .stops_of = ASSAY_STOP_GENERATION_CONFIG},
    {"stop-in-text", "a reply contains the text of its stop token", "trained/gemma4/dialogues",
     "serving/eos/published", FAULT_VECTORS, "found \"…hannel|>It is 7.<turn|>\"", .tells_stop = true},
    {"prompt-uncounted", "the tokens of a prompt are reported as 0", "trained/gemma4/dialogues",
     "serving/reasoning/random", FAULT_VECTORS, "prompt_tokens: expected 16, found 0",
     .counts_no_prompt = true},
    {"parser-skipped", "reasoning is not parsed when thinking is off", "trained/gemma4/dialogues",
     "serving/reasoning/published", FAULT_VECTORS, "found \"<|channel>thought", .skips_parser = true},
    {"latch-implicit", "when thinking is off, a reply is parsed as if reasoning had begun",
     "trained/qwen3/dialogues", "serving/reasoning/published", FAULT_VECTORS,
     "content: expected \"It is 7.\", found null", .latches = true},
    {"marker-split", "a marker that is cut between deltas leaks", "trained/gemma4/dialogues",
     "serving/eos/published", FAULT_VECTORS, "found \"thought", .holds_nothing = true},
    {"tail-lost", "text held back at the end of a reply is lost", "serving/tools/published",
     "serving/eos/published", FAULT_VECTORS, "calls: expected 1, found 0", .drops_tail = true},
    {"block-twice", "a block of text is opened twice", "serving/events/random", "serving/reasoning/random",
     FAULT_VECTORS, "messages-block: found content_block_start while a block is open", .opens_twice = true},
    {"finish-twice", "the reason why a completion ended is given twice", "serving/events/random",
     "serving/reasoning/random", FAULT_VECTORS,
     "chat-after-finish: found more of a choice after its finish_reason", .finishes_twice = true},
    {"special-stripped", "special tokens are taken out of the text before its markers are looked for",
     "trained/gemma4/dialogues", "serving/events/random", FAULT_VECTORS, "found \"thought",
     .strips_special = true},
};
const size_t N_TEXT_FAULTS = sizeof TEXT_FAULTS / sizeof *TEXT_FAULTS;
