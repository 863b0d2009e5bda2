/* The options of the command line: their names, and what the user gave.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_OPTIONS_OPTIONS_H
#define CONFORMANCE_OPTIONS_OPTIONS_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stdint.h>

#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"

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

#define CONF_N_OPTIONS (CONF_OPTION_HELP + 1)

typedef struct conf_option_info {
    conf_option id;
    char letter; /* 0: none */
    const char *name;
    const char *value; /* how help calls it; NULL: takes none */
    const char *help;
} conf_option_info;

/* In the order in which help shows them. A name may stand there several times; of those a command takes one.
 */
extern const conf_option_info conf_cli_options[CONF_N_OPTIONS];

#endif
