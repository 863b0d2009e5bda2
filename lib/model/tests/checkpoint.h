/* Bundled checkpoints, and copies of them that differ in one member of their config.json. Found below
 * $top_srcdir/fixtures. A failure fails the test.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_TESTS_CHECKPOINT_H
#define MODEL_TESTS_CHECKPOINT_H

#include <json-c/json.h>

#include "model/plan/plan.h"

/* The directory of a fixture's checkpoint ("llama/base"); to be freed. */
char *checkpoint_fixture(const char *name);

/* A new directory with the fixture's config, changed at the dotted path to a JSON value (NULL removes the
 * member; path NULL changes nothing), and with links to its weights. Lives as long as the process. */
const char *checkpoint_changed(const char *name, const char *path, const char *value);

/* The same, and one more member removed; NULL: none. */
const char *checkpoint_changed_without(const char *name, const char *path, const char *value,
                                       const char *without);

/* Expects that the checkpoint of checkpoint_changed is refused with this status and a text that holds its
 * directory, `text` and `other`. */
void checkpoint_expect_refusal(const char *name, const char *path, const char *value, assay_status status,
                               const char *text, const char *other);

/* Makes a checkpoint like the fixture, with members added to its config, or to the object at the dotted path
 * `inside`; those that it has are replaced. members: a JSON object. */
const char *checkpoint_extended(const char *name, const char *inside, const char *members);

/* Makes a checkpoint with the weights of the fixture and another config. */
const char *checkpoint_with_config(const char *name, json_object *config);

/* The plan of a directory, or of a fixture; to be freed. */
plan *checkpoint_open(const char *dir);
plan *checkpoint_open_fixture(const char *name);

/* The text of a plan without its first line, which names the directory; the caller frees it. */
char *checkpoint_text(const plan *p);

/* Expects that both plans have the same text. before_head: NULL, or a prefix that found's head may have. */
void checkpoint_expect_plan(const plan *found, const plan *wanted, const char *before_head);

#endif
