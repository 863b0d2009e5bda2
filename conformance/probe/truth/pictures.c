/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/truth/pictures.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/json_lines.h"
#include "conformance/judge/noise.h"
#include "conformance/support/json_at.h"

#define LINES_MOST   ((size_t)1 << 20) /* bytes of conversations.jsonl */
#define PICTURE_MOST ((size_t)16 << 20)

enum { TOKENS_MOST = 1 << 16, VALUES_MOST = 1 << 17 }; /* of one line */

/* A line of the file. at: the document, whose name is place. image: NULL if it has none. decided: every
 * margin exceeds twice the bound of the claimed type. Texts are borrowed from the document. */
typedef struct line {
    json_object *document;
    conf_json_at at;
    char *place; /* "dir/conversations.jsonl, line 2" */
    const char *image, *text, *prompt;
    int64_t n_prompt, n_answer;
    buffer answer;
    bool decided;
} line;

typedef struct lines {
    line *at; /* [n] */
    size_t n;
} lines;

static void free_lines(lines *all)
{
    for (size_t i = 0; i < all->n; i++) {
        json_object_put(all->at[i].document);
        free(all->at[i].place);
        buffer_free(&all->at[i].answer);
    }
    free(all->at);
}

static assay_status read_answer(line *l, const probe_vocab *vocab, assay_error *err)
{
    conf_json_at list;
    assay_status rc = conf_json_member(&l->at, "ids", json_type_array, &list, err);
    const size_t n = rc == ASSAY_OK ? json_object_array_length(list.value) : 0;
    int32_t *ids = calloc(n + 1, sizeof *ids);
    if (!ids) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", l->place);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const conf_json_at one = conf_json_element(&list, i);
        int64_t id = 0;
        rc = conf_json_whole(&one, 0, INT32_MAX, &id, err);
        ids[i] = (int32_t)id;
    }
    if (rc == ASSAY_OK) rc = probe_vocab_decode(vocab, ids, n, true, &l->answer, err);
    free(ids);
    return rc;
}

static assay_status read_real(const conf_json_at *object, const char *name, double *out, assay_error *err)
{
    conf_json_at at;
    if (!conf_json_find(object, name, &at)) return conf_json_fail(object, err, "found no %s", name);
    if (!json_object_is_type(at.value, json_type_double) && !json_object_is_type(at.value, json_type_int))
        return conf_json_fail(&at, err, "expected a number");
    *out = json_object_get_double(at.value);
    return ASSAY_OK;
}

static assay_status read_margin(line *l, const char *noise, assay_error *err)
{
    conf_json_at noises;
    double margin = 0, distance = 0;
    assay_status rc = read_real(&l->at, "margin", &margin, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&l->at, "noise", json_type_object, &noises, err);
    if (rc == ASSAY_OK) rc = read_real(&noises, noise, &distance, err);
    l->decided = rc == ASSAY_OK && margin > 2 * CONF_NOISE_MULTIPLE * distance;
    return rc;
}

/* The name of a PNG file in the same directory. */
static assay_status read_name(line *l, const conf_json_at *image, assay_error *err)
{
    assay_status rc = conf_json_text(image, &l->image, err);
    if (rc != ASSAY_OK) return rc;
    const size_t n = strlen(l->image);
    if (n > 4 && strcmp(l->image + n - 4, ".png") == 0 && !strchr(l->image, '/')) return ASSAY_OK;
    return conf_json_fail(image, err, "found %s, expected the name of a .png file in this directory",
                          l->image);
}

static assay_status read_line(line *l, const char *noise, const probe_vocab *vocab, assay_error *err)
{
    conf_json_at image;
    assay_status rc = conf_json_expect(&l->at, json_type_object, err);
    if (rc != ASSAY_OK || !conf_json_find(&l->at, "image", &image)) return rc;
    rc = read_name(l, &image, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(&l->at, "text", &l->text, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(&l->at, "prompt", &l->prompt, err);
    if (rc == ASSAY_OK)
        rc = conf_json_member_whole(&l->at, "prompt_tokens", 1, TOKENS_MOST, &l->n_prompt, err);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(&l->at, "max_tokens", 1, TOKENS_MOST, &l->n_answer, err);
    if (rc == ASSAY_OK) rc = read_margin(l, noise, err);
    return rc == ASSAY_OK ? read_answer(l, vocab, err) : rc;
}

/* Takes the document. */
static assay_status add_line(lines *all, const char *place, json_object *document, assay_error *err)
{
    line *grown = grow_by_one(all->at, all->n, sizeof *grown);
    char *name = strdup(place);
    if (grown) all->at = grown;
    if (!grown || !name) {
        json_object_put(document);
        free(name);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", place);
    }
    all->at[all->n++] = (line){.document = document, .place = name, .at = {.name = name, .value = document}};
    return ASSAY_OK;
}

static assay_status read_lines(const char *path, lines *all, assay_error *err)
{
    static const json_limits limits = {LINES_MOST, VALUES_MOST};
    json_lines *file;
    bool more = true;
    assay_status rc = json_lines_open(path, &limits, &file, err);
    if (rc != ASSAY_OK) return rc;
    while (rc == ASSAY_OK && more) {
        json_object *document = NULL;
        rc = json_lines_next(file, &document, &more, err);
        if (rc == ASSAY_OK && more) rc = add_line(all, json_lines_place(file), document, err);
        if (rc == ASSAY_OK && json_lines_tell(file).offset > LINES_MOST)
            rc = assay_fail(err, ASSAY_EUNSUPPORTED, "%s: found more bytes, expected at most %zu", path,
                            LINES_MOST);
    }
    json_lines_close(file);
    return rc;
}

static assay_status read_picture(const char *dir, line *l, probe_picture *out, assay_error *err)
{
    char *path = NULL, *bytes = NULL;
    size_t n = 0;
    if (asprintf(&path, "%s/%s", dir, l->image) < 0) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    assay_status rc = file_read(path, PICTURE_MOST, &bytes, &n, err);
    if (rc == ASSAY_OK) {
        out->name = strdup(l->image);
        if (!base64_append(&out->base64, bytes, n) || !out->name)
            rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
        out->answer = l->answer;
        l->answer = (buffer){0};
    }
    free(bytes);
    free(path);
    return rc;
}

static bool same_bytes(const buffer *a, const buffer *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->data, b->data, a->n) == 0);
}

/* Whether the prompts have the same tokens, and the answers are decided and differ. */
static bool are_twins(const line *a, const line *b)
{
    return a->image && b->image && strcmp(a->image, b->image) != 0 && strcmp(a->text, b->text) == 0 &&
           strcmp(a->prompt, b->prompt) == 0 && a->n_prompt == b->n_prompt && a->n_answer == b->n_answer &&
           a->decided && b->decided && !same_bytes(&a->answer, &b->answer);
}

static assay_status find_twins(const char *dir, lines *all, probe_pictures *out, assay_error *err)
{
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = i + 1; k < all->n; k++) {
            line *a = &all->at[i], *b = &all->at[k];
            if (!are_twins(a, b)) continue;
            out->n_prompt = (size_t)a->n_prompt;
            out->n_answer = (size_t)a->n_answer;
            out->text = strdup(a->text);
            const assay_status rc = out->text ? read_picture(dir, a, &out->of[0], err)
                                              : assay_fail(err, ASSAY_ENOMEM, "out of memory");
            return rc == ASSAY_OK ? read_picture(dir, b, &out->of[1], err) : rc;
        }
    (void)snprintf(
        out->why, sizeof out->why,
        "conversations.jsonl has no two pictures whose prompts have the same tokens, and whose answers "
        "differ beyond the noise");
    return ASSAY_OK;
}

assay_status probe_pictures_read(const char *dir, const char *noise, const probe_vocab *vocab,
                                 probe_pictures *out, assay_error *err)
{
    char *path = NULL;
    lines all = {0};
    assay_status rc = ASSAY_OK;
    *out = (probe_pictures){0};
    if (asprintf(&path, "%s/conversations.jsonl", dir) < 0)
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (access(path, F_OK) != 0)
        (void)snprintf(out->why, sizeof out->why, "the truth has no pictures: no conversations.jsonl");
    else if (!noise)
        (void)snprintf(out->why, sizeof out->why, "no noise of the claimed type is recorded with pictures");
    else rc = read_lines(path, &all, err);
    for (size_t i = 0; i < all.n && rc == ASSAY_OK; i++) rc = read_line(&all.at[i], noise, vocab, err);
    if (rc == ASSAY_OK && !out->why[0]) rc = find_twins(dir, &all, out, err);
    free_lines(&all);
    free(path);
    return rc;
}

void probe_pictures_free(probe_pictures *pictures)
{
    free(pictures->text);
    for (size_t i = 0; i < 2; i++) {
        free(pictures->of[i].name);
        buffer_free(&pictures->of[i].base64);
        buffer_free(&pictures->of[i].answer);
    }
    *pictures = (probe_pictures){0};
}
