/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/assign.h"

#include <string.h>

#include "conformance/bench/bench.h"
#include "conformance/cli/value.h"
#include "conformance/schedule/schedule.h"

static assay_status parse_size(const conf_option_info *o, const char *value, size_t most, conf_sizes *out,
                               assay_error *err)
{
    assay_status rc = conf_cli_parse_count(o->name, value, most, &out->at[out->n], err);
    if (rc == ASSAY_OK) out->n++;
    return rc;
}

/* A number of tokens, or images as WxHxN. */
static assay_status parse_prompt(const conf_option_info *o, const char *value, conf_options *out,
                                 assay_error *err)
{
    conf_pictures *p = &out->pictures[out->n_pictures];
    if (!strchr(value, 'x')) return parse_size(o, value, CONF_BENCH_TOKENS_MAX, &out->prompts, err);
    const assay_status rc = conf_cli_parse_pictures(o->name, value, p, err);
    if (rc == ASSAY_OK) out->n_pictures++;
    return rc;
}

static bool is_report(conf_option id)
{
    return id >= CONF_OPTION_TAP && id < CONF_OPTION_TAP + CONF_N_REPORTS;
}

/* The member that holds an option's value as text; NULL for options that are parsed or take no
 * value. */
static const char **text_of(conf_options *o, conf_option id)
{
    if (is_report(id)) return &o->reports[id - CONF_OPTION_TAP];
    switch (id) {
    case CONF_OPTION_FILTER: return &o->filter;
    case CONF_OPTION_VECTOR: return &o->vector;
    case CONF_OPTION_CHECKPOINT_ROOT: return &o->checkpoint_root;
    case CONF_OPTION_KERNELS: return &o->kernels;
    case CONF_OPTION_DUMP: return &o->dump;
    case CONF_OPTION_KNOWN: return &o->known;
    case CONF_OPTION_BUNDLE: return &o->bundle;
    case CONF_OPTION_BASELINE: return &o->baseline;
    case CONF_OPTION_SERVED_MODEL:
    case CONF_OPTION_MODEL: return &o->model;
    case CONF_OPTION_SHAPE: return &o->shape;
    case CONF_OPTION_EXCHANGES:
    case CONF_OPTION_OUTPUT:
    case CONF_OPTION_SAVE: return &o->save;
    case CONF_OPTION_PROMPTS:
    case CONF_OPTION_REPLAY: return &o->replay;
    case CONF_OPTION_CLAIM: return &o->claim;
    case CONF_OPTION_ENDPOINT: return &o->endpoint;
    case CONF_OPTION_USAGE: return &o->usage;
    case CONF_OPTION_TEXT: return &o->generate.prompt;
    case CONF_OPTION_SYSTEM: return &o->generate.system;
    case CONF_OPTION_MEASURED_REASONING:
    case CONF_OPTION_MARKERS_OF_REASONING:
    case CONF_OPTION_REASONING: return &o->reasoning;
    case CONF_OPTION_MEASURED_TOOLS:
    case CONF_OPTION_MARKERS_OF_TOOLS:
    case CONF_OPTION_TOOLS: return &o->tools;
    case CONF_OPTION_HOST: return &o->serve.host;
    case CONF_OPTION_API_KEY_ENV: return &o->key_variable;
    case CONF_OPTION_NAME: return &o->serve.name;
    case CONF_OPTION_FILES: return &o->serve.files;
    default: return NULL;
    }
}

/* Takes the options of assay generate whose values are not plain texts. */
static assay_status parse_generate_option(conf_generate_options *g, const conf_option_info *o,
                                          const char *value, assay_error *err)
{
    switch (o->id) {
    case CONF_OPTION_MAX_TOKENS:
        return conf_cli_parse_count(o->name, value, CONF_MOST_TOKENS, &g->max_tokens, err);
    case CONF_OPTION_TOP_K: return conf_cli_parse_count(o->name, value, INT32_MAX, &g->top_k, err);
    case CONF_OPTION_TEMPERATURE:
        g->has_temperature = true;
        return conf_cli_parse_number(o->name, value, 0, 100, &g->temperature, err);
    case CONF_OPTION_TOP_P: return conf_cli_parse_number(o->name, value, 1e-6, 1, &g->top_p, err);
    case CONF_OPTION_MIN_P: return conf_cli_parse_number(o->name, value, 0, 1, &g->min_p, err);
    case CONF_OPTION_PENALTY: return conf_cli_parse_number(o->name, value, 0.01, 100, &g->penalty, err);
    case CONF_OPTION_STOP: g->stops[g->n_stops++] = value; break;
    case CONF_OPTION_IMAGE: g->images[g->n_images++] = value; break;
    case CONF_OPTION_AUDIO: g->audios[g->n_audios++] = value; break;
    case CONF_OPTION_CHAT: g->chat = true; break;
    case CONF_OPTION_IGNORE_TEMPLATE: g->ignore_template = true; break;
    case CONF_OPTION_NO_THINKING: g->no_thinking = true; break;
    default: break;
    }
    return ASSAY_OK;
}

/* Takes the options of assay serve whose values are not plain texts. */
static assay_status parse_serve_option(conf_options *out, const conf_option_info *o, const char *value,
                                       assay_error *err)
{
    conf_serve_options *s = &out->serve;
    switch (o->id) {
    case CONF_OPTION_PORT: s->has_port = true; return conf_cli_parse_port(o->name, value, &s->port, err);
    case CONF_OPTION_ANSWER_TOKENS:
        return conf_cli_parse_count(o->name, value, CONF_MOST_TOKENS, &out->generate.max_tokens, err);
    case CONF_OPTION_SAMPLES: return conf_cli_parse_count(o->name, value, 4096, &s->n_samples, err);
    case CONF_OPTION_QUEUE: return conf_cli_parse_count(o->name, value, 1000000, &s->n_queued, err);
    case CONF_OPTION_CONNECTIONS:
        return conf_cli_parse_count(o->name, value, 1000000, &s->n_connections, err);
    case CONF_OPTION_BODY: return conf_cli_parse_count(o->name, value, 1024, &s->body_mib, err);
    case CONF_OPTION_CLIENT_TIMEOUT: return conf_cli_parse_seconds(o->name, value, &s->seconds, err);
    default: return parse_generate_option(&out->generate, o, value, err);
    }
}

assay_status conf_cli_assign(const conf_option_info *o, const char *value, conf_options *out,
                             assay_error *err)
{
    const char **text = text_of(out, o->id);
    if (text) *text = value;
    switch (o->id) {
    case CONF_OPTION_ENGINE: out->engines[out->n_engines++] = value; break;
    case CONF_OPTION_TRUTH: out->truth[out->n_truth++] = value; break;
    case CONF_OPTION_PAIR: out->pairs[out->n_pairs++] = value; break;
    case CONF_OPTION_QUICK: out->quick = true; break;
    case CONF_OPTION_REDUCE: return conf_cli_parse_seconds(o->name, value, &out->reduce_seconds, err);
    case CONF_OPTION_ONLY: out->only[out->n_only++] = value; break;
    case CONF_OPTION_MARKER: out->markers[out->n_markers++] = value; break;
    case CONF_OPTION_ALLOW_UNKNOWN: out->allow_unknown[out->n_allow_unknown++] = value; break;
    case CONF_OPTION_JUDGED_AS:
    case CONF_OPTION_COMPUTED_IN:
    case CONF_OPTION_COMPUTE: return conf_cli_parse_compute(o->name, value, &out->compute, err);
    case CONF_OPTION_CACHE: return conf_cli_parse_cache(o->name, value, &out->compute, err);
    case CONF_OPTION_PART: return conf_cli_parse_part(o->name, value, &out->parts, err);
    case CONF_OPTION_SHARD: return conf_cli_parse_shard(o->name, value, &out->shard, &out->n_shards, err);
    case CONF_OPTION_EXPECT:
        return conf_cli_parse_count(o->name, value, CONF_SHARDS_MAX, &out->n_expected, err);
    case CONF_OPTION_DRAW:
    case CONF_OPTION_IDS:
    case CONF_OPTION_PROGRAMS:
    case CONF_OPTION_SAMPLING:
    case CONF_OPTION_SEED: out->has_seed = true; return conf_cli_parse_seed(o->name, value, &out->seed, err);
    case CONF_OPTION_SHIFT: return conf_cli_parse_count(o->name, value, INT32_MAX, &out->context_shift, err);
    case CONF_OPTION_THREADS:
    case CONF_OPTION_JOBS: return conf_cli_parse_count(o->name, value, CONF_JOBS_MAX, &out->n_jobs, err);
    case CONF_OPTION_ANSWER_TIMEOUT:
    case CONF_OPTION_TIMEOUT:
        out->limits.fixed = true;
        return conf_cli_parse_seconds(o->name, value, &out->limits.seconds, err);
    case CONF_OPTION_MEMORY: return conf_cli_parse_count(o->name, value, CONF_MIB_MAX, &out->limits.mib, err);
    case CONF_OPTION_FAIL_CLASS: return conf_cli_parse_class(o->name, value, &out->fail_class, err);
    case CONF_OPTION_PROMPT: return parse_prompt(o, value, out, err);
    case CONF_OPTION_CONTEXT: return parse_size(o, value, CONF_BENCH_TOKENS_MAX, &out->contexts, err);
    case CONF_OPTION_BATCH: return parse_size(o, value, CONF_BENCH_BATCH_MAX, &out->batches, err);
    case CONF_OPTION_TOKENS:
        return conf_cli_parse_count(o->name, value, CONF_BENCH_TOKENS_MAX, &out->n_tokens, err);
    case CONF_OPTION_REPEAT:
        return conf_cli_parse_count(o->name, value, CONF_BENCH_REPEATS_MAX, &out->n_repeats, err);
    case CONF_OPTION_DRAWS: return conf_cli_parse_count(o->name, value, CONF_DRAWS_MAX, &out->n_draws, err);
    case CONF_OPTION_ON_THREADS:
        return conf_cli_parse_counts(o->name, value, CONF_SCHEDULE_THREADS_MAX, CONF_THREADS_COUNTS_MAX,
                                     out->threads, &out->n_threads, err);
    case CONF_OPTION_EFFORT:
    case CONF_OPTION_FOR: return conf_cli_parse_seconds(o->name, value, &out->stress, err);
    case CONF_OPTION_TIMES: return conf_cli_parse_count(o->name, value, CONF_DRAWS_MAX, &out->n_times, err);
    case CONF_OPTION_SERVING: out->serving = true; break;
    case CONF_OPTION_MANNER: return conf_cli_parse_manner(o->name, value, &out->manner, err);
    case CONF_OPTION_EXPLAIN:
    case CONF_OPTION_EXPLAIN_FIELDS: out->explain = true; break;
    case CONF_OPTION_TENSORS: out->tensors = true; break;
    case CONF_OPTION_RECORDED: out->recorded = true; break;
    case CONF_OPTION_BOUNDS: out->bounds = true; break;
    case CONF_OPTION_DRY_RUN: out->dry_run = true; break;
    case CONF_OPTION_PROFILES: out->profiles = true; break;
    case CONF_OPTION_ALL_WEIGHTS:
    case CONF_OPTION_ALL_ROWS:
    case CONF_OPTION_SHOW_PROMPT:
    case CONF_OPTION_VERBOSE: out->verbose = true; break;
    case CONF_OPTION_HELP: out->help = true; break;
    default:
        return parse_serve_option(out, o, value, err);
        /* otherwise a text, taken above, or --bisect, which conf_cli_exit handles, even if other
         * arguments are wrong */
    }
    return ASSAY_OK;
}
