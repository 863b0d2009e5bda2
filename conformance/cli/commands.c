/* The table of commands, in the order of use.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/commands.h"

#include "conformance/cli/cmd.h"

/* A list of options, --help last. */
/* Reports of problems (conformance/problems). */
#define REVIEW CONF_OPTION_ANNOTATIONS, CONF_OPTION_SUMMARY, CONF_OPTION_SARIF

#define TAKES(...)                                                                                           \
    (const conf_option[])                                                                                    \
    {                                                                                                        \
        __VA_ARGS__, CONF_OPTION_HELP                                                                        \
    }

const conf_command conf_cli_commands[] = {
    {"run", "[OPTION]... [DIR|CASE]...", "replay cases through engines and judge the results",
     "DIR means every case below it; " CONF_DEFAULT_HELP ".\n"
     "\n"
     "The table at the end shows the worst error of each case and engine: for a float32 engine\n"
     "in multiples of the case's noise (at most 4 passes), for a float64 engine in multiples of\n"
     "its bound (at most 1 passes). The noise is the distance between a float32 run and the\n"
     "float64 run of the published model, measured when the case was recorded. With --compute\n"
     "it is the noise of a run in that type; cases without such a run are skipped.\n"
     "\n"
     "Engines are searched for in the directories of ASSAY_ENGINE_PATH (separated by colons),\n"
     "then among the installed ones. Each case runs in a process of its own. Setting NO_COLOR\n"
     "turns colours off.\n"
     "\n"
     "Exit status: 0 all cases pass; 1 at least one diverges; 2 usage; 77 no case could be run;\n"
     "99 a broken fixture, a missing library or an error of assay itself, even if another case\n"
     "diverges: the unreadable case is untested. With --bisect, 125 replaces 2, 77 and 99.\n",
     TAKES(CONF_OPTION_ENGINE, CONF_OPTION_COMPUTE, CONF_OPTION_CACHE, CONF_OPTION_FILTER, CONF_OPTION_SHARD,
           CONF_OPTION_VECTOR, CONF_OPTION_KNOWN, CONF_OPTION_BASELINE, CONF_OPTION_PAIR, CONF_OPTION_SEED,
           CONF_OPTION_MANNER, CONF_OPTION_SHIFT, CONF_OPTION_EXPLAIN, CONF_OPTION_JOBS, CONF_OPTION_TIMEOUT,
           CONF_OPTION_MEMORY, CONF_OPTION_FAIL_CLASS, CONF_OPTION_BISECT, CONF_OPTION_DUMP,
           CONF_OPTION_BUNDLE, CONF_OPTION_DRY_RUN, CONF_OPTION_TAP, CONF_OPTION_JUNIT, CONF_OPTION_JSON,
           CONF_OPTION_HTML, REVIEW, CONF_OPTION_PROFILES, CONF_OPTION_VERBOSE, CONF_OPTION_KERNELS,
           CONF_OPTION_ALLOW_UNKNOWN, CONF_OPTION_CHECKPOINT_ROOT),
     conf_cmd_run},
    {"locate", "[OPTION]... CASE [OBSERVED]", "find the first tensor at which a case goes wrong",
     "Compares the recorded tensors of CASE in the order in which the engine computes them, names\n"
     "the first that exceeds its bound, and tells whether its error arises there or is inherited:\n"
     "the engine is run again with golden inputs for each tensor. For an engine whose taps cannot\n"
     "write, and for an observation (OBSERVED), ref64 computes each tensor from the ones before it\n"
     "instead. If no tensor exceeds its bound, further replays tell batch, padding, the state of\n"
     "decode and manners of evaluation apart. Only one tensor at a time is in memory.\n"
     "\n"
     "One engine is run: ref32 by default, with --compute or --kernels fastpath. --timeout and\n"
     "--memory apply to each process.\n"
     "\n"
     "Exit status: 0 nothing exceeds its bound; 1 a divergence was found; 2 usage; 77 there is\n"
     "nothing to compare; 99 a broken fixture, a missing library or an error of assay itself.\n",
     TAKES(CONF_OPTION_ENGINE, CONF_OPTION_COMPUTE, CONF_OPTION_CACHE, CONF_OPTION_KERNELS,
           CONF_OPTION_TIMEOUT, CONF_OPTION_MEMORY, CONF_OPTION_HTML, CONF_OPTION_ALLOW_UNKNOWN,
           CONF_OPTION_CHECKPOINT_ROOT),
     conf_cmd_locate},
    {"reduce", "[OPTION]... CASE", "make a case smaller as long as an engine fails it in the same way",
     "Leaves out samples, steps, inputs and tokens of CASE as long as the engine fails in the same\n"
     "class and at the same tensor, prints each attempt, and writes the smallest case as a bundle\n"
     "to DIR, which assay run DIR repeats.\n"
     "\n"
     "The first tokens of a sample keep the recorded values. Those of other cases are computed by\n"
     "ref64, if it agrees with CASE, and the reduced case says so; it has the recorded noise.\n"
     "\n"
     "Exit status: 0 a bundle is written; 2 usage, or the engine passes CASE; 77 the engine cannot\n"
     "run CASE, or cases of its kind are not reduced; 99 a broken case or an error of assay itself.\n",
     TAKES(CONF_OPTION_ENGINE, CONF_OPTION_COMPUTE, CONF_OPTION_CACHE, CONF_OPTION_SEED, CONF_OPTION_MANNER,
           CONF_OPTION_OUTPUT, CONF_OPTION_EFFORT, CONF_OPTION_RECORDED, CONF_OPTION_TIMEOUT,
           CONF_OPTION_MEMORY, CONF_OPTION_KERNELS, CONF_OPTION_ALLOW_UNKNOWN, CONF_OPTION_CHECKPOINT_ROOT),
     conf_cmd_reduce},
    {"diff", "[OPTION]... GOLDEN OBSERVED", "judge the recorded outputs of any engine, from a file",
     "OBSERVED is an HDF5 file with /observed/prefill, /observed/decode and /observed/tokens, of\n"
     "the shapes that GOLDEN, a case of kind logits or generate, expects, and optionally\n"
     "/observed/trace/NAME. Values are floats of 16 to 64 bits, tokens integers of any type.\n"
     "FILE/GROUP names an observation in a file that has several.\n"
     "The judge is that of assay run: float32 is held to the noise, float64 to its bound; NaN,\n"
     "infinities, types and shapes are compared. If the attribute forced_tokens is 1, the engine\n"
     "was given the golden token after each step. Unknown members are ignored with a warning,\n"
     "and the report counts the tensors that were compared.\n"
     "\n"
     "GOLDEN can be an observation, too: the two are then bit-identical, or close (at most 64\n"
     "ulps of the largest value apart; float64: 1e-11 of it), or they diverge. No bound is known\n"
     "between two observations in narrower types: with --compute, their distance is reported.\n"
     "\n"
     "It takes at most 256 MiB of memory, whatever the size of the files.\n"
     "\n"
     "Exit status: 0 they agree; 1 they diverge; 2 usage; 77 the case has no recorded run to\n"
     "judge that type or part by; 99 a file cannot be read or lacks a member.\n",
     TAKES(CONF_OPTION_JUDGED_AS, CONF_OPTION_CACHE, CONF_OPTION_PART, CONF_OPTION_THREADS, CONF_OPTION_HTML,
           CONF_OPTION_VERBOSE, CONF_OPTION_CHECKPOINT_ROOT),
     conf_cmd_diff},
    {"merge", "[OPTION]... RESULT.json...", "join the results of the shards of a run",
     "Each RESULT is the file of --json of one assay run --shard I/N. The output and the reports\n"
     "are those of one run of all cases, byte for byte but for times and the host's name.\n"
     "\n"
     "A shard may have several results, such as those of a task that was started again. If they\n"
     "agree in everything but times, the first that was completed counts, and standard error\n"
     "says so. Nothing is written if a shard is missing, if results disagree, or if they are not\n"
     "shards of one run: the message names the shards, or the files.\n"
     "\n"
     "Exit status: as that of assay run with all cases; 2 usage; 99 also if results are missing,\n"
     "contradict one another, or cannot be read.\n",
     TAKES(CONF_OPTION_EXPECT, CONF_OPTION_TAP, CONF_OPTION_JUNIT, CONF_OPTION_JSON, CONF_OPTION_HTML, REVIEW,
           CONF_OPTION_VERBOSE),
     conf_cmd_merge},
    {"compare", "[OPTION]... BEFORE.json AFTER.json", "compare two runs: what fails, drifts or is faster",
     "Each file is that of --json of an assay run, or of assay merge. Cases are joined by their\n"
     "ids, engines by their names: see --pair for engines whose names differ.\n"
     "\n"
     "Listed are the cases that newly fail, still fail, fail as AFTER expects (--expect), newly\n"
     "pass, are no longer or newly run, or are in one run only, and the cases that pass in both\n"
     "with a clearly larger or smaller error: at least twice the other one, and a tenth of the\n"
     "bound away from it. Notes name what makes the runs hard to compare: another version, seed,\n"
     "manner or compute type, changed cases. The ratio of their seconds is not judged.\n"
     "\n"
     "Exit status: 0 nothing newly fails; 1 a case fails that did not fail before, or was not in\n"
     "BEFORE; 2 usage; 99 a file cannot be read, or the runs have no case in common.\n",
     TAKES(CONF_OPTION_PAIR, CONF_OPTION_JSON, CONF_OPTION_HTML), conf_cmd_compare},
    {"kernels", "[OPTION]... LIBRARY [OP [SEED NUMBERS DIM...]]", "test the operations of a kernel library",
     "LIBRARY is a shared object that exports assay_kernels_v2 (assay/kernel.h), or fastpath.\n"
     "Every operation in its table, or OP only, is run on shapes with every remainder of its\n"
     "blocking, on unaligned rows, with integers whose sums are exact, random numbers, NaN and\n"
     "infinities, and zeros that multiply these. Results are compared with float64, then with\n"
     "those of each row alone and of 2 and 4 threads at once on disjoint parts, which must be\n"
     "bit-identical. Inputs are read-only and end at a guard page; outputs lie between guards.\n"
     "\n"
     "The table shows each operation's worst error in multiples of its bound. A failure is\n"
     "followed by a line REPRO: with the command that runs the first failing case alone.\n"
     "\n"
     "Exit status: 0 every operation given passes; 1 one diverges, crashes or hangs; 2 usage; 77 the\n"
     "library has no operation; 99 it cannot be loaded, or its table is invalid.\n",
     TAKES(CONF_OPTION_KNOWN, CONF_OPTION_DRAW, CONF_OPTION_TIMEOUT, CONF_OPTION_MEMORY, CONF_OPTION_TAP,
           CONF_OPTION_HTML, REVIEW, CONF_OPTION_VERBOSE),
     conf_cmd_kernels},
    {"schedule", "[OPTION]... [DIR|CASE]...",
     "run engine calls on many threads; results must be bit-identical", conf_cmd_schedule_details,
     TAKES(CONF_OPTION_ENGINE, CONF_OPTION_COMPUTED_IN, CONF_OPTION_CACHE, CONF_OPTION_KERNELS,
           CONF_OPTION_FILTER, CONF_OPTION_SHARD, CONF_OPTION_PROGRAMS, CONF_OPTION_DRAWS, CONF_OPTION_SHAPE,
           CONF_OPTION_ON_THREADS, CONF_OPTION_FOR, CONF_OPTION_SAVE, CONF_OPTION_REPLAY, CONF_OPTION_TIMES,
           CONF_OPTION_JOBS, CONF_OPTION_TIMEOUT, CONF_OPTION_MEMORY, CONF_OPTION_TAP, CONF_OPTION_JSON,
           CONF_OPTION_HTML, CONF_OPTION_VERBOSE, CONF_OPTION_ALLOW_UNKNOWN, CONF_OPTION_CHECKPOINT_ROOT),
     conf_cmd_schedule},
    {"bench", "--model DIR|--serving [OPTION]...",
     "measure the speed of engines as a fraction of what the machine allows",
     "Measures the time from the start of a process to its first token, prefill, and decode,\n"
     "each in a process of its own; engines take turns. The table shows the best and the median\n"
     "of the repetitions, and the best as a fraction of the limit: the time that this machine\n"
     "needs to read the weights and the cache for a token, or to do its float32 multiply-adds,\n"
     "whichever is longer. The speed of the machine is measured in the same run; the amount of\n"
     "work is computed from the plan of the checkpoint.\n"
     "\n"
     "--serving measures how fast replies are parsed instead: generated replies for each parser,\n"
     "on one core, cut into deltas of about a token. The limit is passing the same deltas on\n"
     "without parsing them. With several engines, each is also shown as a multiple of the first.\n"
     "A parser that misses reasoning or calls has failed. --serving can be combined with\n"
     "--reasoning-parser, --tool-parser, --engine, --repeat, --seed, --timeout, --memory and\n"
     "--json.\n"
     "\n"
     "A measurement that an engine refuses as unsupported is reported by name and skipped.\n"
     "\n"
     "Exit status: 0; 1 an engine failed; 2 usage; 77 nothing could be measured; 99 the\n"
     "checkpoint or an engine cannot be read, or an error of assay itself.\n",
     TAKES(CONF_OPTION_SERVING, CONF_OPTION_MEASURED_REASONING, CONF_OPTION_MEASURED_TOOLS, CONF_OPTION_MODEL,
           CONF_OPTION_ENGINE, CONF_OPTION_COMPUTED_IN, CONF_OPTION_CACHE, CONF_OPTION_PROMPT,
           CONF_OPTION_CONTEXT, CONF_OPTION_BATCH, CONF_OPTION_TOKENS, CONF_OPTION_REPEAT, CONF_OPTION_IDS,
           CONF_OPTION_KERNELS, CONF_OPTION_TIMEOUT, CONF_OPTION_MEMORY, CONF_OPTION_JSON,
           CONF_OPTION_ALLOW_UNKNOWN),
     conf_cmd_bench},
    {"probe", "[OPTION]... URL|RUN", "judge a live server: its protocol, its numbers, its batches",
     "URL is that of a server with endpoints of OpenAI or Anthropic (http://127.0.0.1:8080), which\n"
     "serves the checkpoint of the cases. RUN is what --save wrote, a directory or FILE.jsonl: its\n"
     "exchanges are judged again, without a server.\n"
     "\n"
     "Groups of checks: discovery (models, endpoints, log-probabilities that are offered), protocol\n"
     "(bodies, event streams, finish reasons, usage, stop texts, refusals), numerics\n"
     "(log-probabilities against float64 logits: of prompts where they are returned, else of the\n"
     "next token after prefixes, and along the server's own answers), batching (the same answer\n"
     "cold, warm, beside others, after one that was left, and with the prompt cache off where a\n"
     "request can say so), text (answers whose every margin exceeds twice the bound), fields (every\n"
     "field of every answer of the other groups: docs/fields.md).\n"
     "\n"
     "A row of the report is ok, failed, ignored (a member of a request was accepted and had no\n"
     "effect), not exercised, or not offered. Failures are graded: breaks (clients fail, or show\n"
     "the wrong thing), departs (from the published specification), habit (common and harmless).\n"
     "\n"
     "Exit status: 0 no row failed or was ignored, except for habits; 1 one was; 2 usage; 77 the\n"
     "server cannot be reached, it refuses the key, or nothing could be judged; 99 a case cannot\n"
     "be read, or an error of assay itself.\n",
     TAKES(CONF_OPTION_TRUTH, CONF_OPTION_SERVED_MODEL, CONF_OPTION_ONLY, CONF_OPTION_QUICK,
           CONF_OPTION_REDUCE, CONF_OPTION_API_KEY_ENV, CONF_OPTION_CLAIM, CONF_OPTION_EXPLAIN_FIELDS,
           CONF_OPTION_EXCHANGES, CONF_OPTION_ANSWER_TIMEOUT, CONF_OPTION_JUNIT, CONF_OPTION_JSON,
           CONF_OPTION_HTML, REVIEW, CONF_OPTION_ALL_ROWS, CONF_OPTION_CHECKPOINT_ROOT),
     conf_cmd_probe},
    {"weights", "[OPTION]... ORIGINAL QUANTISED",
     "judge a quantised checkpoint by the one that it was made of",
     "Both are checkpoints of one model: directories or .gguf files, in any format. Their weights\n"
     "are paired by their places in the model. Of each the error is measured beside the smallest\n"
     "one found by rounding the original to the format of the other, and the first cause found of\n"
     "a larger one is named: another weight's values, another order of rows or columns, another\n"
     "reading of the bytes, a factor, a summand, a sign.\n"
     "\n"
     "With --case, ref64 evaluates the prompts of CASE with both: printed are the KL divergence\n"
     "from the original, in nats, and how often another token is the most probable.\n"
     "\n"
     "Exit status: 0 every weight is a sound conversion; 1 one is wrong, missing or added; 2 usage;\n"
     "99 a checkpoint cannot be read, or the two are not of one model.\n",
     TAKES(CONF_OPTION_PROMPTS, CONF_OPTION_JSON, CONF_OPTION_ALL_WEIGHTS, CONF_OPTION_ALLOW_UNKNOWN),
     conf_cmd_weights},
    {"events", "--endpoint NAME [OPTION]... FILE",
     "check an event stream against the protocol of its endpoint",
     "FILE holds a server's response body as it was received: server-sent events. - is standard\n"
     "input. The report names each rule that is broken, the event and the byte at which it begins,\n"
     "what was found and what was expected, and how much it matters: breaks (the official clients\n"
     "fail, or show the wrong thing), departs (from the published specification) or habit (common\n"
     "and harmless).\n"
     "\n"
     "A stream in which the server reports an error as its protocol defines is valid.\n"
     "\n"
     "Exit status: 0 the stream is valid, or has habits only; 1 it breaks a rule; 2 usage; 99 FILE\n"
     "cannot be read.\n",
     TAKES(CONF_OPTION_ENDPOINT, CONF_OPTION_MARKER, CONF_OPTION_MARKERS_OF_REASONING,
           CONF_OPTION_MARKERS_OF_TOOLS, CONF_OPTION_USAGE, CONF_OPTION_JSON),
     conf_cmd_events},
    {"generate", "--model DIR --prompt TEXT [OPTION]...", "generate text from a prompt",
     "The prompt is given to the model unchanged. With --chat, --system-prompt or --image it is a\n"
     "user's message in the checkpoint's own chat template, found as transformers finds it. An\n"
     "image is preprocessed as the checkpoint's processor does.\n"
     "\n"
     "The reply is printed as it is generated: reasoning is dim on a terminal and left out\n"
     "elsewhere; each tool call is printed on a line of its own. Standard error then reports why\n"
     "the reply ended (for a stop id, the files that name it), token counts and speed. The default\n"
     "engine is fastpath; an engine that does not export assay_serving_v2 uses that of Assay.\n"
     "\n"
     "Exit status: 0; 1 the engine failed; 2 usage; 99 the checkpoint or an image cannot be read,\n"
     "the prompt is too long for the model, or the reply cannot be written.\n",
     TAKES(CONF_OPTION_ENGINE, CONF_OPTION_MODEL, CONF_OPTION_TEXT, CONF_OPTION_IMAGE, CONF_OPTION_AUDIO,
           CONF_OPTION_CHAT, CONF_OPTION_SYSTEM, CONF_OPTION_IGNORE_TEMPLATE, CONF_OPTION_SHOW_PROMPT,
           CONF_OPTION_MAX_TOKENS, CONF_OPTION_TEMPERATURE, CONF_OPTION_TOP_K, CONF_OPTION_TOP_P,
           CONF_OPTION_MIN_P, CONF_OPTION_PENALTY, CONF_OPTION_SAMPLING, CONF_OPTION_STOP,
           CONF_OPTION_NO_THINKING, CONF_OPTION_REASONING, CONF_OPTION_TOOLS, CONF_OPTION_JSON,
           CONF_OPTION_ALLOW_UNKNOWN, CONF_OPTION_MEMORY),
     conf_cmd_generate},
    {"serve", "--model DIR [OPTION]...", "answer requests over HTTP with a checkpoint",
     "Serves /v1/chat/completions, /v1/completions, /v1/messages and /v1/responses, streamed or\n"
     "whole, /v1/models, /health, and /metrics for Prometheus. Requests are evaluated together:\n"
     "their samples join and leave a batch between steps, and no answer depends on the others.\n"
     "\n"
     "No member of a request is accepted and ignored: it is honoured, or the request is refused\n"
     "by name. Nothing is ever fetched from the network. With --api-key-env, clients send the key\n"
     "as a bearer token or as x-api-key; only /health needs none. The default engine is fastpath;\n"
     "an engine that does not export assay_serving_v2 uses that of Assay.\n"
     "\n"
     "SIGTERM and SIGINT refuse new requests and finish those in progress; a second signal ends\n"
     "these, too.\n"
     "\n"
     "Exit status: 0 after a signal; 2 usage, or an address that needs a key; 99 the checkpoint or\n"
     "the engine cannot be opened, or the address is in use.\n",
     TAKES(CONF_OPTION_MODEL, CONF_OPTION_HOST, CONF_OPTION_PORT, CONF_OPTION_API_KEY_ENV, CONF_OPTION_NAME,
           CONF_OPTION_FILES, CONF_OPTION_ENGINE, CONF_OPTION_COMPUTED_IN, CONF_OPTION_CACHE,
           CONF_OPTION_ALLOW_UNKNOWN, CONF_OPTION_REASONING, CONF_OPTION_TOOLS, CONF_OPTION_ANSWER_TOKENS,
           CONF_OPTION_SAMPLES, CONF_OPTION_QUEUE, CONF_OPTION_CONNECTIONS, CONF_OPTION_BODY,
           CONF_OPTION_CLIENT_TIMEOUT),
     conf_cmd_serve},
    {"list", "[OPTION]... [DIR|CASE]...", "list cases with their kind and the bugs they catch",
     "DIR means every case below it; " CONF_DEFAULT_HELP ".\n"
     "\n"
     "Exit status: 0; 2 usage; 77 no case was found; 99 a case cannot be read.\n",
     TAKES(CONF_OPTION_FILTER, CONF_OPTION_SHARD, CONF_OPTION_MEMORY, CONF_OPTION_CHECKPOINT_ROOT),
     conf_cmd_list},
    {"info", "[OPTION]... DIR|CASE...", "show the plan of a checkpoint, or the contents of a case",
     "DIR is a checkpoint: a directory with a config.json, or a GGUF file. CASE is a file,\n"
     "also a program saved by assay schedule.\n"
     "\n"
     "Exit status: 0; 2 usage; 99 an argument cannot be read.\n",
     TAKES(CONF_OPTION_TENSORS, CONF_OPTION_BOUNDS, CONF_OPTION_ALLOW_UNKNOWN, CONF_OPTION_MEMORY,
           CONF_OPTION_JSON, CONF_OPTION_CHECKPOINT_ROOT),
     conf_cmd_info},
    {"arrays", "[OPTION]... [DIR]...",
     "list the arrays that engines derive from a checkpoint, and whether they are realised",
     "DIR means every directory below it that is a checkpoint, or is a GGUF file; " CONF_DEFAULT_HELP ".\n"
     "\n"
     "An engine converts, packs and derives arrays from a checkpoint. An array that is still\n"
     "deferred when the model is open fails as soon as another thread uses it. Private arrays,\n"
     "such as RoPE frequency tables, are not parameters of the model, so evaluating the\n"
     "parameters does not realise them. --verbose lists each array with its state, stream,\n"
     "size and name.\n"
     "\n"
     "Exit status: 0 all arrays are realised; 1 an array is not, or an engine fails; 2 usage;\n"
     "77 no engine lists its arrays; 99 no checkpoint was found, or an error of assay itself.\n",
     TAKES(CONF_OPTION_ENGINE, CONF_OPTION_TIMEOUT, CONF_OPTION_MEMORY, CONF_OPTION_VERBOSE,
           CONF_OPTION_ALLOW_UNKNOWN),
     conf_cmd_arrays},
};
