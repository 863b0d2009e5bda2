/* The members `*_token_id` of config.json and generation_config.json. The published classes refuse a list in
 * most of them, and none of Assay's families reads all of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_TOKEN_IDS_H
#define MODEL_CHECKPOINT_TOKEN_IDS_H

#include <assay/status.h>

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>

/* Reads an id that may end a stream, the value of `member` or an element of its list. Fails with
 * ASSAY_EFORMAT unless it is an integer from 0 to INT32_MAX. */
assay_status token_id_read(const char *path, const char *member, json_object *value, int32_t *out,
                           assay_error *err);

/* Fails with ASSAY_EUNSUPPORTED if a list has more than TOKEN_IDS_MAX ids. */
assay_status token_ids_count(const char *path, const char *member, size_t n, assay_error *err);
#define TOKEN_IDS_MAX 65536

/* Checks each member of a document, at any depth, whose name ends with "_token_id": null, or an integer from
 * -1 (a published spelling of none) to INT32_MAX; eos_token_id, forced_eos_token_id and
 * decoder_start_token_id: null, an id as token_id_read takes it, or a list of such ids. path: of the
 * document, for messages; document: an object. Fails with ASSAY_EFORMAT, or as token_ids_count does. */
assay_status token_ids_check(const char *path, json_object *document, assay_error *err);

#endif
