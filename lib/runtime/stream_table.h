/* The table that engines export as assay_streams_v1: runtime/stream and runtime/array as the functions of
 * include/assay/stream.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_STREAM_TABLE_H
#define RUNTIME_STREAM_TABLE_H

#include <assay/stream.h>

extern const assay_streams stream_table;

#endif
