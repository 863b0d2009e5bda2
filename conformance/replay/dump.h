/* Writes an engine's answers as an observation for `assay diff`. observatory/observations.md specifies the
 * format.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_DUMP_H
#define CONFORMANCE_REPLAY_DUMP_H

#include "conformance/replay/state.h"

/* The path of a case's observation: dir/<engine>/<id>.h5, with "__" for each component ".." of the id.
 * engine: a module's path or name. The caller frees the path; NULL if out of memory. */
char *conf_dump_path(const char *dir, const char *engine, const char *id);

/* Writes the observation of a completed replay of kind logits or generate. Creates missing directories;
 * an existing file is replaced atomically.
 *   /observed/prefill  [B, T, V], or [R, V] if the case lists its rows, and /observed/decode
 *                      [B, N, V], if the case has a truth: in the engine's type, NaN on padding
 *   /observed/tokens   int32 [B, M], if the case has greedy tokens: the token that the engine generates
 *                      at each step, with the expected tokens forced before (attribute forced_tokens);
 *                      -1 after the expected end, and where the logits determine no token
 *   /observed/trace/…  the traced tensors that the case has, in the engine's type
 * name: what it calls the case. Fails with ASSAY_EIO, naming the file, or ASSAY_ENOMEM. */
assay_status conf_dump_write(const char *path, const char *name, const conf_replay *r, assay_error *err);

/* Removes the partial file, if any, that a killed process left while it wrote this observation: of a case and
 * an engine (conf_dump_path), or at `path`. */
void conf_dump_discard(const char *dir, const char *engine, const char *id);
void conf_dump_discard_at(const char *path);

#endif
