/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/bench.h"
#include "conformance/cli_parts.h"
#include "conformance/cmd.h"
#include "conformance/schedule.h"
#include "conformance/text.h"
#include "model/error.h"

#define BIT(option) (UINT64_C(1) << (option))

typedef struct option_info {
    conf_option id;
    char letter; /* 0: none */
    const char *name;
    const char *value; /* how help calls it; NULL: takes none */
    const char *help;
} option_info;

static const option_info options_table[] = {
    {CONF_OPTION_ENGINE, 'e', "--engine", "ENGINE",
     "a bundled engine's name or the path of a module; run takes several\n(default: ref64, ref32 and "
     "fastpath; with --compute fastpath)"},
    {CONF_OPTION_COMPUTE, 0, "--compute", "TYPE",
     "ask engines to compute in f32, bf16 or int8, and judge them by the\nnoise of that type (default: as "
     "the engine likes)"},
    {CONF_OPTION_JUDGED_AS, 0, "--compute", "TYPE",
     "judge by the noise of f32, bf16 or int8, in which the engine\ncomputed (default: float32, or float64 "
     "by its bound)"},
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
     "the address space that an engine may use for a case (default:\nhalf of the machine's memory; not "
     "limited in builds with "
     "sanitizers)"},
    {CONF_OPTION_FAIL_CLASS, 0, "--fail-class", "CLASS",
     "only failures of this class are divergences (mask, logits, tokens,\ntensor, rope, threads, "
     "inconsistent, shape, refused, memory, crash,\nexit, hang); another stands in the way of an answer: 99"},
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
    {CONF_OPTION_MODEL, 0, "--model", "DIR", "the checkpoint"},
    {CONF_OPTION_PROMPT, 0, "--prompt", "N",
     "measure prefill of N tokens; may be repeated, as the next two\n(default: 512)"},
    {CONF_OPTION_CONTEXT, 0, "--context", "N", "measure decode behind N tokens (default: 16)"},
    {CONF_OPTION_BATCH, 0, "--batch", "N", "measure both with N samples at once (default: 1)"},
    {CONF_OPTION_TOKENS, 0, "--tokens", "N",
     "decode N tokens of each sample, fewer where they take over 5 seconds\n(default: 32)"},
    {CONF_OPTION_REPEAT, 0, "--repeat", "N", "measure everything N times (default: 5)"},
    {CONF_OPTION_IDS, 0, "--seed", "N", "draw the token ids from N (default: 0)"},
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
    {CONF_OPTION_VERBOSE, 'v', "--verbose", NULL, "show every measure of every case"},
    {CONF_OPTION_HELP, 'h', "--help", NULL, "show this help"},
};
#define N_OPTIONS (sizeof options_table / sizeof *options_table)

static const conf_command commands[] = {
    {"arrays", "[OPTION]... [DIR]...", "list what engines make of checkpoints, and whether it is realised",
     "DIR stands for every checkpoint below it; without arguments it is ./" CONF_DEFAULT_DIRECTORY ".\n"
     "\n"
     "An engine converts, packs and derives arrays from a checkpoint. What it leaves deferred\n"
     "when the model is open fails as soon as another thread asks for it; private arrays, such\n"
     "as the tables of ropes, are no parameters of the model, and are forgotten first. With\n"
     "--verbose each array is listed: its state, its stream, its size and its name.\n"
     "\n"
     "Exit status: 0 all is realised; 1 something is not, or an engine fails; 2 usage;\n"
     "77 no engine tells its arrays; 99 no checkpoint was found, or an error of assay itself.\n",
     BIT(CONF_OPTION_ENGINE) | BIT(CONF_OPTION_TIMEOUT) | BIT(CONF_OPTION_MEMORY) | BIT(CONF_OPTION_VERBOSE) |
         BIT(CONF_OPTION_HELP),
     conf_cmd_arrays},
    {"bench", "--model DIR [OPTION]...", "measure how fast engines are, beside what the machine allows",
     "Measures the time from the start of a process to its first token, prefill, and decode,\n"
     "each in a process of its own, engines taking turns. The best and the median of the\n"
     "repetitions are shown, and the best as a part of the limit: the speed at which this\n"
     "machine would only read the weights and the cache that a token needs, or only do the\n"
     "float32 multiply-adds, whichever takes longer. Both are measured in the same run, and\n"
     "counted from the plan of the checkpoint.\n"
     "\n"
     "An engine that refuses something as unsupported is named and passed over.\n"
     "\n"
     "Exit status: 0; 1 an engine failed; 2 usage; 77 nothing could be measured; 99 the\n"
     "checkpoint or an engine cannot be read, or an error of assay itself.\n",
     BIT(CONF_OPTION_MODEL) | BIT(CONF_OPTION_ENGINE) | BIT(CONF_OPTION_COMPUTE) | BIT(CONF_OPTION_PROMPT) |
         BIT(CONF_OPTION_CONTEXT) | BIT(CONF_OPTION_BATCH) | BIT(CONF_OPTION_TOKENS) |
         BIT(CONF_OPTION_REPEAT) | BIT(CONF_OPTION_IDS) | BIT(CONF_OPTION_KERNELS) |
         BIT(CONF_OPTION_TIMEOUT) | BIT(CONF_OPTION_MEMORY) | BIT(CONF_OPTION_JSON) | BIT(CONF_OPTION_HELP),
     conf_cmd_bench},
    {"run", "[OPTION]... [DIR|CASE]...", "replay cases through engines and judge what comes out",
     "DIR stands for every case below it; without arguments it is ./" CONF_DEFAULT_DIRECTORY ".\n"
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
     BIT(CONF_OPTION_ENGINE) | BIT(CONF_OPTION_COMPUTE) | BIT(CONF_OPTION_FILTER) | BIT(CONF_OPTION_SHARD) |
         BIT(CONF_OPTION_VECTOR) | BIT(CONF_OPTION_SEED) | BIT(CONF_OPTION_JOBS) | BIT(CONF_OPTION_TIMEOUT) |
         BIT(CONF_OPTION_MEMORY) | BIT(CONF_OPTION_FAIL_CLASS) | BIT(CONF_OPTION_BISECT) |
         BIT(CONF_OPTION_DUMP) | BIT(CONF_OPTION_TAP) | BIT(CONF_OPTION_JUNIT) | BIT(CONF_OPTION_JSON) |
         BIT(CONF_OPTION_VERBOSE) | BIT(CONF_OPTION_KERNELS) | BIT(CONF_OPTION_HELP),
     conf_cmd_run},
    {"diff", "[OPTION]... GOLDEN OBSERVED", "judge what any engine was seen to answer, from a file",
     "OBSERVED is an HDF5 file with /observed/prefill, /observed/decode and /observed/tokens,\n"
     "of the types and shapes of what GOLDEN, a case of kind logits or generate, expects, and\n"
     "optionally /observed/trace/NAME. It is judged as an engine is by assay run: float32 by\n"
     "the noise, float64 by its bound; NaN, infinities, types, shapes and missing members\n"
     "count. Where the attribute forced_tokens is 1, each step followed the golden token.\n"
     "\n"
     "GOLDEN can be an observation, too: then the two are the same bit for bit, or at most\n"
     "64 ulps of the largest value apart (float64: 1e-11 of it), or they diverge. Of narrower\n"
     "types nothing is known of two observations: --compute says how far they are apart.\n"
     "\n"
     "It takes at most 256 MiB of memory, whatever the size of the files.\n"
     "\n"
     "Exit status: 0 they agree; 1 they diverge; 2 usage; 77 nothing is recorded to judge that\n"
     "type by; 99 a file cannot be read, or is not what is expected.\n",
     BIT(CONF_OPTION_JUDGED_AS) | BIT(CONF_OPTION_THREADS) | BIT(CONF_OPTION_VERBOSE) | BIT(CONF_OPTION_HELP),
     conf_cmd_diff},
    {"info", "DIR|CASE...", "show the plan of a checkpoint, or what a case holds",
     "DIR is a checkpoint: a directory with a config.json. CASE is a file.\n"
     "\n"
     "Exit status: 0; 2 usage; 99 what was named cannot be read.\n",
     BIT(CONF_OPTION_HELP), conf_cmd_info},
    {"kernels", "[OPTION]... LIBRARY [OP [SEED NUMBERS DIM...]]", "sweep the operations of a kernel library",
     "LIBRARY is a shared object that exports assay_kernels_v1 (assay/kernel.h), or fastpath.\n"
     "Each operation that it gives, or OP alone, is run on shapes with every tail, on rows at any\n"
     "address, with integers whose sums are exact, with random numbers, and with NaN and\n"
     "infinities; held against float64; and asked again row by row, which must change no bit.\n"
     "Arrays end at a page that nobody may touch, or lie between guards.\n"
     "\n"
     "The table shows the worst case of each operation in multiples of its bound. What fails is\n"
     "followed by a line REPRO: with the command that runs the first such case alone.\n"
     "\n"
     "Exit status: 0 all that is given agrees; 1 something diverges, crashes or hangs; 2 usage;\n"
     "77 nothing is given; 99 the library cannot be loaded, or its table is not one.\n",
     BIT(CONF_OPTION_DRAW) | BIT(CONF_OPTION_TIMEOUT) | BIT(CONF_OPTION_MEMORY) | BIT(CONF_OPTION_TAP) |
         BIT(CONF_OPTION_VERBOSE) | BIT(CONF_OPTION_HELP),
     conf_cmd_kernels},
    {"list", "[OPTION]... [DIR|CASE]...", "list cases with their kind and what they catch",
     "DIR stands for every case below it; without arguments it is ./" CONF_DEFAULT_DIRECTORY ".\n"
     "\n"
     "Exit status: 0; 2 usage; 77 no case was found; 99 a case cannot be read.\n",
     BIT(CONF_OPTION_FILTER) | BIT(CONF_OPTION_SHARD) | BIT(CONF_OPTION_HELP), conf_cmd_list},
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
     BIT(CONF_OPTION_ENGINE) | BIT(CONF_OPTION_COMPUTE) | BIT(CONF_OPTION_KERNELS) |
         BIT(CONF_OPTION_TIMEOUT) | BIT(CONF_OPTION_MEMORY) | BIT(CONF_OPTION_HELP),
     conf_cmd_locate},
    {"schedule", "[OPTION]... [DIR|CASE]...", "run engine calls on many threads, which must not change a bit",
     conf_cmd_schedule_details,
     BIT(CONF_OPTION_ENGINE) | BIT(CONF_OPTION_FILTER) | BIT(CONF_OPTION_SHARD) | BIT(CONF_OPTION_PROGRAMS) |
         BIT(CONF_OPTION_DRAWS) | BIT(CONF_OPTION_SHAPE) | BIT(CONF_OPTION_ON_THREADS) |
         BIT(CONF_OPTION_FOR) | BIT(CONF_OPTION_SAVE) | BIT(CONF_OPTION_REPLAY) | BIT(CONF_OPTION_TIMES) |
         BIT(CONF_OPTION_JOBS) | BIT(CONF_OPTION_TIMEOUT) | BIT(CONF_OPTION_MEMORY) | BIT(CONF_OPTION_TAP) |
         BIT(CONF_OPTION_JSON) | BIT(CONF_OPTION_VERBOSE) | BIT(CONF_OPTION_HELP),
     conf_cmd_schedule},
};
#define N_COMMANDS (sizeof commands / sizeof *commands)

const conf_command *conf_cli_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

assay_status conf_cli_unknown_command(const char *word, assay_error *err)
{
    static const char *const global[] = {"--help", "--version"};
    const char *names[N_COMMANDS + 2];
    for (size_t i = 0; i < N_COMMANDS; i++) names[i] = commands[i].name;
    memcpy(names + N_COMMANDS, global, sizeof global);
    const char *meant = conf_text_suggest(word, names, N_COMMANDS + 2);
    const char *what = word[0] == '-' ? "option" : "command";
    if (meant) return assay_fail(err, ASSAY_EINVAL, "unknown %s %s: did you mean %s?", what, word, meant);
    return assay_fail(err, ASSAY_EINVAL, "unknown %s %s: see assay --help", what, word);
}

static assay_status unknown_option(const conf_command *command, const char *word, assay_error *err)
{
    const char *names[N_OPTIONS];
    size_t n = 0;
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (command->options & BIT(options_table[i].id)) names[n++] = options_table[i].name;
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *meant = conf_text_suggest(name, names, n);
    if (meant) return assay_fail(err, ASSAY_EINVAL, "unknown option %s: did you mean %s?", name, meant);
    return assay_fail(err, ASSAY_EINVAL, "unknown option %s: see assay %s --help", name, command->name);
}

/* The option that word spells: --name, --name=value, -n or -nvalue. *value: what is joined to it, or NULL. */
static const option_info *find_option(const conf_command *command, const char *word, const char **value)
{
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const option_info *o = &options_table[i];
        if (!(command->options & BIT(o->id))) continue;
        size_t n = strlen(o->name);
        if (strncmp(word, o->name, n) == 0 && (word[n] == '\0' || word[n] == '=')) {
            *value = word[n] ? word + n + 1 : NULL;
            return o;
        }
        if (o->letter && word[1] == o->letter && (word[2] == '\0' || o->value)) {
            *value = word[2] ? word + 2 : NULL;
            return o;
        }
    }
    return NULL;
}

static assay_status take_size(const option_info *o, const char *value, size_t most, conf_sizes *out,
                              assay_error *err)
{
    assay_status rc = conf_cli_take_count(o->name, value, most, &out->at[out->n], err);
    if (rc == ASSAY_OK) out->n++;
    return rc;
}

static assay_status take_option(conf_options *out, const option_info *o, const char *value, assay_error *err)
{
    switch (o->id) {
    case CONF_OPTION_ENGINE: out->engines[out->n_engines++] = value; break;
    case CONF_OPTION_JUDGED_AS:
    case CONF_OPTION_COMPUTE: return conf_cli_take_compute(o->name, value, &out->compute, err);
    case CONF_OPTION_FILTER: out->filter = value; break;
    case CONF_OPTION_SHARD: return conf_cli_take_shard(o->name, value, &out->shard, &out->n_shards, err);
    case CONF_OPTION_VECTOR: out->vector = value; break;
    case CONF_OPTION_DRAW:
    case CONF_OPTION_IDS:
    case CONF_OPTION_PROGRAMS:
    case CONF_OPTION_SEED: out->has_seed = true; return conf_cli_take_seed(o->name, value, &out->seed, err);
    case CONF_OPTION_THREADS:
    case CONF_OPTION_JOBS: return conf_cli_take_count(o->name, value, CONF_JOBS_MAX, &out->n_jobs, err);
    case CONF_OPTION_TIMEOUT: return conf_cli_take_seconds(o->name, value, &out->limits.seconds, err);
    case CONF_OPTION_MEMORY: return conf_cli_take_count(o->name, value, CONF_MIB_MAX, &out->limits.mib, err);
    case CONF_OPTION_FAIL_CLASS: return conf_cli_take_class(o->name, value, &out->fail_class, err);
    case CONF_OPTION_KERNELS: out->kernels = value; break;
    case CONF_OPTION_BISECT: break; /* conf_cli_exit looks for it, also where the rest is wrong */
    case CONF_OPTION_DUMP: out->dump = value; break;
    case CONF_OPTION_TAP: out->tap = value; break;
    case CONF_OPTION_JUNIT: out->junit = value; break;
    case CONF_OPTION_JSON: out->json = value; break;
    case CONF_OPTION_MODEL: out->model = value; break;
    case CONF_OPTION_PROMPT: return take_size(o, value, CONF_BENCH_TOKENS_MAX, &out->prompts, err);
    case CONF_OPTION_CONTEXT: return take_size(o, value, CONF_BENCH_TOKENS_MAX, &out->contexts, err);
    case CONF_OPTION_BATCH: return take_size(o, value, CONF_BENCH_BATCH_MAX, &out->batches, err);
    case CONF_OPTION_TOKENS:
        return conf_cli_take_count(o->name, value, CONF_BENCH_TOKENS_MAX, &out->n_tokens, err);
    case CONF_OPTION_REPEAT:
        return conf_cli_take_count(o->name, value, CONF_BENCH_REPEATS_MAX, &out->n_repeats, err);
    case CONF_OPTION_DRAWS: return conf_cli_take_count(o->name, value, CONF_DRAWS_MAX, &out->n_draws, err);
    case CONF_OPTION_SHAPE: out->shape = value; break;
    case CONF_OPTION_ON_THREADS:
        return conf_cli_take_counts(o->name, value, CONF_SCHEDULE_THREADS_MAX, CONF_THREADS_COUNTS_MAX,
                                    out->threads, &out->n_threads, err);
    case CONF_OPTION_FOR: return conf_cli_take_seconds(o->name, value, &out->stress, err);
    case CONF_OPTION_SAVE: out->save = value; break;
    case CONF_OPTION_REPLAY: out->replay = value; break;
    case CONF_OPTION_TIMES: return conf_cli_take_count(o->name, value, CONF_DRAWS_MAX, &out->n_times, err);
    case CONF_OPTION_VERBOSE: out->verbose = true; break;
    case CONF_OPTION_HELP: out->help = true; break;
    }
    return ASSAY_OK;
}

/* Standard output holds one report. */
static assay_status check_reports(const conf_options *o, assay_error *err)
{
    const char *const names[] = {"--tap", "--junit", "--json"};
    const char *const files[] = {o->tap, o->junit, o->json};
    const char *before = NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!files[i] || strcmp(files[i], "-") != 0) continue;
        if (before)
            return assay_fail(err, ASSAY_EINVAL,
                              "options %s and %s: found - for both, expected only one on standard output",
                              before, names[i]);
        before = names[i];
    }
    return ASSAY_OK;
}

/* Takes argv[*i], an option, and its value. */
static assay_status parse_option(const conf_command *command, int argc, char **argv, int *i,
                                 conf_options *out, assay_error *err)
{
    const char *value = NULL;
    const option_info *o = find_option(command, argv[*i], &value);
    if (!o) return unknown_option(command, argv[*i], err);
    if (!o->value && value) return assay_fail(err, ASSAY_EINVAL, "option %s takes no value", o->name);
    if (o->value && !value) {
        if (*i + 1 == argc)
            return assay_fail(err, ASSAY_EINVAL, "option %s needs a value: %s", o->name, o->value);
        value = argv[++*i];
    }
    if (o->value && !*value) return assay_fail(err, ASSAY_EINVAL, "option %s has an empty value", o->name);
    return take_option(out, o, value, err);
}

assay_status conf_cli_parse(const conf_command *command, int argc, char **argv, conf_options *out,
                            assay_error *err)
{
    size_t n = (size_t)argc + 1;
    conf_options o = {.engines = calloc(n, sizeof *o.engines),
                      .arguments = calloc(n, sizeof *o.arguments),
                      .prompts.at = calloc(n, sizeof *o.prompts.at),
                      .contexts.at = calloc(n, sizeof *o.contexts.at),
                      .batches.at = calloc(n, sizeof *o.batches.at),
                      .limits = {.seconds = CONF_SECONDS_DEFAULT, .mib = conf_mib_default()}};
    bool ok = o.engines && o.arguments && o.prompts.at && o.contexts.at && o.batches.at;
    assay_status rc = ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    bool options_end = false;
    for (int i = 0; i < argc && rc == ASSAY_OK; i++) {
        if (!options_end && strcmp(argv[i], "--") == 0) options_end = true;
        else if (!options_end && argv[i][0] == '-' && argv[i][1])
            rc = parse_option(command, argc, argv, &i, &o, err);
        else o.arguments[o.n_arguments++] = argv[i];
    }
    if (rc == ASSAY_OK) rc = check_reports(&o, err);
    if (rc != ASSAY_OK) conf_cli_free(&o);
    else *out = o;
    return rc;
}

void conf_cli_free(conf_options *options)
{
    free(options->engines);
    free(options->arguments);
    free(options->prompts.at);
    free(options->contexts.at);
    free(options->batches.at);
    *options = (conf_options){0};
}

conf_exit conf_cli_exit(int argc, char **argv, conf_exit code)
{
    bool bisect = false;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        bisect = bisect || strcmp(argv[i], "--bisect") == 0;
    if (!bisect || code == CONF_EXIT_AGREE || code == CONF_EXIT_DIVERGES) return code;
    return CONF_EXIT_UNTESTED;
}

void conf_cli_print_help(FILE *out)
{
    (void)fputs("Usage: assay COMMAND [OPTION]... [ARGUMENT]...\n\n"
                "Tells whether an inference engine computes what the model says it must, and if not,\n"
                "where it first goes wrong.\n\nCommands:\n",
                out);
    for (size_t i = 0; i < N_COMMANDS; i++)
        (void)fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
    (void)fputs("\nOptions:\n  --help     show this help; assay COMMAND --help shows a command's\n"
                "  --version  show the version\n",
                out);
}

/* Prints text, its further lines indented. */
static void print_indented(FILE *out, const char *text, int indent)
{
    for (; *text; text++) {
        (void)fputc(*text, out);
        if (*text == '\n') (void)fprintf(out, "%*s", indent, "");
    }
    (void)fputc('\n', out);
}

void conf_cli_print_command_help(const conf_command *command, FILE *out)
{
    (void)fprintf(out, "Usage: assay %s %s\n\n%c%s.\n\nOptions:\n", command->name, command->usage,
                  command->summary[0] - 'a' + 'A', command->summary + 1);
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const option_info *o = &options_table[i];
        if (!(command->options & BIT(o->id))) continue;
        char name[48], letter[8] = "   ";
        (void)snprintf(name, sizeof name, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
        if (o->letter) (void)snprintf(letter, sizeof letter, "-%c,", o->letter);
        (void)fprintf(out, "  %s %-17s ", letter, name);
        print_indented(out, o->help, 24);
    }
    (void)fprintf(out, "\n%s", command->details);
}
