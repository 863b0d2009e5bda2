/* The seeds of a target, in one archive, fuzz/seeds/TARGET.jsonl: JSON lines (base/json_lines.h) of objects
 * with "name", and "bytes" or "bytes_base64" (base/json_bytes.h), in ascending order of the names' bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_SEEDS_H
#define FUZZ_SEEDS_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called with a seed; name and bytes [n] are borrowed, bytes is an allocation of this size. */
typedef void fuzz_take_seed(void *context, const char *name, const uint8_t *bytes, size_t n);

/* Writes the path of the target's archive in the source tree ($top_srcdir, otherwise where it was compiled).
 */
void fuzz_seeds_path(const char *target, char *path, size_t size);

/* Calls take with each seed, in order, until a line is damaged. Fails as json_lines_next does, and with
 * ASSAY_EFORMAT, naming the file, the line and the member. */
assay_status fuzz_seeds_read(const char *path, fuzz_take_seed *take, void *context, assay_error *err);

/* Whether a seed can have this name: it becomes the name of a file that is not hidden. */
bool fuzz_seed_name_is(const char *name);

/* Aborts unless the target has the seed; writes it into fuzz_directory under its name. The path is
 * overwritten by the next call of fuzz_write. */
const char *fuzz_seed_write(const char *target, const char *name);

#endif
