/* JSON is searched, not parsed, which is enough for files that transformers writes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "checkpoint.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The text from a member's value on; "" if there is no such member. */
static const char *member(const char *json, const char *name)
{
    char quoted[128];
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *found = strstr(json, quoted);
    if (!found) return "";
    found += strlen(quoted);
    return found + strspn(found, " ");
}

static double number(const char *config, const char *name, double otherwise)
{
    const char *value = member(config, name);
    return *value && *value != 'n' ? strtod(value, NULL) : otherwise;
}

/* 1 ... 2^20; 0 for any other value. */
static size_t size_of(const char *config, const char *name, double otherwise)
{
    const double value = number(config, name, otherwise);
    return value >= 1 && value <= 1 << 20 ? (size_t)value : 0;
}

static bool is_directory(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* The contents of a file and a zero byte; NULL if it cannot be read. */
static char *read_file(const char *dir, const char *name, size_t *n)
{
    char path[4096], *bytes = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    const long length = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (length >= 0) bytes = calloc((size_t)length + 1, 1);
    rewind(f);
    *n = bytes ? fread(bytes, 1, (size_t)length, f) : 0;
    (void)fclose(f);
    return bytes;
}

/* Refuses what this engine does not compute. */
static assay_status check_config(const char *config, assay_error *err)
{
    static const char *const only[][2] = {{"hidden_act", "\"silu\""}, {"attention_bias", "false"},
                                          {"mlp_bias", "false"},      {"rope_type", "\"default\""},
                                          {"rope_scaling", "null"},   {"partial_rotary_factor", "1.0"}};
    if (!strstr(config, "\"LlamaForCausalLM\""))
        return engine_fail(err, ASSAY_EUNSUPPORTED, "config.json: only LlamaForCausalLM is supported");
    for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
        const char *value = member(config, only[i][0]);
        if (*value && strncmp(value, only[i][1], strlen(only[i][1])) != 0)
            return engine_fail(err, ASSAY_EUNSUPPORTED, "config.json: only %s %s is supported", only[i][0],
                               only[i][1]);
    }
    return ASSAY_OK;
}

/* Points *out to the n floats of a tensor. Does nothing if *rc is a failure. */
static void find_tensor(const assay_model *m, const char *name, size_t n, const float **out, assay_status *rc,
                        assay_error *err)
{
    const char *info = member(m->header, name);
    size_t begin, end;
    if (*rc != ASSAY_OK) return;
    if (*info && strncmp(member(info, "dtype"), "\"F32\"", 5) != 0)
        *rc = engine_fail(err, ASSAY_EUNSUPPORTED, "%s: only tensors of type F32 are supported", name);
    else if (sscanf(member(info, "data_offsets"), "[%zu,%zu]", &begin, &end) != 2 || end > m->n_data ||
             begin > end || end - begin != n * sizeof(float) || begin % sizeof(float) != 0)
        *rc = engine_fail(err, ASSAY_EFORMAT, "%s: expected a tensor of %zu elements", name, n);
    else *out = (const float *)(const void *)(m->file + begin);
}

static void find_layer(assay_model *m, size_t i, assay_status *rc, assay_error *err)
{
    const size_t width = m->width, queries = m->n_heads * m->head_dim, keys = m->n_keys * m->head_dim;
    layer *l = &m->layers[i];
    const struct {
        const char *name;
        size_t n;
        const float **out;
    } tensors[] = {
        {"input_layernorm", width, &l->norm1},         {"self_attn.q_proj", queries * width, &l->q},
        {"self_attn.k_proj", keys * width, &l->k},     {"self_attn.v_proj", keys * width, &l->v},
        {"self_attn.o_proj", width * queries, &l->o},  {"post_attention_layernorm", width, &l->norm2},
        {"mlp.gate_proj", m->inner * width, &l->gate}, {"mlp.up_proj", m->inner * width, &l->up},
        {"mlp.down_proj", width * m->inner, &l->down}};
    for (size_t t = 0; t < sizeof tensors / sizeof *tensors; t++) {
        char name[96];
        (void)snprintf(name, sizeof name, "model.layers.%zu.%s.weight", i, tensors[t].name);
        find_tensor(m, name, tensors[t].n, tensors[t].out, rc, err);
    }
}

static assay_status read_config(assay_model *m, assay_error *err)
{
    const assay_status rc = check_config(m->config, err);
    if (rc != ASSAY_OK) return rc;
    m->vocab = size_of(m->config, "vocab_size", 0);
    m->width = size_of(m->config, "hidden_size", 0);
    m->inner = size_of(m->config, "intermediate_size", 0);
    m->n_layers = size_of(m->config, "num_hidden_layers", 0);
    m->n_heads = size_of(m->config, "num_attention_heads", 0);
    if (m->n_heads == 0)
        return engine_fail(err, ASSAY_EFORMAT, "config.json: num_attention_heads is missing");
    m->n_keys = size_of(m->config, "num_key_value_heads", (double)m->n_heads);
    m->head_dim = size_of(m->config, "head_dim", (double)(m->width / m->n_heads));
    m->epsilon = number(m->config, "rms_norm_eps", 1e-6);
    m->theta = number(m->config, "rope_theta", 10000);
    if (!m->vocab || !m->width || !m->inner || !m->n_layers || !m->n_keys || m->n_heads % m->n_keys ||
        m->head_dim == 0 || m->head_dim % 2)
        return engine_fail(err, ASSAY_EFORMAT, "config.json: a size is missing or out of range");
    m->layers = calloc(m->n_layers, sizeof *m->layers);
    return m->layers ? ASSAY_OK : engine_fail(err, ASSAY_ENOMEM, "out of memory");
}

static assay_status read_weights(assay_model *m, size_t n_file, assay_error *err)
{
    uint64_t n_header = 0;
    if (n_file >= 8) memcpy(&n_header, m->file, 8); /* little-endian */
    if (n_file < 8 || n_header > n_file - 8)
        return engine_fail(err, ASSAY_EFORMAT, "model.safetensors: the length of its header is invalid");
    m->header = calloc(n_header + 1, 1);
    if (!m->header) return engine_fail(err, ASSAY_ENOMEM, "out of memory");
    memcpy(m->header, m->file + 8, n_header);
    m->n_data = n_file - 8 - n_header;
    memmove(m->file, m->file + 8 + n_header, m->n_data); /* so that floats are aligned */
    assay_status rc = ASSAY_OK;
    find_tensor(m, "model.embed_tokens.weight", m->vocab * m->width, &m->embed, &rc, err);
    find_tensor(m, "model.norm.weight", m->width, &m->norm, &rc, err);
    m->head = m->embed; /* tied, unless there is a head and it is used */
    if (strncmp(member(m->config, "tie_word_embeddings"), "true", 4) != 0)
        find_tensor(m, "lm_head.weight", m->vocab * m->width, &m->head, &rc, err);
    for (size_t i = 0; i < m->n_layers; i++) find_layer(m, i, &rc, err);
    return rc;
}

void llama_free(assay_model *m)
{
    if (!m) return;
    free(m->config);
    free(m->file);
    free(m->header);
    free(m->layers);
    free(m);
}

assay_status llama_open(const char *dir, assay_model **out, assay_error *err)
{
    size_t n;
    if (!is_directory(dir))
        return engine_fail(err, ASSAY_EUNSUPPORTED, "only Hugging Face checkpoint directories are supported");
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return engine_fail(err, ASSAY_ENOMEM, "out of memory");
    m->config = read_file(dir, "config.json", &n);
    assay_status rc =
        m->config ? read_config(m, err) : engine_fail(err, ASSAY_EIO, "%s/config.json cannot be read", dir);
    if (rc == ASSAY_OK) m->file = read_file(dir, "model.safetensors", &n);
    if (rc == ASSAY_OK && !m->file)
        rc =
            engine_fail(err, ASSAY_EUNSUPPORTED, "%s: only one readable model.safetensors is supported", dir);
    if (rc == ASSAY_OK) rc = read_weights(m, n, err);
    if (rc == ASSAY_OK) *out = m;
    else llama_free(m);
    return rc;
}
