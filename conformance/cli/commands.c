/* The table of commands.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/commands.h"

#include "conformance/cli/cmd.h"

const conf_command conf_cli_commands[] = {
    {"arrays", "[OPTION]... [DIR]...", "list what engines make of checkpoints, and whether it is realised",
     "DIR stands for every checkpoint below it; " CONF_DEFAULT_HELP ".\n"
     "\n"
     "An engine converts, packs and derives arrays from a checkpoint. What it leaves deferred\n"
     "when the model is open fails as soon as another thread asks for it; private arrays, such\n"
     "as the tables of ropes, are no parameters of the model, and are forgotten first. With\n"
     "--verbose each array is listed: its state, its stream, its size and its name.\n"
     "\n"
     "Exit status: 0 all is realised; 1 something is not, or an engine fails; 2 usage;\n"
     "77 no engine tells its arrays; 99 no checkpoint was found, or an error of assay itself.\n",
     CONF_BIT(CONF_OPTION_ENGINE) | CONF_BIT(CONF_OPTION_TIMEOUT) | CONF_BIT(CONF_OPTION_MEMORY) |
         CONF_BIT(CONF_OPTION_VERBOSE) | CONF_BIT(CONF_OPTION_ALLOW_UNKNOWN) | CONF_BIT(CONF_OPTION_HELP),
     conf_cmd_arrays},
    {"bench", "--model DIR|--serving [OPTION]...",
     "measure how fast engines are, beside what the machine allows",
     "Measures the time from the start of a process to its first token, prefill, and decode,\n"
     "each in a process of its own, engines taking turns. The best and the median of the\n"
     "repetitions are shown, and the best as a part of the limit: the speed at which this\n"
     "machine would only read the weights and the cache that a token needs, or only do the\n"
     "float32 multiply-adds, whichever takes longer. Both are measured in the same run, and\n"
     "counted from the plan of the checkpoint.\n"
     "\n"
     "With --serving no checkpoint is measured, but how fast replies are read: those that are\n"
     "made for each parser, on one core, cut into deltas as short as tokens. The limit is\n"
     "handing the same deltas over without reading them. Of several engines each is also shown\n"
     "as a multiple of the first. A parser that does not find the reasoning or the calls that\n"
     "there are has failed. Of the options --engine, --repeat, --seed, --timeout, --memory and\n"
     "--json go with it.\n"
     "\n"
     "An engine that refuses something as unsupported is named and passed over.\n"
     "\n"
     "Exit status: 0; 1 an engine failed; 2 usage; 77 nothing could be measured; 99 the\n"
     "checkpoint or an engine cannot be read, or an error of assay itself.\n",
     CONF_BIT(CONF_OPTION_SERVING) | CONF_BIT(CONF_OPTION_MODEL) | CONF_BIT(CONF_OPTION_ENGINE) |
         CONF_BIT(CONF_OPTION_COMPUTE) | CONF_BIT(CONF_OPTION_PROMPT) | CONF_BIT(CONF_OPTION_CONTEXT) |
         CONF_BIT(CONF_OPTION_BATCH) | CONF_BIT(CONF_OPTION_TOKENS) | CONF_BIT(CONF_OPTION_REPEAT) |
         CONF_BIT(CONF_OPTION_IDS) | CONF_BIT(CONF_OPTION_KERNELS) | CONF_BIT(CONF_OPTION_TIMEOUT) |
         CONF_BIT(CONF_OPTION_MEMORY) | CONF_BIT(CONF_OPTION_JSON) | CONF_BIT(CONF_OPTION_ALLOW_UNKNOWN) |
         CONF_BIT(CONF_OPTION_HELP),
     conf_cmd_bench},
    {"run", "[OPTION]... [DIR|CASE]...", "replay cases through engines and judge what comes out",
     "DIR stands for every case below it; " CONF_DEFAULT_HELP ".\n"
     "\n"
     "The table at the end shows, for each case and engine, the worst error: of a float32\n"
     "engine in multiples of the case's noise (at most 4 agrees), of a float64 engine in\n"
     "multiples of its bound (at most 1 agrees). Noise is how far a float32 run of the\n"
     "published model was from its float64 run when the case was recorded. With --compute\n"
     "it is that of a run in the type that is asked for; cases without one are skipped.\n"
     "\n"
     "Engines are looked for in the directories of ASSAY_ENGINE_PATH (separated by colons)\n"
     "and among the installed ones. Each case runs in a process of its own. NO_COLOR, when\n"
     "set, switches colours off.\n"
     "\n"
     "Exit status: 0 all agree; 1 something diverges; 2 usage; 77 nothing could be run;\n"
     "99 broken fixture, missing library or an error of assay itself, also where something\n"
     "else diverges: nothing is known about what could not be read. With --bisect 125 stands\n"
     "for 2, 77 and 99.\n",
     CONF_BIT(CONF_OPTION_ENGINE) | CONF_BIT(CONF_OPTION_COMPUTE) | CONF_BIT(CONF_OPTION_FILTER) |
         CONF_BIT(CONF_OPTION_SHARD) | CONF_BIT(CONF_OPTION_VECTOR) | CONF_BIT(CONF_OPTION_SEED) |
         CONF_BIT(CONF_OPTION_JOBS) | CONF_BIT(CONF_OPTION_TIMEOUT) | CONF_BIT(CONF_OPTION_MEMORY) |
         CONF_BIT(CONF_OPTION_FAIL_CLASS) | CONF_BIT(CONF_OPTION_BISECT) | CONF_BIT(CONF_OPTION_DUMP) |
         CONF_BIT(CONF_OPTION_TAP) | CONF_BIT(CONF_OPTION_JUNIT) | CONF_BIT(CONF_OPTION_JSON) |
         CONF_BIT(CONF_OPTION_VERBOSE) | CONF_BIT(CONF_OPTION_KERNELS) | CONF_BIT(CONF_OPTION_ALLOW_UNKNOWN) |
         CONF_BIT(CONF_OPTION_HELP),
     conf_cmd_run},
    {"diff", "[OPTION]... GOLDEN OBSERVED", "judge what any engine was seen to answer, from a file",
     "OBSERVED is an HDF5 file with /observed/prefill, /observed/decode and /observed/tokens,\n"
     "of the shapes of what GOLDEN, a case of kind logits or generate, expects, and optionally\n"
     "/observed/trace/NAME: floats of 16 to 64 bits, and tokens of any type of integers. It is\n"
     "judged as an engine is by assay run: float32 by the noise, float64 by its bound; NaN,\n"
     "infinities, types and shapes count. Where the attribute forced_tokens is 1, each step\n"
     "followed the golden token. Members that mean nothing are ignored and named, and the\n"
     "tensors that were compared are counted.\n"
     "\n"
     "GOLDEN can be an observation, too: then the two are the same bit for bit, or at most\n"
     "64 ulps of the largest value apart (float64: 1e-11 of it), or they diverge. Of narrower\n"
     "types nothing is known of two observations: --compute says how far they are apart.\n"
     "\n"
     "It takes at most 256 MiB of memory, whatever the size of the files.\n"
     "\n"
     "Exit status: 0 they agree; 1 they diverge; 2 usage; 77 nothing is recorded to judge that\n"
     "type, or that part, by; 99 a file cannot be read, lacks a member, or is not what is expected.\n",
     CONF_BIT(CONF_OPTION_JUDGED_AS) | CONF_BIT(CONF_OPTION_PART) | CONF_BIT(CONF_OPTION_THREADS) |
         CONF_BIT(CONF_OPTION_VERBOSE) | CONF_BIT(CONF_OPTION_HELP),
     conf_cmd_diff},
    {"events", "--endpoint NAME [OPTION]... FILE", "say which rule of its protocol an event stream breaks",
     "FILE holds what a server answered, as it came: server-sent events. - is standard input.\n"
     "It is read up to the first rule that is broken. The report names that rule, the event,\n"
     "the byte at which the event begins, what was found and what was expected.\n"
     "\n"
     "A stream in which the server says that it failed, in the way of its protocol, is sound.\n"
     "\n"
     "Exit status: 0 it is sound; 1 it breaks a rule; 2 usage; 99 FILE cannot be read.\n",
     CONF_BIT(CONF_OPTION_ENDPOINT) | CONF_BIT(CONF_OPTION_MARKER) |
         CONF_BIT(CONF_OPTION_MARKERS_OF_REASONING) | CONF_BIT(CONF_OPTION_MARKERS_OF_TOOLS) |
         CONF_BIT(CONF_OPTION_USAGE) | CONF_BIT(CONF_OPTION_JSON) | CONF_BIT(CONF_OPTION_HELP),
     conf_cmd_events},
    {"generate", "--model DIR --prompt TEXT [OPTION]...", "let a checkpoint go on with a text",
     "The prompt is given to the model as it stands; no chat template is applied. The reply is\n"
     "printed as it is generated: on a terminal reasoning is dim, elsewhere it is left out.\n"
     "Tool calls stand on lines of their own. Behind it, on standard error, stands what ended\n"
     "the reply, with the documents that name the stop id, what was counted, and how fast it\n"
     "was. The engine is fastpath unless another one is named; one that exports no\n"
     "assay_serving_v1 is given ours.\n"
     "\n"
     "Exit status: 0; 1 the engine failed; 2 usage; 99 the checkpoint cannot be read,\n"
     "the prompt does not fit it, or the reply cannot be written.\n",
     CONF_BIT(CONF_OPTION_ENGINE) | CONF_BIT(CONF_OPTION_MODEL) | CONF_BIT(CONF_OPTION_TEXT) |
         CONF_BIT(CONF_OPTION_MAX_TOKENS) | CONF_BIT(CONF_OPTION_TEMPERATURE) | CONF_BIT(CONF_OPTION_TOP_K) |
         CONF_BIT(CONF_OPTION_TOP_P) | CONF_BIT(CONF_OPTION_MIN_P) | CONF_BIT(CONF_OPTION_PENALTY) |
         CONF_BIT(CONF_OPTION_SAMPLING) | CONF_BIT(CONF_OPTION_STOP) | CONF_BIT(CONF_OPTION_NO_THINKING) |
         CONF_BIT(CONF_OPTION_REASONING) | CONF_BIT(CONF_OPTION_TOOLS) | CONF_BIT(CONF_OPTION_JSON) |
         CONF_BIT(CONF_OPTION_ALLOW_UNKNOWN) | CONF_BIT(CONF_OPTION_MEMORY) | CONF_BIT(CONF_OPTION_HELP),
     conf_cmd_generate},
    {"info", "[OPTION]... DIR|CASE...", "show the plan of a checkpoint, or what a case holds",
     "DIR is a checkpoint: a directory with a config.json. CASE is a file; it may be a program\n"
     "that assay schedule has saved.\n"
     "\n"
     "Exit status: 0; 2 usage; 99 what was named cannot be read.\n",
     CONF_BIT(CONF_OPTION_ALLOW_UNKNOWN) | CONF_BIT(CONF_OPTION_MEMORY) | CONF_BIT(CONF_OPTION_HELP),
     conf_cmd_info},
    {"kernels", "[OPTION]... LIBRARY [OP [SEED NUMBERS DIM...]]", "sweep the operations of a kernel library",
     "LIBRARY is a shared object that exports assay_kernels_v1 (assay/kernel.h), or fastpath.\n"
     "Each operation that it gives, or OP alone, is run on shapes with every tail, on rows at any\n"
     "address, with integers whose sums are exact, with random numbers, with NaN and infinities,\n"
     "and with zeros that meet those; held against float64; and asked again row by row, and on 2\n"
     "and 4 threads at once over disjoint parts, which must change no bit. Inputs are read-only\n"
     "and end at a page that nobody may touch; outputs lie between guards.\n"
     "\n"
     "The table shows the worst case of each operation in multiples of its bound. What fails is\n"
     "followed by a line REPRO: with the command that runs the first such case alone.\n"
     "\n"
     "Exit status: 0 all that is given agrees; 1 something diverges, crashes or hangs; 2 usage;\n"
     "77 nothing is given; 99 the library cannot be loaded, or its table is not one.\n",
     CONF_BIT(CONF_OPTION_DRAW) | CONF_BIT(CONF_OPTION_TIMEOUT) | CONF_BIT(CONF_OPTION_MEMORY) |
         CONF_BIT(CONF_OPTION_TAP) | CONF_BIT(CONF_OPTION_VERBOSE) | CONF_BIT(CONF_OPTION_HELP),
     conf_cmd_kernels},
    {"list", "[OPTION]... [DIR|CASE]...", "list cases with their kind and what they catch",
     "DIR stands for every case below it; " CONF_DEFAULT_HELP ".\n"
     "\n"
     "Exit status: 0; 2 usage; 77 no case was found; 99 a case cannot be read.\n",
     CONF_BIT(CONF_OPTION_FILTER) | CONF_BIT(CONF_OPTION_SHARD) | CONF_BIT(CONF_OPTION_MEMORY) |
         CONF_BIT(CONF_OPTION_HELP),
     conf_cmd_list},
    {"locate", "[OPTION]... CASE [OBSERVED]", "say where a case first goes wrong",
     "Walks the recorded tensors of CASE in the order in which the engine computes them, names\n"
     "the first that leaves its bound, and tells an error that is made there from one that is\n"
     "inherited: the engine is asked again with golden inputs for each tensor. What cannot be\n"
     "asked (an engine without session_override, or OBSERVED, the file of an observation) is\n"
     "followed by ref64 from tensor to tensor. Where no tensor tells, further replays tell\n"
     "batch, padding and the state of decode apart. One tensor at a time is in memory.\n"
     "\n"
     "One engine is asked: ref32 unless another is named, with --compute or --kernels fastpath.\n"
     "--timeout and --memory hold for each process.\n"
     "\n"
     "Exit status: 0 nothing is out of bounds; 1 something was located; 2 usage; 77 there is\n"
     "nothing to compare; 99 broken fixture, missing library or an error of assay itself.\n",
     CONF_BIT(CONF_OPTION_ENGINE) | CONF_BIT(CONF_OPTION_COMPUTE) | CONF_BIT(CONF_OPTION_KERNELS) |
         CONF_BIT(CONF_OPTION_TIMEOUT) | CONF_BIT(CONF_OPTION_MEMORY) | CONF_BIT(CONF_OPTION_ALLOW_UNKNOWN) |
         CONF_BIT(CONF_OPTION_HELP),
     conf_cmd_locate},
    {"schedule", "[OPTION]... [DIR|CASE]...", "run engine calls on many threads, which must not change a bit",
     conf_cmd_schedule_details,
     CONF_BIT(CONF_OPTION_ENGINE) | CONF_BIT(CONF_OPTION_COMPUTED_IN) | CONF_BIT(CONF_OPTION_KERNELS) |
         CONF_BIT(CONF_OPTION_FILTER) | CONF_BIT(CONF_OPTION_SHARD) | CONF_BIT(CONF_OPTION_PROGRAMS) |
         CONF_BIT(CONF_OPTION_DRAWS) | CONF_BIT(CONF_OPTION_SHAPE) | CONF_BIT(CONF_OPTION_ON_THREADS) |
         CONF_BIT(CONF_OPTION_FOR) | CONF_BIT(CONF_OPTION_SAVE) | CONF_BIT(CONF_OPTION_REPLAY) |
         CONF_BIT(CONF_OPTION_TIMES) | CONF_BIT(CONF_OPTION_JOBS) | CONF_BIT(CONF_OPTION_TIMEOUT) |
         CONF_BIT(CONF_OPTION_MEMORY) | CONF_BIT(CONF_OPTION_TAP) | CONF_BIT(CONF_OPTION_JSON) |
         CONF_BIT(CONF_OPTION_VERBOSE) | CONF_BIT(CONF_OPTION_ALLOW_UNKNOWN) | CONF_BIT(CONF_OPTION_HELP),
     conf_cmd_schedule},
};
