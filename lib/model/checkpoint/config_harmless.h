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

/* Members that are harmless for one reason, in every document of a family, or of every family. */
typedef struct config_harmless_group {
    const char *reason;
    const config_harmless_member *member; /* [n], sorted by name */
    size_t n;
    const char *of; /* only in documents whose model_type begins so, such as those of a tower; NULL: in all */
} config_harmless_group;

/* The members `member` and `n` of a group, of a table. */
#define CONFIG_HARMLESS(table) .member = (table), .n = sizeof(table) / sizeof *(table)

/* The groups of all families; ends with NULL. */
extern const config_harmless_group *const config_harmless_of_all[];

/* Whether an unread member with this value leaves the logits as they are. of_family: the groups of the
 * family, which end with NULL; or NULL. model_type: that of the document or of the text_config that holds it;
 * NULL: only groups that hold for every document. */
bool config_is_harmless(const config_harmless_group *const *of_family, const char *model_type,
                        const char *name, json_object *value);

#endif
