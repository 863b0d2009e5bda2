/* The types in which engines compute, as rows: how they are named, and the recorded run of the published
 * model whose distance from the truth is the noise of that type. An engine that states no type is judged as
 * float32 (or as float64 if its logits are float64).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_JUDGE_COMPUTE_H
#define CONFORMANCE_JUDGE_COMPUTE_H

#include <assay/engine.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A compute type: its row and, times CONF_CACHE, the row of the type in which keys and values are cached
 * (0: as computed). The named ones are those that code distinguishes; all are in compute.c. */
typedef unsigned conf_compute;
enum {
    CONF_COMPUTE_NONE, /* not stated */
    CONF_COMPUTE_F32,
    CONF_COMPUTE_BF16,
    CONF_COMPUTE_I8,
    CONF_COMPUTE_F16,
    CONF_COMPUTE_AFFINE8,
    CONF_COMPUTE_AFFINE4,
    CONF_CACHE = 256
};

/* The type without its cache, and with another one. cache: a row of caches, from conf_cache_of. */
conf_compute conf_compute_without_cache(conf_compute compute);
conf_compute conf_compute_with_cache(conf_compute compute, unsigned cache);

/* "f32", "bf16", "q8_K", "q8_K+f16": as reports spell it; "" for CONF_COMPUTE_NONE. */
const char *conf_compute_name(conf_compute compute);

/* The type with this name, a cache included; CONF_COMPUTE_NONE if the name is unknown. */
conf_compute conf_compute_of(const char *name);

/* The row of a cache that --kv-cache-type names; 0 if the name is unknown. */
unsigned conf_cache_of(const char *name);

/* Names that --compute and --kv-cache-type accept, in the order of the rows; NULL beyond the last. i: from 0.
 */
const char *conf_compute_choice(size_t i);
const char *conf_cache_choice(size_t i);

/* What is rounded, for messages: "inputs of products to bfloat16"; "" for CONF_COMPUTE_NONE. */
const char *conf_compute_rounds(conf_compute compute);

/* The group below /expect that holds the run in this type: "float32", "bfloat16", "q8_K+f16". Its distance
 * from the truth is the noise. */
const char *conf_compute_run(conf_compute compute);

/* The type whose run is this group; CONF_COMPUTE_NONE if there is none. */
conf_compute conf_compute_of_run(const char *run);

/* Whether the type, or its cache, is narrower than float32. A case need not have a run in a narrower type. */
bool conf_compute_is_narrow(conf_compute compute);

/* The unit of reported errors, for messages: "the noise", "the noise in bfloat16", "the noise in q8_K". */
const char *conf_compute_unit(conf_compute compute);

/* The number that assay_model_options.compute has for this type; ASSAY_DTYPE_NONE for one that engines are
 * told by name, if at all. */
assay_dtype conf_compute_dtype(conf_compute compute);

/* The type of the factors of a product in this type on a processor: ASSAY_F32 (also for narrower types that
 * are widened first), ASSAY_BF16 or ASSAY_I8. */
assay_dtype conf_compute_factors(conf_compute compute);

/* Sets the compute and the cache type of options for an engine: by number, or by name if the engine's table
 * lists names. The engine refuses a name that it does not have. */
void conf_compute_request(conf_compute compute, const assay_engine *engine, assay_model_options *options);

/* The same where nothing judges by noise: fails with ASSAY_EUNSUPPORTED if the engine cannot be told a type.
 * name: the engine, for the message. */
assay_status conf_compute_demand(conf_compute compute, const assay_engine *engine, const char *name,
                                 assay_model_options *options, assay_error *err);

/* Prints " --compute TYPE" and " --kv-cache-type TYPE" as they were given; nothing for CONF_COMPUTE_NONE. */
void conf_compute_print_options(FILE *out, conf_compute compute);

/* Prints " --allow-unknown MEMBER" for each member, quoted for a shell. allowed: NULL-terminated, or
 * NULL. */
void conf_compute_print_allowed(FILE *out, const char *const *allowed);

#endif
