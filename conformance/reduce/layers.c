/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/layers.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/json.h"
#include "conformance/reduce/folder.h"
#include "gguf/container.h"
#include "model/checkpoint/config.h"
#include "model/checkpoint/safetensors.h"
#include "model/checkpoint/weights.h"
#include "model/source.h"

#define COUNT   "num_hidden_layers"
#define CONFIG  "config.json"
#define WEIGHTS "model.safetensors"

/* The object that has the number of layers: the document, or its text_config. NULL: none has. */
static json_object *find_settings(json_object *document)
{
    json_object *text = NULL;
    if (json_object_object_get_ex(document, "text_config", &text) &&
        json_object_object_get_ex(text, COUNT, NULL))
        return text;
    return json_object_object_get_ex(document, COUNT, NULL) ? document : NULL;
}

static size_t count_layers(json_object *settings)
{
    json_object *n = settings ? json_object_object_get(settings, COUNT) : NULL;
    const int64_t value = json_object_is_type(n, json_type_int) ? json_object_get_int64(n) : 0;
    return value > 0 && value < INT_MAX ? (size_t)value : 0;
}

size_t conf_layers_count(const char *model)
{
    json_object *document = NULL;
    assay_error none = {0};
    if (gguf_is_file(model) || source_config(model, &document, &none) != ASSAY_OK) return 0;
    const size_t n = count_layers(find_settings(document));
    (void)json_object_put(document);
    return n;
}

/* The text must be written whole. */
static assay_status write_text(const char *path, const char *text, size_t n, assay_error *err)
{
    FILE *f = fopen(path, "wbx");
    const bool ok = f && fwrite(text, 1, n, f) == n;
    if ((f && fclose(f) != 0) || !ok)
        return assay_fail(err, ASSAY_EIO, "%s: cannot be written: %s", path, strerror(errno));
    return ASSAY_OK;
}

static assay_status cut_config(const char *model, size_t n, const char *to, assay_error *err)
{
    char path[PATH_MAX];
    json_object *document = NULL;
    (void)snprintf(path, sizeof path, "%s/" CONFIG, model);
    assay_status rc = config_read_document(path, &document, err);
    if (rc != ASSAY_OK) return rc;
    json_object *settings = find_settings(document);
    const size_t n_layers = count_layers(settings);
    if (n_layers > n) {
        json_object_object_foreach(settings, name, value)
        {
            (void)name;
            if (json_object_is_type(value, json_type_array) && json_object_array_length(value) == n_layers)
                (void)json_object_array_del_idx(value, n, n_layers - n);
        }
        (void)json_object_object_add(settings, COUNT, json_object_new_int64((int64_t)n));
    }
    const char *text = json_object_to_json_string_ext(document, JSON_C_TO_STRING_PRETTY);
    (void)snprintf(path, sizeof path, "%s/" CONFIG, to);
    rc = write_text(path, text, strlen(text), err);
    (void)json_object_put(document);
    return rc;
}

/* The layer of the language model to which a tensor belongs; SIZE_MAX: none. */
static size_t layer_of(const char *name)
{
    static const char *const towers[] = {"vision", "visual", "audio", "encoder"};
    static const char marker[] = "layers.";
    const char *at = strstr(name, marker);
    for (size_t i = 0; i < sizeof towers / sizeof *towers; i++)
        if (strstr(name, towers[i])) return SIZE_MAX;
    if (!at || (at > name && at[-1] != '.')) return SIZE_MAX;
    at += sizeof marker - 1;
    return *at >= '0' && *at <= '9' ? (size_t)strtoul(at, NULL, 10) : SIZE_MAX;
}

static bool is_kept(const assay_tensor *t, size_t n)
{
    const size_t layer = layer_of(t->name);
    return layer == SIZE_MAX || layer < n;
}

/* The header of a safetensors file with the kept tensors; the caller owns it. NULL: out of memory. */
static json_object *make_header(const weights *w, size_t n)
{
    json_object *header = json_object_new_object(), *about = json_object_new_object();
    size_t offset = 0;
    (void)json_object_object_add(about, "format", json_object_new_string("pt"));
    (void)json_object_object_add(header, "__metadata__", about);
    for (size_t i = 0; i < weights_count(w); i++) {
        const assay_tensor *t = weights_at(w, i);
        if (!is_kept(t, n)) continue;
        json_object *one = json_object_new_object(), *shape = json_object_new_array();
        json_object *offsets = json_object_new_array();
        for (size_t k = 0; k < t->rank; k++)
            (void)json_object_array_add(shape, json_object_new_int64((int64_t)t->shape[k]));
        (void)json_object_array_add(offsets, json_object_new_int64((int64_t)offset));
        offset += safetensors_bytes(t);
        (void)json_object_array_add(offsets, json_object_new_int64((int64_t)offset));
        (void)json_object_object_add(one, "dtype", json_object_new_string(dtype_name(t->dtype)));
        (void)json_object_object_add(one, "shape", shape);
        (void)json_object_object_add(one, "data_offsets", offsets);
        (void)json_object_object_add(header, t->name, one);
    }
    return header;
}

/* Writes the header and the data of the kept tensors. */
static assay_status write_weights(const weights *w, size_t n, const char *path, assay_error *err)
{
    json_object *header = make_header(w, n);
    FILE *f = fopen(path, "wbx");
    const char *text = json_object_to_json_string_ext(header, JSON_C_TO_STRING_PLAIN);
    bool ok = f && header && text;
    const uint64_t n_text = ok ? strlen(text) : 0;
    unsigned char size[8];
    for (size_t i = 0; i < sizeof size; i++) size[i] = (unsigned char)(n_text >> 8 * i);
    ok = ok && fwrite(size, 1, sizeof size, f) == sizeof size && fwrite(text, 1, n_text, f) == n_text;
    for (size_t i = 0; i < weights_count(w) && ok; i++) {
        const assay_tensor *t = weights_at(w, i);
        const size_t n_bytes = safetensors_bytes(t);
        ok = !is_kept(t, n) || fwrite(t->data, 1, n_bytes, f) == n_bytes;
    }
    const bool closed = f && fclose(f) == 0;
    (void)json_object_put(header);
    return ok && closed ? ASSAY_OK
                        : assay_fail(err, ASSAY_EIO, "%s: cannot be written: %s", path, strerror(errno));
}

static assay_status cut_weights(const char *model, size_t n, const char *to, assay_error *err)
{
    char path[PATH_MAX];
    weights *w = NULL;
    size_t n_bytes = 0, n_left_out = 0;
    assay_status rc = weights_open(model, &w, err);
    if (rc != ASSAY_OK) return rc;
    for (size_t i = 0; i < weights_count(w); i++) {
        n_bytes += safetensors_bytes(weights_at(w, i));
        n_left_out += !is_kept(weights_at(w, i), n);
    }
    if (n_left_out == 0)
        rc = assay_fail(err, ASSAY_EUNSUPPORTED, "%s: no tensor is named as one of a layer to leave out",
                        model);
    else if (n_bytes > CONF_LAYERS_BYTES_MAX)
        rc =
            assay_fail(err, ASSAY_EUNSUPPORTED, "%s: has %zu bytes of tensors; at most %zu are written again",
                       model, n_bytes, CONF_LAYERS_BYTES_MAX);
    (void)snprintf(path, sizeof path, "%s/" WEIGHTS, to);
    if (rc == ASSAY_OK) rc = write_weights(w, n, path, err);
    weights_free(w);
    return rc;
}

assay_status conf_layers_cut(const char *model, size_t n, const char *to, assay_error *err)
{
    assay_status rc = conf_folder_link_others(to, model, err);
    if (rc == ASSAY_OK) rc = cut_config(model, n, to, err);
    return rc == ASSAY_OK ? cut_weights(model, n, to, err) : rc;
}
