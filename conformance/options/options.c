/* The table of options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/options/options.h"

const conf_option_info conf_cli_options[] = {
    /* What is run, checked or generated from. */
    {CONF_OPTION_MODEL, 0, "--model", "DIR",
     "the checkpoint: a directory with a config.json, or a GGUF file"},
    {CONF_OPTION_TEXT, 0, "--prompt", "TEXT",
     "the prompt, which may contain special tokens; - for standard input"},
    {CONF_OPTION_IMAGE, 0, "--image", "FILE",
     "a PNG, JPEG, WebP, GIF, BMP or portable (PBM, PGM, PPM, PFM) file that the\nmodel sees before the "
     "prompt; may be repeated; implies --chat if the\ncheckpoint has a chat template"},
    {CONF_OPTION_AUDIO, 0, "--audio", "FILE",
     "an audio file (WAV, FLAC, Ogg, MP3 or another) that the model hears after the images\nand before the "
     "prompt; "
     "may be repeated; "
     "implies --chat as --image does"},
    {CONF_OPTION_CHAT, 0, "--chat", NULL,
     "give the model the prompt as a user's message, in the checkpoint's\nchat template, instead of "
     "unchanged"},
    {CONF_OPTION_SYSTEM, 0, "--system-prompt", "TEXT",
     "the message of role system before it; implies --chat"},
    {CONF_OPTION_IGNORE_TEMPLATE, 0, "--ignore-chat-template", NULL,
     "with --image or --audio: give the model the prompt unchanged; it has a\nplaceholder for each of them"},
    {CONF_OPTION_SERVING, 0, "--serving", NULL,
     "measure how fast replies are parsed instead: every parser of\nreasoning and of tool calls (default "
     "engine: fastpath)"},
    {CONF_OPTION_MEASURED_REASONING, 0, "--reasoning-parser", "NAME",
     "with --serving: measure only this parser of reasoning, and the one of\n--tool-parser"},
    {CONF_OPTION_MEASURED_TOOLS, 0, "--tool-parser", "NAME",
     "with --serving: measure only this parser of tool calls, and the one of\n--reasoning-parser"},
    {CONF_OPTION_ENDPOINT, 0, "--endpoint", "NAME",
     "protocol of the stream: chat, completions, messages or responses, or\nits path, such as "
     "/v1/chat/completions"},
    {CONF_OPTION_FILTER, 'f', "--filter", "PATTERN",
     "only cases whose id matches: a glob, in which * also matches /, or a\npart of the id"},
    {CONF_OPTION_SHARD, 0, "--shard", "I/N",
     "only shard I (1 to N) of N, which cost about the same, on every machine\n(default: what Bazel sets in "
     "TEST_SHARD_INDEX and TEST_TOTAL_SHARDS, if\nanything; assay merge joins the results)"},
    {CONF_OPTION_EXPECT, 0, "--expect", "N", "fail unless the results are those of N shards"},
    {CONF_OPTION_KNOWN, 0, "--expect", "FILE",
     "count the failures that FILE states apart, and fail if one of them does\nnot occur, or after its date"},
    {CONF_OPTION_BASELINE, 0, "--baseline", "FILE",
     "compare with an earlier run after the report, as assay compare does:\nFILE is its --json; the exit "
     "status stays that of this run"},
    {CONF_OPTION_PAIR, 0, "--pair", "BEFORE=AFTER",
     "compare engine BEFORE of the earlier run with engine AFTER of the later\none; may be repeated "
     "(default: "
     "those of the same name, then of the same\nlast part of a path, then the only ones that are left)"},
    {CONF_OPTION_VECTOR, 0, "--vector", "GROUP/ID",
     "only this vector of textual cases; cases without it are skipped"},
    {CONF_OPTION_CHECKPOINT_ROOT, 0, "--checkpoint-root", "DIR",
     "where the checkpoints are of cases that were recorded with this option\n(default: "
     "ASSAY_CHECKPOINT_ROOT)"},
    {CONF_OPTION_PART, 0, "--part", "PART",
     "judge only the logits, tokens or traces; may be repeated (default:\neverything in GOLDEN)"},
    {CONF_OPTION_HOST, 0, "--host", "HOST",
     "listen on this address (default: 127.0.0.1); one that other machines\ncan reach needs --api-key-env"},
    {CONF_OPTION_PORT, 0, "--port", "N",
     "listen on this port (default: 8080); 0: on any that is free, which is\nprinted"},
    {CONF_OPTION_API_KEY_ENV, 0, "--api-key-env", "VAR",
     "the environment variable that holds the API key (default: there is\nno key)"},
    {CONF_OPTION_NAME, 0, "--name", "NAME", "what clients call the model (default: the last part of DIR)"},
    {CONF_OPTION_TRUTH, 0, "--truth", "CASE",
     "a case of the checkpoint that is served, or a directory of cases; may\nbe repeated (default: the "
     "bundled ones for probes)"},
    {CONF_OPTION_SERVED_MODEL, 0, "--model", "NAME",
     "the model to ask for (default: the one that has the name of the\ncheckpoint's directory, else the "
     "first)"},
    {CONF_OPTION_ONLY, 0, "--only", "CHECKS",
     "only discovery and these checks: protocol, numerics, batching or\ntext, or those whose names begin so, "
     "as "
     "protocol/chat/stream;\nmay be repeated"},
    {CONF_OPTION_QUICK, 0, "--quick", NULL,
     "ask two prompts where checks ask several, and stop asking after one\nminute: what is left is not "
     "exercised"},
    {CONF_OPTION_REDUCE, 0, "--reduce", "SECONDS",
     "ask the server again, for so long at most, to find the fewest requests\nthat still show each failure"},
    {CONF_OPTION_CLAIM, 0, "--compute", "TYPE",
     "the type that the server claims to compute in: judge by the noise of\nf32, f16, bf16, int8, of weights "
     "in 8-bit or 4-bit groups, or of\nllama.cpp's q8_0, q8_1 or q8_K (default: f32)"},
    {CONF_OPTION_FILES, 0, "--files", "DIR",
     "images may be files below DIR, as file: URLs (default: data URLs only)"},
    /* Engines. */
    {CONF_OPTION_ENGINE, 'e', "--engine", "ENGINE",
     "name of a bundled engine, path of a module, or exec:COMMAND, a\nprogram (docs/protocol.md); may be "
     "repeated, except for locate,\ngenerate and serve (default: ref64, ref32 and fastpath; with\n--compute "
     "fastpath)"},
    {CONF_OPTION_KERNELS, 0, "--kernels", "LIBRARY",
     "have engines use the kernels of LIBRARY instead of their own (see\nassay kernels); the default engine "
     "is then fastpath"},
    {CONF_OPTION_COMPUTE, 0, "--compute", "TYPE",
     "judge engines by the noise of this compute type (docs/judging.md), and\nhave them compute in it if it "
     "is f32, bf16, int8 or one that the engine\nlists (default: the engine's own choice, judged as f32)"},
    {CONF_OPTION_JUDGED_AS, 0, "--compute", "TYPE",
     "the type in which the observed engine computed (docs/judging.md): judge\nby its noise (default: "
     "float32 by its noise, float64 by its bound)"},
    {CONF_OPTION_COMPUTED_IN, 0, "--compute", "TYPE",
     "have engines compute in f32, bf16, int8 or a type that the engine\nlists (default: the engine's own "
     "choice)"},
    {CONF_OPTION_CACHE, 0, "--kv-cache-type", "TYPE",
     "with --compute: the type in which keys and values are cached: f16,\nbf16, fp8_e4m3, fp8_e5m2, int8, "
     "q8_0 or q4_0"},
    {CONF_OPTION_ALLOW_UNKNOWN, 0, "--allow-unknown", "MEMBER",
     "ignore this unknown member of config.json instead of refusing the\ncheckpoint; may be repeated"},
    {CONF_OPTION_EXPLAIN, 0, "--explain", NULL,
     "run nothing; print what each engine offers, and which cases and\nmanners of evaluation each part of it "
     "unlocks"},
    {CONF_OPTION_EXPLAIN_FIELDS, 0, "--explain", NULL,
     "run nothing; print every field of an answer and every member of a\nrequest, with the check that judges "
     "it "
     "(docs/fields.md)"},
    {CONF_OPTION_TENSORS, 0, "--tensors", NULL,
     "show the stored tensors of a checkpoint of any family instead of its\nplan"},
    {CONF_OPTION_BOUNDS, 0, "--bounds", NULL,
     "show why the bounds of a case are what they are: from which recorded\nruns, by which formula"},
    /* How it is run. */
    {CONF_OPTION_MANNER, 0, "--manner", "MANNER",
     "evaluate prompts whole, and then in this manner: whole (no other),\nlast, chunk-1, chunk-7, chunk-64, "
     "chunk-512, apart, rest, late, early,\nrewind, fork, stopped or refused (default: all that the engine "
     "can be\nasked for)"},
    {CONF_OPTION_SHIFT, 0, "--context-shift", "N",
     "judge cases with limited caches by another rule: a full cache drops its\noldest N tokens after the "
     "attention sink tokens, and renumbers\nthe others"},
    {CONF_OPTION_SEED, 0, "--seed", "N",
     "rearrange each batch at random from seed N: reorder the samples, add\nbatch neighbours and padding, "
     "and evaluate it in a manner that is\ndrawn, too"},
    {CONF_OPTION_PROMPT, 0, "--prompt", "N",
     "measure prefill of N tokens or, given as WxHxN, of N images of W x H\npixels; may be repeated, as may "
     "the next two (default: 512)"},
    {CONF_OPTION_CONTEXT, 0, "--context", "N", "measure decode after N tokens of context (default: 16)"},
    {CONF_OPTION_BATCH, 0, "--batch", "N", "measure both with a batch size of N (default: 1)"},
    {CONF_OPTION_TOKENS, 0, "--tokens", "N",
     "decode N tokens of each sample, fewer if they take over 5 seconds\n(default: 32)"},
    {CONF_OPTION_REPEAT, 0, "--repeat", "N", "repeat every measurement N times (default: 5)"},
    {CONF_OPTION_IDS, 0, "--seed", "N", "seed of the random token ids, or of the replies (default: 0)"},
    {CONF_OPTION_DRAW, 0, "--seed", "N", "seed of the random shapes and numbers (default: 5)"},
    {CONF_OPTION_SHAPE, 0, "--shape", "NAME",
     "draw programs of one shape: handover, pool, crowd, makers,\nstrangers, reopen, worker, batching, "
     "prefix or random (default: all\nin one)"},
    {CONF_OPTION_PROGRAMS, 0, "--seed", "N", "seed of the first program (default: 0)"},
    {CONF_OPTION_DRAWS, 0, "--draws", "N",
     "draw N programs for each case, with seeds from --seed on (default: 1)"},
    {CONF_OPTION_ON_THREADS, 0, "--threads", "LIST",
     "run each program on these numbers of threads (default: 1,2,4,16)"},
    {CONF_OPTION_FOR, 0, "--for", "SECONDS",
     "continue with new seeds for this time, or until a program fails"},
    {CONF_OPTION_PROMPTS, 0, "--case", "CASE",
     "evaluate the prompts of this case with both checkpoints, and say what\nthe quantised one costs there"},
    {CONF_OPTION_REPLAY, 0, "--replay", "FILE", "run the program in FILE repeatedly"},
    {CONF_OPTION_TIMES, 0, "--times", "N", "with --replay: how often (default: 20)"},
    {CONF_OPTION_MAX_TOKENS, 0, "--max-tokens", "N", "generate at most N tokens (default: 256)"},
    {CONF_OPTION_ANSWER_TOKENS, 0, "--max-tokens", "N",
     "generate at most N tokens for a request that gives no limit (default:\nas many as the model has "
     "positions for)"},
    {CONF_OPTION_SAMPLES, 0, "--samples", "N",
     "evaluate at most N answers at once, in one batch (default: 32)"},
    {CONF_OPTION_QUEUE, 0, "--queue", "N",
     "let at most N further requests wait (default: 256); others are\nrefused with 429"},
    {CONF_OPTION_CONNECTIONS, 0, "--connections", "N", "serve at most N connections at once (default: 4096)"},
    {CONF_OPTION_BODY, 0, "--max-body", "MIB",
     "refuse requests of more than MIB mebibytes with 413 (default: 64)"},
    {CONF_OPTION_CLIENT_TIMEOUT, 0, "--timeout", "SECONDS",
     "close a connection on which nothing moves for this time, or whose\nrequest takes twice as long to "
     "arrive (default: 60)"},
    {CONF_OPTION_TEMPERATURE, 0, "--temperature", "X",
     "sample tokens, with logits divided by X (default: 0, the most likely\ntoken)"},
    {CONF_OPTION_TOP_K, 0, "--top-k", "N", "with --temperature: sample from the N most likely tokens"},
    {CONF_OPTION_TOP_P, 0, "--top-p", "P",
     "with --temperature: leave out the least likely tokens whose\nprobabilities sum to at most 1 - P"},
    {CONF_OPTION_MIN_P, 0, "--min-p", "P",
     "with --temperature: leave out tokens less likely than P times the\nmost likely one"},
    {CONF_OPTION_PENALTY, 0, "--repetition-penalty", "X",
     "divide positive logits of tokens in the context by X, multiply\nnegative ones"},
    {CONF_OPTION_SAMPLING, 0, "--seed", "N",
     "with --temperature: seed of the sampling (default: 0); results are the\nsame on every machine"},
    {CONF_OPTION_STOP, 0, "--stop", "TEXT", "end the reply before TEXT; may be repeated"},
    {CONF_OPTION_NO_THINKING, 0, "--no-thinking", NULL,
     "thinking is off: only text between explicit markers is reasoning; it\nis not shown"},
    {CONF_OPTION_REASONING, 0, "--reasoning-parser", "NAME",
     "parser of reasoning (default: chosen by the tokens of the tokenizer;\nnone: no parser)"},
    {CONF_OPTION_TOOLS, 0, "--tool-parser", "NAME", "parser of tool calls, as above"},
    {CONF_OPTION_MARKER, 0, "--marker", "TEXT",
     "fail if content contains TEXT, such as <think>; may be repeated"},
    {CONF_OPTION_MARKERS_OF_REASONING, 0, "--reasoning-parser", "NAME",
     "fail if content contains a marker of this reasoning parser, such as\nqwen3 or gemma4"},
    {CONF_OPTION_MARKERS_OF_TOOLS, 0, "--tool-parser", "NAME",
     "the same for a parser of tool calls, such as hermes or gemma4"},
    {CONF_OPTION_USAGE, 0, "--usage", "WHETHER",
     "yes or no: whether the request asked for usage\n(stream_options.include_usage); chat only (default: "
     "unknown)"},
    /* Output and exit status. */
    {CONF_OPTION_VERBOSE, 'v', "--verbose", NULL, "show all measurements of every case"},
    {CONF_OPTION_ALL_WEIGHTS, 'v', "--verbose", NULL, "list every weight, also those that are sound"},
    {CONF_OPTION_ALL_ROWS, 'v', "--verbose", NULL, "show also the checks that the server passes"},
    {CONF_OPTION_SHOW_PROMPT, 'v', "--verbose", NULL,
     "show the prompt that the chat template makes, and the size of each image"},
    {CONF_OPTION_TAP, 0, "--tap", "FILE",
     "write the Test Anything Protocol to FILE; - for standard output, to\nwhich nothing else is then "
     "written"},
    {CONF_OPTION_JUNIT, 0, "--junit", "FILE",
     "write JUnit XML to FILE; - for standard output, to which nothing\nelse is then written"},
    {CONF_OPTION_JSON, 0, "--json", "FILE",
     "write one JSON document to FILE; - for standard output, to which\nnothing else is then written; at "
     "most one report can go there"},
    {CONF_OPTION_HTML, 0, "--html", "FILE",
     "write a page for a browser to FILE, with tables and pictures; - for\nstandard output, to which nothing "
     "else is then written"},
    {CONF_OPTION_ANNOTATIONS, 0, "--annotations", "FILE",
     "write failures as GitHub's annotations to FILE, such as /dev/stderr in\na workflow"},
    {CONF_OPTION_SUMMARY, 0, "--summary", "FILE",
     "write a summary in Markdown to FILE, such as $GITHUB_STEP_SUMMARY"},
    {CONF_OPTION_SARIF, 0, "--sarif", "FILE", "write failures as SARIF 2.1.0 to FILE"},
    {CONF_OPTION_PROFILES, 0, "--profiles", NULL,
     "with --json: replay the most severe failures once more, and add their\nerrors, which assay merge "
     "--html shows as pictures"},
    {CONF_OPTION_DUMP, 0, "--dump", "DIR",
     "write the outputs of each engine to DIR/ENGINE/ID.h5, for assay diff"},
    {CONF_OPTION_BUNDLE, 0, "--bundle", "DIR",
     "write for each failure a folder below DIR, with which others can repeat\nit: case, checkpoint, "
     "answers, "
     "and the text of an issue (docs/guide.md)"},
    {CONF_OPTION_DRY_RUN, 0, "--dry-run", NULL,
     "with --bundle: list the files and their sizes instead, and write\nnothing to DIR"},
    {CONF_OPTION_SAVE, 0, "--save", "DIR", "directory in which failing programs are saved (default: .)"},
    {CONF_OPTION_OUTPUT, 0, "--output", "DIR",
     "directory for the reduced case, which must be empty or not exist\n(default: reduced)"},
    {CONF_OPTION_EFFORT, 0, "--seconds", "N", "begin no attempt after this time (default: 60)"},
    {CONF_OPTION_RECORDED, 0, "--recorded", NULL, "leave out only what keeps the recorded expected values"},
    {CONF_OPTION_EXCHANGES, 0, "--save", "PATH",
     "write every exchange as raw bytes to PATH, which can be judged again\nwithout the server: a new file "
     "if "
     "PATH ends in .jsonl, otherwise a new\ndirectory"},
    {CONF_OPTION_FAIL_CLASS, 0, "--fail-class", "CLASS",
     "only failures of this class are divergences (mask, logits, tokens,\ntensor, rope, threads, stops, "
     "text, image, events, inconsistent,\ncontract, shape, refused, memory, crash, exit, hang, fixed); with\n"
     "other failures only, the exit status is 99"},
    {CONF_OPTION_BISECT, 0, "--bisect", NULL,
     "for git bisect run: exit with 125 if the status would be neither 0\nnor 1"},
    /* Processes. */
    {CONF_OPTION_JOBS, 'j', "--jobs", "N",
     "run N cases in parallel; reports keep their order (default: the\nnumber of processors)"},
    {CONF_OPTION_THREADS, 'j', "--jobs", "N", "compare on N threads (default: the number of processors)"},
    {CONF_OPTION_TIMEOUT, 0, "--timeout", "SECONDS",
     "kill an engine after this time for a case, a measurement or a vector\nof a textual case, which then "
     "has failed (default: 60; more for a case\nwhose model is large)"},
    {CONF_OPTION_MEMORY, 0, "--memory", "MIB",
     "memory limit of a process for a case, a checkpoint or an operation\n(default: half of the machine's "
     "memory; mapped files do not count; no\nlimit in builds with sanitizers)"},
    {CONF_OPTION_ANSWER_TIMEOUT, 0, "--timeout", "SECONDS",
     "the longest time for a complete answer (default: 60)"},
    {CONF_OPTION_HELP, 'h', "--help", NULL, "show this help"},
};

const char *conf_option_former_name(conf_option id)
{
    static const char *const names[CONF_N_OPTIONS] = {[CONF_OPTION_AUDIO] = "--sound"};
    return names[id];
}
