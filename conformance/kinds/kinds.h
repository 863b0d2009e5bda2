/* The table of all kinds of cases.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_KINDS_KINDS_H
#define CONFORMANCE_KINDS_KINDS_H

#include "conformance/textual/textual.h"

typedef struct conf_kind_info {
    const char *name;
    bool textual;         /* stored as JSON, with vectors; otherwise as HDF5 */
    bool has_model;       /* cases of this kind need a checkpoint */
    bool has_decoder;     /* they hold prompts, decode steps and logits: conf_decoder */
    bool auxiliary;       /* not a case, but a file that may lie next to cases; skipped in directories */
    const char *refusal;  /* why cases of this kind are not replayed; NULL: they are */
    conf_textual vectors; /* checks and replays vectors; all NULL unless a textual kind is replayed */
} conf_kind_info;

/* The table entry of a kind. */
const conf_kind_info *conf_kind_of(conf_kind kind);

/* Sets *out to the textual or numeric kind with this name. Fails with ASSAY_EFORMAT if there is none.
 * path: for the message. */
assay_status conf_kind_find(const char *path, const char *name, bool textual, conf_kind *out,
                            assay_error *err);

#endif
