/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/judge/compute.h"

#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "conformance/support/text.h"

/* Types of caches: PUT(what comes before the name, name, what is rounded). */
#define CACHES(PUT, before)                                                                                  \
    PUT(before, "f16", "keys and values to float16")                                                         \
    PUT(before, "bf16", "keys and values to bfloat16")                                                       \
    PUT(before, "fp8_e4m3", "keys and values to e4m3, without a scale")                                      \
    PUT(before, "fp8_e5m2", "keys and values to e5m2, without a scale")                                      \
    PUT(before, "int8", "keys and values to codes of 8 bits, a scale for each token and head")               \
    PUT(before, "q8_0", "keys and values to ggml's Q8_0")                                                    \
    PUT(before, "q4_0", "keys and values to ggml's Q4_0")
#define PUT_PLUS(before, name, rounds) before "+" name,
#define PUT_NAME(before, name, rounds) name,
#define WITH_CACHES(name)                                                                                    \
    {                                                                                                        \
        name, CACHES(PUT_PLUS, name)                                                                         \
    }

static const char *const caches[] = {"", CACHES(PUT_NAME, "")};
#define N_CACHES (sizeof caches / sizeof *caches)

typedef struct compute_info {
    const char *names[N_CACHES], *runs[N_CACHES], *units[N_CACHES]; /* by cache */
    const char *rounds;
    assay_dtype dtype, factors;
} compute_info;

/* name: as options spell it; run: the group below /expect; in: the type of the factors of products. */
#define COMPUTE(name, run, what, type, in)                                                                   \
    {                                                                                                        \
        .names = WITH_CACHES(name), .runs = WITH_CACHES(run), .units = WITH_CACHES("the noise in " run),     \
        .rounds = (what), .dtype = (type), .factors = (in)                                                   \
    }
#define BY_NAME(name, what, in) COMPUTE(name, name, what, ASSAY_DTYPE_NONE, in)

/* docs/judging.md has the definitions. */
static const compute_info infos[] = {
    [CONF_COMPUTE_F32] = COMPUTE("f32", "float32", "every operation to float32", ASSAY_F32, ASSAY_F32),
    [CONF_COMPUTE_BF16] = COMPUTE("bf16", "bfloat16", "the whole model to bfloat16", ASSAY_BF16, ASSAY_BF16),
    [CONF_COMPUTE_I8] =
        COMPUTE("int8", "int8", "inputs of products to codes of 8 bits, a scale for each group of weights",
                ASSAY_I8, ASSAY_I8),
    [CONF_COMPUTE_F16] = COMPUTE("f16", "float16", "the whole model to float16", ASSAY_DTYPE_NONE, ASSAY_F32),
    [CONF_COMPUTE_AFFINE8] = BY_NAME("affine8", "weights to affine groups of 8 bits", ASSAY_F32),
    [CONF_COMPUTE_AFFINE4] = BY_NAME("affine4", "weights to affine groups of 4 bits", ASSAY_F32),
    BY_NAME("tf32", "inputs of products and weights to 10 bits of fraction", ASSAY_F32),
    BY_NAME("q8_0", "inputs of products to ggml's Q8_0", ASSAY_I8),
    BY_NAME("q8_1", "inputs of products to ggml's Q8_1", ASSAY_I8),
    BY_NAME("q8_K", "inputs of products to ggml's Q8_K", ASSAY_I8),
    BY_NAME("int8-token", "inputs of products to codes of 8 bits, a scale for each token", ASSAY_I8),
    BY_NAME("fp8-token", "inputs of products to e4m3, a scale for each token", ASSAY_F32),
    BY_NAME("fp8-group128", "inputs of products to e4m3, a scale for each 128 inputs", ASSAY_F32),
    BY_NAME("fp8-static", "inputs of products to e4m3, the checkpoint's scale", ASSAY_F32),
    BY_NAME("nvfp4", "inputs of products to e2m1, a scale in e4m3 for each 16 inputs", ASSAY_F32),
    BY_NAME("mxfp4", "inputs of products to e2m1, a power of two for each 32 inputs", ASSAY_F32),
};
#define N_INFOS (sizeof infos / sizeof *infos)

/* Messages of float32 name no type. */
#define UNIT_FLOAT32 "the noise"

/* The row; that of float32 for CONF_COMPUTE_NONE. */
static const compute_info *info_of(conf_compute compute)
{
    const unsigned row = compute % CONF_CACHE;
    assert(row < N_INFOS && compute / CONF_CACHE < N_CACHES);
    return &infos[row ? row : CONF_COMPUTE_F32];
}

/* runs: compare with the names of groups. */
static conf_compute find(const char *name, bool runs)
{
    for (conf_compute row = CONF_COMPUTE_F32; row < N_INFOS; row++)
        for (unsigned c = 0; c < N_CACHES; c++)
            if (strcmp(runs ? infos[row].runs[c] : infos[row].names[c], name) == 0)
                return row + CONF_CACHE * c;
    return CONF_COMPUTE_NONE;
}

conf_compute conf_compute_without_cache(conf_compute compute)
{
    return compute % CONF_CACHE;
}

conf_compute conf_compute_with_cache(conf_compute compute, unsigned cache)
{
    return compute % CONF_CACHE + CONF_CACHE * cache;
}

const char *conf_compute_name(conf_compute compute)
{
    return compute == CONF_COMPUTE_NONE ? "" : info_of(compute)->names[compute / CONF_CACHE];
}

conf_compute conf_compute_of(const char *name)
{
    return find(name, false);
}

unsigned conf_cache_of(const char *name)
{
    for (unsigned c = 1; c < N_CACHES; c++)
        if (strcmp(caches[c], name) == 0) return c;
    return 0;
}

const char *conf_compute_choice(size_t i)
{
    return i + 1 < N_INFOS ? infos[i + 1].names[0] : NULL;
}

const char *conf_cache_choice(size_t i)
{
    return i + 1 < N_CACHES ? caches[i + 1] : NULL;
}

const char *conf_compute_rounds(conf_compute compute)
{
    return compute == CONF_COMPUTE_NONE ? "" : info_of(compute)->rounds;
}

const char *conf_compute_run(conf_compute compute)
{
    return info_of(compute)->runs[compute / CONF_CACHE];
}

conf_compute conf_compute_of_run(const char *run)
{
    return find(run, true);
}

bool conf_compute_is_narrow(conf_compute compute)
{
    return compute > CONF_COMPUTE_F32;
}

const char *conf_compute_unit(conf_compute compute)
{
    return conf_compute_is_narrow(compute) ? info_of(compute)->units[compute / CONF_CACHE] : UNIT_FLOAT32;
}

assay_dtype conf_compute_dtype(conf_compute compute)
{
    return compute == CONF_COMPUTE_NONE ? ASSAY_DTYPE_NONE : info_of(compute)->dtype;
}

assay_dtype conf_compute_factors(conf_compute compute)
{
    return info_of(compute)->factors;
}

void conf_compute_request(conf_compute compute, const assay_engine *engine, assay_model_options *options)
{
    const conf_compute alone = conf_compute_without_cache(compute);
    const unsigned cache = compute / CONF_CACHE;
    options->compute = conf_compute_dtype(compute);
    if (engine->compute_types && alone && !options->compute) options->compute_name = info_of(alone)->names[0];
    if (engine->cache_types && cache) options->cache_name = caches[cache];
}

assay_status conf_compute_demand(conf_compute compute, const assay_engine *engine, const char *name,
                                 assay_model_options *options, assay_error *err)
{
    conf_compute_request(compute, engine, options);
    if (conf_compute_without_cache(compute) && !options->compute && !options->compute_name)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: compute type %s: the engine lists no types by name",
                          name, info_of(compute)->names[0]);
    if (compute / CONF_CACHE && !options->cache_name)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: cache type %s: the engine lists no types of caches",
                          name, caches[compute / CONF_CACHE]);
    return ASSAY_OK;
}

void conf_compute_print_options(FILE *out, conf_compute compute)
{
    const unsigned cache = compute / CONF_CACHE;
    if (compute) (void)fprintf(out, " --compute %s", info_of(compute)->names[0]);
    if (cache) (void)fprintf(out, " --kv-cache-type %s", caches[cache]);
}

void conf_compute_print_allowed(FILE *out, const char *const *allowed)
{
    for (size_t i = 0; allowed && allowed[i]; i++) {
        (void)fputs(" --allow-unknown ", out);
        conf_text_print_quoted(out, allowed[i]);
    }
}
