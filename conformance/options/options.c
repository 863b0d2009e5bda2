/* The table of options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/options/options.h"

const conf_option_info conf_cli_options[] = {
    {CONF_OPTION_ENGINE, 'e', "--engine", "ENGINE",
     "a bundled engine's name or the path of a module; run takes several\n(default: ref64, ref32 and "
     "fastpath; with --compute fastpath)"},
    {CONF_OPTION_COMPUTE, 0, "--compute", "TYPE",
     "ask engines to compute in f32, bf16 or int8, and judge them by the\nnoise of that type (default: as "
     "the engine likes)"},
    {CONF_OPTION_JUDGED_AS, 0, "--compute", "TYPE",
     "judge by the noise of f32, bf16 or int8, in which the engine\ncomputed (default: float32, or float64 "
     "by its bound)"},
    {CONF_OPTION_PART, 0, "--part", "PART",
     "judge only the logits, tokens or traces; may be repeated (default:\neverything that GOLDEN has)"},
    {CONF_OPTION_COMPUTED_IN, 0, "--compute", "TYPE",
     "ask engines to compute in f32, bf16 or int8 (default: as the engine\nlikes)"},
    {CONF_OPTION_FILTER, 'f', "--filter", "PATTERN",
     "only cases whose id matches: a glob, in which * also stands for\n/, or a part of the id"},
    {CONF_OPTION_SHARD, 0, "--shard", "I/N",
     "only part I (from 1 on) of N: the cases whose id has, hashed with\n64-bit FNV-1a, the remainder I - 1 "
     "modulo N"},
    {CONF_OPTION_VECTOR, 0, "--vector", "GROUP/ID",
     "only this vector of textual cases; cases without it are skipped"},
    {CONF_OPTION_SEED, 0, "--seed", "N",
     "arrange batches otherwise than recorded, as drawn from N: samples in\nanother order and in company, "
     "with "
     "more padding and other ids under it"},
    {CONF_OPTION_JOBS, 'j', "--jobs", "N",
     "run N cases at once, in reports of the same order (default: the\nnumber of processors)"},
    {CONF_OPTION_THREADS, 'j', "--jobs", "N", "compare on N threads (default: the number of processors)"},
    {CONF_OPTION_TIMEOUT, 0, "--timeout", "SECONDS",
     "kill an engine that takes longer over a case (or a measurement, or a\nvector of a textual case), which "
     "then has failed (default: 60)"},
    {CONF_OPTION_MEMORY, 0, "--memory", "MIB",
     "the memory that a process may use for a case, a checkpoint or an\noperation (default: half of the "
     "machine's; "
     "mapped files do not\ncount; not limited in builds with sanitizers)"},
    {CONF_OPTION_FAIL_CLASS, 0, "--fail-class", "CLASS",
     "only failures of this class are divergences (mask, logits, tokens,\ntensor, rope, threads, stops, "
     "text, "
     "events, inconsistent, shape, refused, memory, crash,\nexit, hang); another stands in the way of an "
     "answer: 99"},
    {CONF_OPTION_BISECT, 0, "--bisect", NULL,
     "for git bisect run: exit with 125 where the status would be neither\n0 nor 1"},
    {CONF_OPTION_DUMP, 0, "--dump", "DIR",
     "write what each engine was seen to do to DIR/ENGINE/ID.h5, for\nassay diff"},
    {CONF_OPTION_TAP, 0, "--tap", "FILE",
     "write the Test Anything Protocol to FILE; - for standard output,\nwhich then holds nothing else"},
    {CONF_OPTION_JUNIT, 0, "--junit", "FILE", "write JUnit's XML to FILE, as for --tap"},
    {CONF_OPTION_JSON, 0, "--json", "FILE",
     "write one JSON document to FILE; - for standard output, which then\nholds nothing else; only one "
     "report can go there"},
    {CONF_OPTION_SERVING, 0, "--serving", NULL,
     "measure how fast replies are read, instead of a checkpoint: every parser\nof reasoning and of tool "
     "calls (default engine: fastpath)"},
    {CONF_OPTION_MODEL, 0, "--model", "DIR", "the checkpoint"},
    {CONF_OPTION_PROMPT, 0, "--prompt", "N",
     "measure prefill of N tokens; may be repeated, as the next two\n(default: 512)"},
    {CONF_OPTION_CONTEXT, 0, "--context", "N", "measure decode behind N tokens (default: 16)"},
    {CONF_OPTION_BATCH, 0, "--batch", "N", "measure both with N samples at once (default: 1)"},
    {CONF_OPTION_TOKENS, 0, "--tokens", "N",
     "decode N tokens of each sample, fewer where they take over 5 seconds\n(default: 32)"},
    {CONF_OPTION_REPEAT, 0, "--repeat", "N", "measure everything N times (default: 5)"},
    {CONF_OPTION_IDS, 0, "--seed", "N", "draw the token ids, or the replies, from N (default: 0)"},
    {CONF_OPTION_KERNELS, 0, "--kernels", "LIBRARY",
     "give engines the kernels of LIBRARY in the place of their own\n(see assay kernels); then the default "
     "engine is fastpath"},
    {CONF_OPTION_DRAW, 0, "--seed", "N", "draw shapes and numbers from N (default: 5)"},
    {CONF_OPTION_PROGRAMS, 0, "--seed", "N", "draw programs from N (default: 0)"},
    {CONF_OPTION_DRAWS, 0, "--draws", "N", "draw N programs for each case, from the seed on (default: 1)"},
    {CONF_OPTION_SHAPE, 0, "--shape", "NAME",
     "draw programs of one shape: handover, pool, crowd, makers,\nstrangers, reopen, worker or random "
     "(default: "
     "all in one)"},
    {CONF_OPTION_ON_THREADS, 0, "--threads", "LIST",
     "run each program on so many threads (default: 1,2,4,16)"},
    {CONF_OPTION_FOR, 0, "--for", "SECONDS",
     "go on with ever new seeds for so long, or until something fails"},
    {CONF_OPTION_SAVE, 0, "--save", "DIR", "where programs that fail are written (default: .)"},
    {CONF_OPTION_REPLAY, 0, "--replay", "FILE", "run the program in FILE again and again"},
    {CONF_OPTION_TIMES, 0, "--times", "N", "with --replay: N times (default: 20)"},
    {CONF_OPTION_ENDPOINT, 0, "--endpoint", "NAME",
     "whose protocol it is: chat, messages or responses, or the path:\n/v1/chat/completions, /v1/messages, "
     "/v1/responses"},
    {CONF_OPTION_MARKER, 0, "--marker", "TEXT", "content must not hold TEXT, say <think>; may be repeated"},
    {CONF_OPTION_USAGE, 0, "--usage", "WHETHER",
     "yes or no: whether the request asked for usage\n(stream_options.include_usage); of chat alone "
     "(default: not known)"},
    {CONF_OPTION_TEXT, 0, "--prompt", "TEXT",
     "what the model is given, special tokens in it included; - for standard\ninput"},
    {CONF_OPTION_MAX_TOKENS, 0, "--max-tokens", "N", "generate at most N tokens (default: 256)"},
    {CONF_OPTION_TEMPERATURE, 0, "--temperature", "X",
     "draw tokens, with logits divided by X (default: 0, the best token)"},
    {CONF_OPTION_TOP_K, 0, "--top-k", "N", "with --temperature: draw from the N best tokens"},
    {CONF_OPTION_TOP_P, 0, "--top-p", "P",
     "with --temperature: leave out the least likely tokens that are together\nat most 1 - P"},
    {CONF_OPTION_MIN_P, 0, "--min-p", "P",
     "with --temperature: leave out what is less likely than P times the most\nlikely"},
    {CONF_OPTION_PENALTY, 0, "--repetition-penalty", "X",
     "divide the logits of tokens that were there by X, multiply negative\nones"},
    {CONF_OPTION_SAMPLING, 0, "--seed", "N",
     "with --temperature: what tokens are drawn from (default: 0); the same on\nevery machine"},
    {CONF_OPTION_STOP, 0, "--stop", "TEXT", "end before TEXT; may be repeated"},
    {CONF_OPTION_NO_THINKING, 0, "--no-thinking", NULL,
     "thinking is off: reasoning is looked for behind an explicit marker\nalone, and is not shown"},
    {CONF_OPTION_REASONING, 0, "--reasoning-parser", "NAME",
     "read reasoning as NAME does (default: by the tokens that the tokenizer\nhas; none for no parser)"},
    {CONF_OPTION_TOOLS, 0, "--tool-parser", "NAME", "read tool calls as NAME does, as above"},
    {CONF_OPTION_MARKERS_OF_REASONING, 0, "--reasoning-parser", "NAME",
     "content must not hold the markers of this reasoning parser, say\nqwen3 or gemma4"},
    {CONF_OPTION_MARKERS_OF_TOOLS, 0, "--tool-parser", "NAME",
     "the same for a parser of tool calls, say hermes or gemma4"},
    {CONF_OPTION_ALLOW_UNKNOWN, 0, "--allow-unknown", "MEMBER",
     "ignore this member of a checkpoint's config.json, which would be refused\nas not understood; may be "
     "repeated"},
    {CONF_OPTION_VERBOSE, 'v', "--verbose", NULL, "show every measure of every case"},
    {CONF_OPTION_HELP, 'h', "--help", NULL, "show this help"},
};
