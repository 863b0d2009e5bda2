/* Optional functions of the engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLE_OPTIONAL_H
#define EXAMPLE_OPTIONAL_H

#include <assay/engine.h>

#include <stddef.h>

assay_status optional_join(assay_session *s, size_t *sample, assay_error *err);
assay_status optional_leave(assay_session *s, size_t sample, assay_error *err);
assay_status optional_rewind(assay_session *s, size_t sample, size_t n_tokens, assay_error *err);
assay_status optional_fork(const assay_session *from, size_t sample, assay_session *into, size_t *forked,
                           assay_error *err);
assay_status optional_tap(assay_session *s, const assay_tap *tap, assay_error *err);

#endif
