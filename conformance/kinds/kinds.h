/* The kinds of cases: one table with everything that tells them apart.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_KINDS_KINDS_H
#define CONFORMANCE_KINDS_KINDS_H

#include "conformance/textual/textual.h"

typedef struct conf_kind_info {
    const char *name;
    bool textual;        /* stored as JSON, with vectors; otherwise as HDF5 */
    bool has_model;      /* belongs to a checkpoint */
    bool beside;         /* no case, but a file that lies beside cases: a directory does not stand for it */
    const char *refusal; /* why it is not replayed; NULL: it is */
    conf_textual
        vectors; /* how vectors of a textual kind are checked and replayed; all NULL of other kinds */
} conf_kind_info;

/* Facts about a kind, as the fixture format spells it. */
const conf_kind_info *conf_kind_of(conf_kind kind);

/* The kind of that name, among the textual or the numeric ones. */
assay_status conf_kind_find(const char *path, const char *name, bool textual, conf_kind *out,
                            assay_error *err);

#endif
