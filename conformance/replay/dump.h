/* Writes an engine's answers as an observation, which `assay diff` reads. docs/observations.md has the
 * format.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_DUMP_H
#define CONFORMANCE_REPLAY_DUMP_H

#include "conformance/replay/state.h"

/* The file of a case's observation: dir/<engine>/<id>.h5, in which a part ".." of the id is "__". The caller
 * frees it; NULL: no memory. engine: a module's path or name. */
char *conf_dump_path(const char *dir, const char *engine, const char *id);

/* Writes the observation of a replay of kind logits or generate that has come to its end, and the directories
 * on the way to it; an older file is replaced as a whole.
 *   /observed/prefill  [B, T, V] and /observed/decode [B, N, V], where the case has a truth: in the engine's
 *                      type, NaN on padding
 *   /observed/tokens   int32 [B, M], where the case has greedy tokens: at each step what the engine would
 *                      generate, the expected token having been forced after each (attribute forced_tokens);
 *                      -1 where the stream has ended as expected, and where the logits decide nothing
 *   /observed/trace/…  the tensors that the case has and the engine gave, in the engine's type
 * Fails with ASSAY_EIO, naming the file. */
assay_status conf_dump_write(const char *path, const conf_replay *r, assay_error *err);

/* Removes the partial file of a process that was killed while it wrote that observation, if there is one. */
void conf_dump_discard(const char *dir, const char *engine, const char *id);

#endif
