/* SPDX-License-Identifier: Apache-2.0 */
#include "model/gguf/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"

enum { KEY_MAX = 160 };

/* Keys that every architecture may have. Names of members are those of config.json. */
static const struct common_key {
    const char *key, *member;
    bool is_real, is_required, is_of_heads; /* of heads: see has_own_heads */
} KEYS[] = {
    {"block_count", "num_hidden_layers", false, true, false},
    {"embedding_length", "hidden_size", false, true, false},
    {"context_length", "max_position_embeddings", false, true, false},
    {"attention.head_count", "num_attention_heads", false, true, false},
    {"feed_forward_length", "intermediate_size", false, true, true},
    {"attention.head_count_kv", "num_key_value_heads", false, false, true},
    {"attention.key_length", "head_dim", false, false, true},
    {"rope.freq_base", "rope_theta", true, false, true},
};

void gguf_config_fail(gguf_config *c, assay_status status, const char *format, ...)
{
    char reason[500];
    va_list args;
    if (c->status != ASSAY_OK) return;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    c->status = assay_fail(c->err, status, "%s: %s", gguf_path(c->file), reason);
}

void gguf_config_set(gguf_config *c, json_object *to, const char *member, json_object *value)
{
    if (value && json_object_object_add(to, member, value) == 0) return;
    json_object_put(value);
    gguf_config_fail(c, ASSAY_ENOMEM, "out of memory");
}

static const gguf_value *find(gguf_config *c, const char *key)
{
    char full[KEY_MAX];
    (void)snprintf(full, sizeof full, "%s.%s", c->architecture->name, key);
    const gguf_value *value = gguf_get(c->file, full);
    if (value) gguf_config_set(c, c->used, full, json_object_new_boolean(1));
    return value;
}

bool gguf_config_has(gguf_config *c, const char *key)
{
    return find(c, key) != NULL;
}

static const gguf_value *require(gguf_config *c, const char *key)
{
    const gguf_value *value = find(c, key);
    if (!value) gguf_config_fail(c, ASSAY_EFORMAT, "key %s.%s: missing", c->architecture->name, key);
    return value;
}

static void fail_kind(gguf_config *c, const char *key, const gguf_value *value, const char *expected)
{
    gguf_config_fail(c, ASSAY_EFORMAT, "key %s.%s: found %s%s, expected %s", c->architecture->name, key,
                     value->is_array ? "an array of " : "", gguf_kind_name(value->kind), expected);
}

size_t gguf_config_count_at(gguf_config *c, const char *key, size_t index)
{
    uint64_t number = 0;
    const gguf_value *value = require(c, key);
    if (!value) return 0;
    if (!value->is_array) index = 0;
    if (index >= value->count || !gguf_value_unsigned(value, index, &number) || number > INT32_MAX) {
        fail_kind(c, key, value, "an integer from 0 to 2147483647 for each layer");
        return 0;
    }
    return (size_t)number;
}

size_t gguf_config_count(gguf_config *c, const char *key)
{
    const size_t first = gguf_config_count_at(c, key, 0);
    const gguf_value *value = find(c, key);
    for (size_t i = 1; c->status == ASSAY_OK && i < value->count; i++) {
        const size_t other = gguf_config_count_at(c, key, i);
        if (c->status == ASSAY_OK && other != first)
            gguf_config_fail(c, ASSAY_EUNSUPPORTED,
                             "key %s.%s: found %zu and %zu, expected one number for all layers",
                             c->architecture->name, key, first, other);
    }
    return first;
}

double gguf_config_real(gguf_config *c, const char *key)
{
    double number = 0;
    const gguf_value *value = require(c, key);
    if (value && (value->is_array || !gguf_value_number(value, 0, &number)))
        fail_kind(c, key, value, "a number");
    return number;
}

bool gguf_config_flag_at(gguf_config *c, const char *key, size_t index)
{
    bool flag = false;
    const gguf_value *value = require(c, key);
    if (value && (index >= value->count || !gguf_value_bool(value, index, &flag)))
        fail_kind(c, key, value, "a truth value for each layer");
    return flag;
}

void gguf_config_take_count(gguf_config *c, const char *key, const char *member)
{
    if (gguf_config_has(c, key))
        gguf_config_set(c, c->root, member, json_object_new_int64((int64_t)gguf_config_count(c, key)));
}

void gguf_config_take_real(gguf_config *c, const char *key, const char *member)
{
    if (gguf_config_has(c, key))
        gguf_config_set(c, c->root, member, json_object_new_double(gguf_config_real(c, key)));
}

json_object *gguf_config_tensor(gguf_config *c, const char *name)
{
    const gguf_tensor *t = gguf_find(c->file, name);
    if (!t) return NULL;
    if (t->n_dims != 1 || strcmp(t->type->name, "F32") != 0) {
        gguf_config_fail(c, ASSAY_EFORMAT, "tensor '%s': found %s of %zu dimensions, expected F32 of one",
                         name, t->type->name, t->n_dims);
        return NULL;
    }
    json_object *list = json_object_new_array();
    for (size_t i = 0; list && i < t->ne[0]; i++) {
        double number;
        dtype_to_f64(&number, (const char *)t->data + i * sizeof(float), ASSAY_F32, 1);
        if (json_object_array_add(list, json_object_new_double(number)) != 0)
            gguf_config_fail(c, ASSAY_ENOMEM, "out of memory");
    }
    return list;
}

static void read_common(gguf_config *c)
{
    const char *layer_norm = c->architecture->layer_norm;
    const char *epsilon = layer_norm ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon";
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        const struct common_key *k = &KEYS[i];
        if (k->is_of_heads && c->architecture->has_own_heads) continue;
        if (k->is_required) (void)require(c, k->key);
        if (c->status != ASSAY_OK) return;
        if (k->is_real) gguf_config_take_real(c, k->key, k->member);
        else gguf_config_take_count(c, k->key, k->member);
    }
    (void)require(c, epsilon);
    gguf_config_take_real(c, epsilon, layer_norm ? layer_norm : "rms_norm_eps");
}

/* Rows of the embedding, and whether the head is another matrix. */
static void read_vocabulary(gguf_config *c)
{
    const gguf_tensor *t = gguf_find(c->file, "token_embd.weight");
    if (!t) gguf_config_fail(c, ASSAY_EFORMAT, "tensor 'token_embd.weight' is missing");
    if (c->status != ASSAY_OK) return;
    if (gguf_config_has(c, "vocab_size") && gguf_config_count(c, "vocab_size") != t->ne[1])
        gguf_config_fail(c, ASSAY_EFORMAT,
                         "key %s.vocab_size: found %zu, expected the %zu rows of token_embd.weight",
                         c->architecture->name, gguf_config_count(c, "vocab_size"), t->ne[1]);
    gguf_config_set(c, c->root, "vocab_size", json_object_new_int64((int64_t)t->ne[1]));
    gguf_config_set(c, c->root, "tie_word_embeddings",
                    json_object_new_boolean(gguf_find(c->file, "output.weight") == NULL));
}

/* Members that the metadata do not have: a tensor of the first layer says so. */
static void read_biases(gguf_config *c)
{
    static const struct {
        const char *tensor, *member;
    } BIASES[] = {{"blk.0.attn_q.bias", "attention_bias"},
                  {"blk.0.attn_qkv.bias", "attention_bias"},
                  {"blk.0.ffn_down.bias", "mlp_bias"}};
    for (size_t i = 0; !c->architecture->has_own_biases && i < sizeof BIASES / sizeof *BIASES; i++)
        if (gguf_find(c->file, BIASES[i].tensor))
            gguf_config_set(c, c->root, BIASES[i].member, json_object_new_boolean(true));
}

static void expect_count(gguf_config *c, const char *key, size_t expected)
{
    if (!gguf_config_has(c, key)) return;
    const size_t found = gguf_config_count(c, key);
    if (c->status == ASSAY_OK && found != expected)
        gguf_config_fail(c, ASSAY_EUNSUPPORTED, "key %s.%s: found %zu, expected %zu", c->architecture->name,
                         key, found, expected);
}

/* Values have the size of keys; a rope turns all of a head, or a part of it. */
static void read_heads(gguf_config *c)
{
    const size_t hidden = gguf_config_count(c, "embedding_length"),
                 n = gguf_config_count(c, "attention.head_count");
    if (c->status != ASSAY_OK) return;
    if (n == 0) {
        gguf_config_fail(c, ASSAY_EFORMAT, "key %s.attention.head_count: found 0", c->architecture->name);
        return;
    }
    const size_t head = gguf_config_has(c, "attention.key_length")
                            ? gguf_config_count(c, "attention.key_length")
                            : hidden / n;
    expect_count(c, "attention.value_length", head);
    if (!gguf_config_has(c, "rope.dimension_count") || head == 0) return;
    const size_t turned = gguf_config_count(c, "rope.dimension_count");
    if (c->status == ASSAY_OK) /* 1, too: it is not the default of every published class */
        gguf_config_set(c, c->root, "partial_rotary_factor",
                        json_object_new_double((double)turned / (double)head));
}

/* rope.scaling.*: linear and yarn; the factors of longrope are tensors, which the architecture reads. */
static void read_scaling(gguf_config *c)
{
    static const struct {
        const char *key, *member;
    } YARN[] = {{"rope.scaling.yarn_beta_fast", "beta_fast"},
                {"rope.scaling.yarn_beta_slow", "beta_slow"},
                {"rope.scaling.yarn_attn_factor", "attention_factor"}};
    char type[32] = "none";
    const gguf_value *value = find(c, "rope.scaling.type");
    if (!value) return;
    assay_text text = {0};
    gguf_texts texts = gguf_value_texts(value);
    if (value->kind != GGUF_TEXT || value->is_array || !gguf_texts_next(&texts, &text)) {
        fail_kind(c, "rope.scaling.type", value, "a string");
        return;
    }
    (void)snprintf(type, sizeof type, "%.*s", (int)(text.n < sizeof type - 1 ? text.n : sizeof type - 1),
                   text.at);
    if (strcmp(type, "none") == 0 || strcmp(type, "longrope") == 0) return;
    if (strcmp(type, "linear") != 0 && strcmp(type, "yarn") != 0) {
        gguf_config_fail(c, ASSAY_EUNSUPPORTED,
                         "key %s.rope.scaling.type: found \"%s\", expected none, linear, yarn or longrope",
                         c->architecture->name, type);
        return;
    }
    json_object *scaling = json_object_new_object();
    gguf_config_set(c, scaling, "rope_type", json_object_new_string(type));
    gguf_config_set(c, scaling, "factor", json_object_new_double(gguf_config_real(c, "rope.scaling.factor")));
    if (gguf_config_has(c, "rope.scaling.original_context_length"))
        gguf_config_set(
            c, scaling, "original_max_position_embeddings",
            json_object_new_int64((int64_t)gguf_config_count(c, "rope.scaling.original_context_length")));
    for (size_t i = 0; i < sizeof YARN / sizeof *YARN; i++)
        if (gguf_config_has(c, YARN[i].key))
            gguf_config_set(c, scaling, YARN[i].member,
                            json_object_new_double(gguf_config_real(c, YARN[i].key)));
    gguf_config_set(c, c->root, "rope_scaling", scaling);
}

/* Divisors of the inverse frequencies, which a converter has made of a scaling of type llama3. */
static void read_divisors(gguf_config *c)
{
    json_object *factors = c->architecture->has_own_heads ? NULL : gguf_config_tensor(c, "rope_freqs.weight");
    if (!factors) return;
    json_object *scaling = json_object_new_object();
    gguf_config_set(c, scaling, "rope_type", json_object_new_string("longrope"));
    gguf_config_set(c, scaling, "factor", json_object_new_double(1));
    gguf_config_set(c, scaling, "attention_factor", json_object_new_double(1));
    gguf_config_set(c, scaling, "original_max_position_embeddings",
                    json_object_new_int64((int64_t)gguf_config_count(c, "context_length")));
    gguf_config_set(c, scaling, "short_factor", json_object_get(factors));
    gguf_config_set(c, scaling, "long_factor", factors);
    gguf_config_set(c, c->root, "rope_scaling", scaling);
}

/* Fails for the first key of the architecture that nothing has read. */
static void check_unread(gguf_config *c)
{
    const size_t n = strlen(c->architecture->name);
    for (size_t i = 0; c->status == ASSAY_OK && i < gguf_n_keys(c->file); i++) {
        const assay_text key = gguf_key_at(c->file, i);
        char name[KEY_MAX];
        if (key.n <= n || memcmp(key.at, c->architecture->name, n) != 0 || key.at[n] != '.') continue;
        (void)snprintf(name, sizeof name, "%.*s", (int)(key.n < KEY_MAX - 1 ? key.n : KEY_MAX - 1), key.at);
        if (!json_object_object_get_ex(c->used, name, NULL))
            gguf_config_fail(c, ASSAY_EUNSUPPORTED,
                             "key %s: found, which is not understood and may change the mathematics", name);
    }
}

assay_status gguf_config_make(const gguf *file, const gguf_architecture *architecture, const char *model_type,
                              json_object **out, assay_error *err)
{
    gguf_config c = {.file = file,
                     .architecture = architecture,
                     .root = json_object_new_object(),
                     .used = json_object_new_object(),
                     .err = err};
    gguf_config_set(&c, c.root, "model_type", json_object_new_string(model_type));
    read_common(&c);
    read_vocabulary(&c);
    read_biases(&c);
    if (c.status == ASSAY_OK && !architecture->has_own_heads) read_heads(&c);
    if (c.status == ASSAY_OK) read_scaling(&c);
    if (c.status == ASSAY_OK) read_divisors(&c);
    if (c.status == ASSAY_OK && architecture->more) architecture->more(&c);
    check_unread(&c);
    json_object_put(c.used);
    if (c.status == ASSAY_OK) *out = c.root;
    else json_object_put(c.root);
    return c.status;
}
