/* Opens the streams table of an engine module. It is checked before any call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_STREAMS_H
#define CONFORMANCE_ABI_STREAMS_H

#include <assay/stream.h>

/* Loads a module for the rest of the process. ASSAY_EIO where it cannot be loaded, ASSAY_EUNSUPPORTED where
 * it exports no streams, ASSAY_EFORMAT where its table is not one of this ABI. */
assay_status conf_streams_open(const char *path, const assay_streams **out, assay_error *err);

#endif
