/* Members of a config.json that no family reads and that do not affect anything that Assay computes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_CONFIG_HARMLESS_H
#define MODEL_CHECKPOINT_CONFIG_HARMLESS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct config_harmless_member {
    const char *name;
    const char *value; /* the only harmless one, as JSON; NULL: any. null is harmless everywhere */
} config_harmless_member;

typedef struct config_harmless_group {
    const char *reason;                   /* why its members are harmless */
    const char *families;                 /* beginning of the model types that it holds for; NULL: all */
    const config_harmless_member *member; /* [n], sorted by name */
    size_t n;
} config_harmless_group;

typedef struct config_harmless_table {
    const config_harmless_group *group; /* [n] */
    size_t n;
} config_harmless_table;

extern const config_harmless_table config_harmless_of_all, config_harmless_of_families;

/* Whether an unread member with this value leaves the logits as they are. model_type: that of the document or
 * of the text_config that holds it; NULL: only groups that hold for all. */
bool config_is_harmless(const char *model_type, const char *name, json_object *value);

#endif
