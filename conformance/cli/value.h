/* Parsing of option values. Functions fail with ASSAY_EINVAL, saying what was found and what was
 * expected, and leave their result unchanged then.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_VALUE_H
#define CONFORMANCE_CLI_VALUE_H

#include <assay/engine.h>
#include <assay/status.h>

#include <stddef.h>
#include <stdint.h>

#include "conformance/judge/verdict.h"
#include "conformance/options/options.h"

#define CONF_JOBS_MAX    4096
#define CONF_SECONDS_MAX 1000000
#define CONF_MIB_MAX     1000000000
#define CONF_SHARDS_MAX  1000000
#define CONF_DRAWS_MAX   1000000
#define CONF_MOST_TOKENS 1000000 /* upper limit of --max-tokens */

/* A whole number from 1 to most. */
assay_status conf_cli_parse_count(const char *option, const char *value, size_t most, size_t *out,
                                  assay_error *err);

/* Parses images as WxHxN. */
assay_status conf_cli_parse_pictures(const char *option, const char *value, conf_pictures *out,
                                     assay_error *err);

/* A whole number from 0 to 2^64 - 1. */
assay_status conf_cli_parse_seed(const char *option, const char *value, uint64_t *out, assay_error *err);

/* A port from 0 to 65535. */
assay_status conf_cli_parse_port(const char *option, const char *value, uint16_t *out, assay_error *err);

/* Seconds, with or without a fraction. */
assay_status conf_cli_parse_seconds(const char *option, const char *value, double *out, assay_error *err);

/* A number from least to most, with or without a fraction and an exponent. */
assay_status conf_cli_parse_number(const char *option, const char *value, double least, double most,
                                   double *out, assay_error *err);

/* The name of a failure class. */
assay_status conf_cli_parse_class(const char *option, const char *value, conf_class *out, assay_error *err);

/* The name of a manner of evaluation. */
assay_status conf_cli_parse_manner(const char *option, const char *value, const char **out, assay_error *err);

/* The name of a compute type; *out keeps its cache. told: only types that an engine can be told. */
assay_status conf_cli_parse_compute(const char *option, const char *value, conf_compute *out,
                                    assay_error *err);

/* The name of a type of caches; *out keeps the rest. */
assay_status conf_cli_parse_cache(const char *option, const char *value, conf_compute *out, assay_error *err);

/* Fails if a type of caches is given without a compute type. */
assay_status conf_cli_check_cache(conf_compute compute, assay_error *err);

/* The name of a part of an observation; adds its bit (diff.h) to *parts. */
assay_status conf_cli_parse_part(const char *option, const char *value, unsigned *parts, assay_error *err);

/* At most `capacity` whole numbers from 1 to most, separated by commas. */
assay_status conf_cli_parse_counts(const char *option, const char *value, size_t most, size_t capacity,
                                   size_t *out, size_t *n, assay_error *err);

/* I/N, 1 <= I <= N. */
assay_status conf_cli_parse_shard(const char *option, const char *value, size_t *shard, size_t *n_shards,
                                  assay_error *err);

#endif
