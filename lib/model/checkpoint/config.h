/* Reading the members of a config.json: typed, required or with the published class's default. Members that
 * are read are recorded; an unread member is refused by name, unless it is known to be harmless
 * (config_harmless.h) or the user allows it.
 *
 * Errors stick: after the first failure every further read returns zero and changes nothing, so a family
 * reads all its members and checks `status` once.
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
 * incomplete: the allocation of a line failed; a function that reports the notes must fail with ASSAY_ENOMEM
 * instead. */
typedef struct config_notes {
    char **line;
    size_t n;
    bool incomplete;
} config_notes;

typedef struct config {
    const char *path;    /* of the document, for messages */
    const char *prefix;  /* "" or "text_config." */
    json_object *object; /* borrowed */
    json_object *used;   /* members that have been read; freed by config_end */
    config_notes *notes;
    struct config *parent; /* the reader of the object around this one, which fails with it; or NULL */
    /* Read by config_end; set by the caller of config_begin, copied from the parent by config_begin_inside.
     */
    const char *model_type; /* of the family, for config_is_harmless; NULL: this is no checkpoint's document,
                             * and messages do not name --allow-unknown */
    const struct config_harmless_group *const *harmless; /* of the family, which end with NULL; or NULL */
    const char *const *allowed; /* members to ignore, with their prefix; NULL-terminated; or NULL */
    assay_status status;
    assay_error *err;
} config;

/* Starts reading object, which must be a JSON object (otherwise the reader fails). */
void config_begin(config *c, const char *path, const char *prefix, json_object *object, config_notes *notes,
                  assay_error *err);

/* The same for an object inside the one that parent reads: path, notes and err are the parent's, and a
 * failure of one is the failure of both. */
void config_begin_inside(config *c, config *parent, const char *prefix, json_object *object);

/* The same for the member of parent that has the name of the prefix ("text_config."). If it is absent, both
 * fail, and reading c gives what a reader gives that has failed. Returns whether it is there. */
bool config_begin_member(config *c, config *parent, const char *prefix);

/* Frees what config_begin allocated, without checking for unread members. */
void config_drop(config *c);

/* Fails with ASSAY_EUNSUPPORTED for the first member that is neither null nor read nor harmless nor allowed;
 * notes the allowed ones; frees what config_begin allocated. Takes time linear in the number of members. */
void config_end(config *c);

/* The same for an object in which no member is harmless. reason: the text of the message about the member,
 * such as "expected only group_size, bits and mode". */
void config_end_strict(config *c, const char *reason);

/* Sets the error, unless one is set already. */
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

/* The member, or NULL if it is absent or null. Marks it as used. */
json_object *config_member(config *c, const char *name);
bool config_has(config *c, const char *name);

/* The major version of the transformers that saved the outermost document, as its transformers_version says;
 * 0: it does not. Where two members contradict, classes of another major version may read the other one. */
unsigned long config_writer(const config *c);

/* Whether the member is present and null, for members where null differs from absent. */
bool config_is_null(config *c, const char *name);

/* Reads a config.json or generation_config.json: an object, which may hold 2^17 values (members and elements
 * of lists). Fails as json_read does, and with ASSAY_EFORMAT if it is none, or as token_ids_check does. */
assay_status config_read_document(const char *path, json_object **out, assay_error *err);

/* What config_read_document checks of a parsed document. ASSAY_EFORMAT, with `path`. */
assay_status config_check_document(const char *path, json_object *document, assay_error *err);

/* Size limits of a config.json. */
extern const json_limits config_document_limits;

#endif
