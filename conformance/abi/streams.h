/* Opens the streams table of an engine module. It is checked before any call.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_ABI_STREAMS_H
#define CONFORMANCE_ABI_STREAMS_H

#include <assay/stream.h>

/* Loads a module for the rest of the process. Fails with ASSAY_EIO if it cannot be loaded,
 * ASSAY_EUNSUPPORTED if it exports no streams table, ASSAY_EFORMAT if the table is not of this ABI. */
assay_status conf_streams_open(const char *path, const assay_streams **out, assay_error *err);

#endif
