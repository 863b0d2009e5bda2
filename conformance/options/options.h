/* The options of the command line: their names, and the parsed values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_OPTIONS_OPTIONS_H
#define CONFORMANCE_OPTIONS_OPTIONS_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stdint.h>

#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"

/* The reports that a command writes to files, in the order of their options below. */
typedef enum conf_report {
    CONF_REPORT_TAP,
    CONF_REPORT_JUNIT,
    CONF_REPORT_JSON,
    CONF_REPORT_HTML,
    CONF_REPORT_ANNOTATIONS,
    CONF_REPORT_SUMMARY,
    CONF_REPORT_SARIF,
    CONF_N_REPORTS
} conf_report;

typedef enum conf_option {
    CONF_OPTION_ENGINE,
    CONF_OPTION_COMPUTE,
    CONF_OPTION_JUDGED_AS, /* --compute, for a command without an engine */
    CONF_OPTION_PART,
    CONF_OPTION_COMPUTED_IN, /* --compute, for a command that judges without recorded runs */
    CONF_OPTION_CACHE,       /* --kv-cache-type */
    CONF_OPTION_FILTER,
    CONF_OPTION_SHARD,
    CONF_OPTION_EXPECT,
    CONF_OPTION_KNOWN, /* --expect, for a command whose failures may be known */
    CONF_OPTION_BASELINE,
    CONF_OPTION_PAIR,
    CONF_OPTION_VECTOR,
    CONF_OPTION_SEED,
    CONF_OPTION_MANNER,
    CONF_OPTION_SHIFT, /* --context-shift */
    CONF_OPTION_EXPLAIN,
    CONF_OPTION_EXPLAIN_FIELDS, /* --explain, for a command that judges answers */
    CONF_OPTION_TENSORS,
    CONF_OPTION_BOUNDS,
    CONF_OPTION_JOBS,
    CONF_OPTION_THREADS, /* --jobs, for a command without cases */
    CONF_OPTION_TIMEOUT,
    CONF_OPTION_MEMORY,
    CONF_OPTION_FAIL_CLASS,
    CONF_OPTION_BISECT,
    CONF_OPTION_DUMP,
    CONF_OPTION_BUNDLE,
    CONF_OPTION_DRY_RUN,
    CONF_OPTION_TAP, /* the first report */
    CONF_OPTION_JUNIT,
    CONF_OPTION_JSON,
    CONF_OPTION_HTML,
    CONF_OPTION_ANNOTATIONS,
    CONF_OPTION_SUMMARY,
    CONF_OPTION_SARIF,
    CONF_OPTION_PROFILES,
    CONF_OPTION_MODEL,
    CONF_OPTION_PROMPT,
    CONF_OPTION_CONTEXT,
    CONF_OPTION_BATCH,
    CONF_OPTION_TOKENS,
    CONF_OPTION_REPEAT,
    CONF_OPTION_IDS,  /* --seed, for a command that draws token ids */
    CONF_OPTION_DRAW, /* --seed, for a command that draws kernels' shapes and numbers */
    CONF_OPTION_KERNELS,
    CONF_OPTION_PROGRAMS, /* --seed, for a command that draws schedules */
    CONF_OPTION_DRAWS,
    CONF_OPTION_SHAPE,
    CONF_OPTION_ON_THREADS, /* --threads, for a command that runs schedules */
    CONF_OPTION_FOR,
    CONF_OPTION_SAVE,
    CONF_OPTION_OUTPUT,
    CONF_OPTION_EFFORT, /* --seconds */
    CONF_OPTION_RECORDED,
    CONF_OPTION_REPLAY,
    CONF_OPTION_PROMPTS, /* --case */
    CONF_OPTION_TIMES,
    CONF_OPTION_ENDPOINT,
    CONF_OPTION_MARKER,
    CONF_OPTION_USAGE,
    CONF_OPTION_TEXT, /* --prompt, for a command that generates */
    CONF_OPTION_IMAGE,
    CONF_OPTION_AUDIO,
    CONF_OPTION_CHAT,
    CONF_OPTION_SYSTEM,
    CONF_OPTION_IGNORE_TEMPLATE,
    CONF_OPTION_SHOW_PROMPT, /* --verbose, for a command that generates */
    CONF_OPTION_SAMPLING,    /* --seed, for a command that samples tokens */
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
    CONF_OPTION_MARKERS_OF_REASONING, /* --reasoning-parser, for a command that reads responses */
    CONF_OPTION_MARKERS_OF_TOOLS,     /* --tool-parser, for the same command */
    CONF_OPTION_MEASURED_REASONING,   /* --reasoning-parser, for a command that measures parsers */
    CONF_OPTION_MEASURED_TOOLS,       /* --tool-parser, for the same command */
    CONF_OPTION_SERVING,
    CONF_OPTION_HOST,
    CONF_OPTION_PORT,
    CONF_OPTION_API_KEY_ENV,
    CONF_OPTION_NAME,
    CONF_OPTION_FILES,
    CONF_OPTION_ANSWER_TOKENS, /* --max-tokens, for a command whose clients may give another limit */
    CONF_OPTION_SAMPLES,
    CONF_OPTION_QUEUE,
    CONF_OPTION_CONNECTIONS,
    CONF_OPTION_BODY,
    CONF_OPTION_TRUTH,
    CONF_OPTION_ONLY,
    CONF_OPTION_QUICK,
    CONF_OPTION_REDUCE,
    CONF_OPTION_SERVED_MODEL,   /* --model, for a command that names a model to a server */
    CONF_OPTION_EXCHANGES,      /* --save, for a command that saves exchanges */
    CONF_OPTION_CLAIM,          /* --compute, for a command that judges a server */
    CONF_OPTION_ANSWER_TIMEOUT, /* --timeout, for a command that waits for a server */
    CONF_OPTION_ALL_WEIGHTS,    /* --verbose, for a command that lists weights */
    CONF_OPTION_ALL_ROWS,       /* --verbose, for a command that judges a server */
    CONF_OPTION_CLIENT_TIMEOUT, /* --timeout, for a command that waits for clients */
    CONF_OPTION_ALLOW_UNKNOWN,
    CONF_OPTION_CHECKPOINT_ROOT,
    CONF_OPTION_VERBOSE,
    CONF_OPTION_HELP
} conf_option;

#define CONF_THREADS_COUNTS_MAX 16

/* The values of an option that may be repeated, in order. */
typedef struct conf_sizes {
    size_t *at;
    size_t n;
} conf_sizes;

/* n images of width x height pixels. n 0: none. */
typedef struct conf_pictures {
    size_t width, height, n;
} conf_pictures;

/* Options of assay generate. */
typedef struct conf_generate_options {
    const char *prompt, *system; /* NULL: not given */
    const char **stops;          /* [n_stops] */
    size_t n_stops;
    const char **images; /* [n_images], paths */
    size_t n_images;
    const char **audios; /* [n_audios], paths */
    size_t n_audios;
    bool chat, ignore_template;
    size_t max_tokens; /* 0: not given */
    bool no_thinking, has_temperature;
    double temperature, top_p, min_p, penalty; /* defaults if not given */
    size_t top_k;                              /* 0: all */
} conf_generate_options;

/* Options of assay serve. NULL and 0: not given. */
typedef struct conf_serve_options {
    const char *host, *name, *files;
    bool has_port;
    uint16_t port;
    size_t n_samples, n_queued, n_connections, body_mib;
    double seconds;
} conf_serve_options;

/* A parsed command line; all strings are borrowed from argv. */
typedef struct conf_options {
    const char **engines; /* [n_engines] */
    size_t n_engines;
    const char **arguments; /* [n_arguments] */
    size_t n_arguments;
    const char *checkpoint_root;         /* NULL: not given */
    const char *kernels;                 /* a kernel library; NULL: not given */
    const char *filter, *dump, *bundle;  /* NULL: not given */
    const char *reports[CONF_N_REPORTS]; /* paths; NULL: not given */
    const char *vector;                  /* "GROUP/ID"; NULL: not given */
    size_t shard, n_shards;              /* 1 <= shard <= n_shards; n_shards 0: all */
    const char *known;                   /* assay run, kernels: --expect; NULL: not given */
    const char *baseline;                /* assay run: --baseline; NULL: not given */
    const char **pairs;                  /* [n_pairs]: --pair */
    size_t n_pairs;
    size_t n_expected;    /* assay merge: --expect; 0: not given */
    const char *manner;   /* replay/manner.h; NULL: not given */
    size_t context_shift; /* 0: not given */
    bool has_seed;
    uint64_t seed;
    conf_compute compute; /* with the type of caches; CONF_COMPUTE_NONE: not given */
    unsigned parts;       /* of an observation, bits as in diff.h; 0: not given */
    size_t n_jobs;        /* 0: not given */
    conf_limits limits;
    const char *model;                     /* a checkpoint; NULL: not given */
    conf_sizes prompts, contexts, batches; /* assay bench: --prompt, --context, --batch */
    conf_pictures *pictures;               /* [n_pictures], of --prompt WxHxN */
    size_t n_pictures;
    size_t n_tokens, n_repeats;        /* 0: not given */
    bool serving;                      /* assay bench: measure parsers */
    size_t n_draws, n_times;           /* assay schedule; 0: not given */
    const char *shape, *save, *replay; /* NULL: not given; replay: assay weights, --case */
    size_t threads[CONF_THREADS_COUNTS_MAX], n_threads;
    const char *endpoint, *usage;  /* assay events; NULL: not given */
    const char *reasoning, *tools; /* parser names; NULL: not given */
    const char **markers;          /* [n_markers] */
    size_t n_markers;
    conf_generate_options generate;
    conf_serve_options serve;
    const char *claim;  /* assay probe, --compute; NULL: not given */
    const char **truth; /* [n_truth]: --truth */
    size_t n_truth;
    const char **only; /* [n_only]: --only */
    size_t n_only;
    bool quick;                 /* --quick */
    double reduce_seconds;      /* assay probe: --reduce; 0: not given */
    const char *key_variable;   /* --api-key-env; NULL: not given */
    const char **allow_unknown; /* [n_allow_unknown], NULL-terminated: config.json members to ignore */
    size_t n_allow_unknown;
    double stress;         /* seconds; 0: not given */
    conf_class fail_class; /* the only class counted as a divergence; CONF_CLASS_NONE: all are */
    bool explain, tensors, bounds, dry_run, profiles, recorded, verbose, help;
} conf_options;

#define CONF_N_OPTIONS (CONF_OPTION_HELP + 1)

typedef struct conf_option_info {
    conf_option id;
    char letter; /* 0: none */
    const char *name;
    const char *value; /* the value's name in the help text; NULL: the option takes no value */
    const char *help;
} conf_option_info;

/* In the order of the help text. Several entries may share a name; a command accepts one of them at
 * most. */
extern const conf_option_info conf_cli_options[CONF_N_OPTIONS];

/* The name that an option had in earlier versions, which still works; NULL: it had no other. */
const char *conf_option_former_name(conf_option id);

#endif
