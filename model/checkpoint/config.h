/* Reading the members of a config.json: typed, required or with the published class's default. Members that
 * are read are recorded; those that are left unread are refused by name, unless they are known to be harmless
 * (config_harmless.h) or the user allows them.
 *
 * Errors stick: after the first failure every further read returns zero and changes nothing, so a family
 * reads all that it needs and looks at `status` once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_CONFIG_H
#define MODEL_CHECKPOINT_CONFIG_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "model/numerics/rope.h"

/* Lines for a person: defaults taken, members that are ignored. Grows by config_note; freed as a whole.
 * incomplete: memory was short for a line; who reports them must fail with ASSAY_ENOMEM instead. */
typedef struct config_notes {
    char **line;
    size_t n, capacity;
    bool incomplete;
} config_notes;

typedef struct config {
    const char *path;    /* of the document, for messages */
    const char *prefix;  /* "" or "text_config." */
    json_object *object; /* borrowed */
    json_object *used;   /* members that were asked for; owned by config_end */
    config_notes *notes;
    struct config *parent; /* the reader of the object around this one, which fails with it; or NULL */
    /* What config_end goes by, set by the caller of config_begin, taken over by config_begin_inside. */
    const char *model_type; /* of the family, for config_is_harmless; NULL: this is no checkpoint's document,
                             * and messages do not name --allow-unknown */
    const char *const *allowed; /* members to ignore, with their prefix; NULL-terminated; or NULL */
    assay_status status;
    assay_error *err;
} config;

/* Starts reading object, which must be a JSON object (otherwise the error sticks at once). */
void config_begin(config *c, const char *path, const char *prefix, json_object *object, config_notes *notes,
                  assay_error *err);

/* The same for an object inside the one that parent reads: path, notes and err are the parent's, and a
 * failure of one is the failure of both. */
void config_begin_inside(config *c, config *parent, const char *prefix, json_object *object);

/* Frees what config_begin made, whatever was left unread. */
void config_drop(config *c);

/* Fails with ASSAY_EUNSUPPORTED for the first member that is neither null nor read nor harmless nor allowed;
 * notes those that are allowed; frees what config_begin made. Takes time in proportion to the members. */
void config_end(config *c);

/* The same for an object in which no member is harmless. reason: what the message says of the member, such as
 * "expected only group_size, bits and mode". */
void config_end_strict(config *c, const char *reason);

/* Fails unless something failed before. */
void config_fail(config *c, assay_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same about a member, or about an element of its list: "NAME[INDEX]: found VALUE, …", VALUE as the
 * document writes it. format: what follows, such as "expected a number above 0". */
void config_fail_member(config *c, assay_status status, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void config_fail_element(config *c, assay_status status, const char *name, size_t index, const char *format,
                         ...) __attribute__((format(printf, 5, 6)));
void config_note(config_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void config_notes_free(config_notes *notes);

/* The member, or NULL where it is absent or null. Marks it as used. */
json_object *config_member(config *c, const char *name);
bool config_has(config *c, const char *name);

/* Whether the member stands there as null, where that differs from being absent. */
bool config_is_null(config *c, const char *name);

/* Reads a config.json or generation_config.json, which may hold 2^17 values (members and elements of lists).
 */
assay_status config_read_document(const char *path, json_object **out, assay_error *err);

/* The limits of such a document. */
extern const json_limits config_document_limits;

/* How MLX stored a matrix: codes of so many bits, a scale and a bias for every group. bits 0: as numbers. */
typedef struct config_affine {
    size_t bits, group;
} config_affine;

/* The member `quantization` that mlx-lm writes: what holds for every module, and {path: what holds for it}.
 */
typedef struct config_quantization {
    json_object *modules; /* borrowed, checked; NULL: the document has none */
    config_affine standard;
} config_quantization;

#endif
