/* The command line: commands, options, help, and what was probably meant.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_CLI_H
#define CONFORMANCE_CLI_CLI_H

#include <assay/engine.h>
#include <assay/status.h>

#include <stdbool.h>
#include <stdio.h>

#include "conformance/hdf5/hdf5.h"
#include "conformance/process/isolate.h"

/* Part of the interface: scripts and CI depend on them. */
typedef enum conf_exit {
    CONF_EXIT_AGREE = 0,
    CONF_EXIT_DIVERGES = 1,
    CONF_EXIT_USAGE = 2,
    CONF_EXIT_NOTHING = 77,  /* automake's code for a test that was skipped */
    CONF_EXIT_ERROR = 99,    /* automake's code for an error outside the test */
    CONF_EXIT_UNTESTED = 125 /* git bisect run's code for a commit that cannot be tested */
} conf_exit;

/* Where a command writes, and what it may know of the world. */
typedef struct conf_context {
    FILE *out, *err;
    bool terminal; /* out is one */
    bool color;    /* out is a terminal that takes colours */
    bool progress; /* out and err are terminals */
    size_t n_processors;
    size_t columns;
    conf_strings engine_dirs; /* directories that are searched for engines by name, in order */
    char *fixtures;           /* the directory of the bundled cases, which need not exist */
} conf_context;

typedef enum conf_option {
    CONF_OPTION_ENGINE,
    CONF_OPTION_COMPUTE,
    CONF_OPTION_JUDGED_AS, /* --compute, of a command that has no engine */
    CONF_OPTION_PART,
    CONF_OPTION_COMPUTED_IN, /* --compute, of a command that judges by nothing that was recorded */
    CONF_OPTION_FILTER,
    CONF_OPTION_SHARD,
    CONF_OPTION_VECTOR,
    CONF_OPTION_SEED,
    CONF_OPTION_JOBS,
    CONF_OPTION_THREADS, /* --jobs, of a command that has no cases */
    CONF_OPTION_TIMEOUT,
    CONF_OPTION_MEMORY,
    CONF_OPTION_FAIL_CLASS,
    CONF_OPTION_BISECT,
    CONF_OPTION_DUMP,
    CONF_OPTION_TAP,
    CONF_OPTION_JUNIT,
    CONF_OPTION_JSON,
    CONF_OPTION_MODEL,
    CONF_OPTION_PROMPT,
    CONF_OPTION_CONTEXT,
    CONF_OPTION_BATCH,
    CONF_OPTION_TOKENS,
    CONF_OPTION_REPEAT,
    CONF_OPTION_IDS,  /* --seed, of a command that draws token ids */
    CONF_OPTION_DRAW, /* --seed, of a command that draws kernels' shapes and numbers */
    CONF_OPTION_KERNELS,
    CONF_OPTION_PROGRAMS, /* --seed, of a command that draws schedules */
    CONF_OPTION_DRAWS,
    CONF_OPTION_SHAPE,
    CONF_OPTION_ON_THREADS, /* --threads, of a command that runs schedules */
    CONF_OPTION_FOR,
    CONF_OPTION_SAVE,
    CONF_OPTION_REPLAY,
    CONF_OPTION_TIMES,
    CONF_OPTION_ENDPOINT,
    CONF_OPTION_MARKER,
    CONF_OPTION_USAGE,
    CONF_OPTION_TEXT,     /* --prompt, of a command that generates */
    CONF_OPTION_SAMPLING, /* --seed, of a command that draws tokens */
    CONF_OPTION_MAX_TOKENS,
    CONF_OPTION_TEMPERATURE,
    CONF_OPTION_TOP_K,
    CONF_OPTION_TOP_P,
    CONF_OPTION_MIN_P,
    CONF_OPTION_PENALTY,
    CONF_OPTION_STOP,
    CONF_OPTION_NO_THINKING,
    CONF_OPTION_REASONING,
    CONF_OPTION_TOOLS,
    CONF_OPTION_MARKERS_OF_REASONING, /* --reasoning-parser, of a command that reads what a server said */
    CONF_OPTION_MARKERS_OF_TOOLS,     /* --tool-parser, likewise */
    CONF_OPTION_SERVING,
    CONF_OPTION_ALLOW_UNKNOWN,
    CONF_OPTION_VERBOSE,
    CONF_OPTION_HELP
} conf_option;

#define CONF_THREADS_COUNTS_MAX 16

/* What an option that may be repeated was given, in order. */
typedef struct conf_sizes {
    size_t *at;
    size_t n;
} conf_sizes;

/* Of assay generate. */
typedef struct conf_generate_options {
    const char *prompt; /* NULL: not given */
    const char **stops; /* [n_stops] */
    size_t n_stops;
    size_t max_tokens; /* 0: not given */
    bool no_thinking, has_temperature;
    double temperature, top_p, min_p, penalty; /* as if not given, where they were not */
    size_t top_k;                              /* 0: all */
} conf_generate_options;

/* A parsed command line; all strings are borrowed from argv. */
typedef struct conf_options {
    const char **engines; /* [n_engines] */
    size_t n_engines;
    const char **arguments; /* [n_arguments] */
    size_t n_arguments;
    const char *kernels;                            /* a kernel library; NULL: not given */
    const char *filter, *dump, *tap, *junit, *json; /* NULL: not given */
    const char *vector;                             /* "GROUP/ID"; NULL: not given */
    size_t shard, n_shards;                         /* 1 <= shard <= n_shards; n_shards 0: all */
    bool has_seed;
    uint64_t seed;
    assay_dtype compute; /* ASSAY_DTYPE_NONE: not given */
    unsigned parts;      /* of an observation, as diff.h says; 0: not given */
    size_t n_jobs;       /* 0: not given */
    conf_limits limits;
    const char *model;                     /* a checkpoint; NULL: not given */
    conf_sizes prompts, contexts, batches; /* of assay bench, as its options */
    size_t n_tokens, n_repeats;            /* 0: not given */
    bool serving;                          /* assay bench measures parsers */
    size_t n_draws, n_times;               /* of assay schedule; 0: not given */
    const char *shape, *save, *replay;     /* NULL: not given */
    size_t threads[CONF_THREADS_COUNTS_MAX], n_threads;
    const char *endpoint, *usage;  /* of assay events; NULL: not given */
    const char *reasoning, *tools; /* names of parsers; NULL: not given */
    const char **markers;          /* [n_markers] */
    size_t n_markers;
    conf_generate_options generate;
    const char **allow_unknown; /* [n_allow_unknown] members of a config.json to ignore, NULL-terminated */
    size_t n_allow_unknown;
    double stress;         /* seconds; 0: not given */
    conf_class fail_class; /* that alone diverges; CONF_CLASS_NONE: every one does */
    bool verbose, help;
} conf_options;

typedef struct conf_command {
    const char *name;
    const char *usage;   /* what follows the name */
    const char *summary; /* one line */
    const char *details; /* paragraphs behind the options */
    uint64_t options;    /* bits 1 << conf_option that it takes */
    conf_exit (*run)(const conf_options *options, const conf_context *context);
} conf_command;

/* NULL where there is no command of that name. */
const conf_command *conf_cli_command(const char *name);

/* Parses what follows the command's name. Fails with ASSAY_EINVAL, whose text says what was probably meant.
 */
assay_status conf_cli_parse(const conf_command *command, int argc, char **argv, conf_options *out,
                            assay_error *err);
void conf_cli_free(conf_options *options);

/* "assay: unknown command …" with a suggestion. */
assay_status conf_cli_unknown_command(const char *word, assay_error *err);

/* The exit status of `assay <argv>` where its command gave `code`. With --bisect that is 0, 1 or
 * CONF_EXIT_UNTESTED, also for a wrong command line: git bisect run would take 2 for a bad commit, and in the
 * end name an innocent one. */
conf_exit conf_cli_exit(int argc, char **argv, conf_exit code);

void conf_cli_print_help(FILE *out);
void conf_cli_print_command_help(const conf_command *command, FILE *out);

#endif
