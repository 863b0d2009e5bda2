/* What a bundle says of its case and checkpoint, read in a process of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BUNDLE_SUBJECT_H
#define CONFORMANCE_BUNDLE_SUBJECT_H

#include "conformance/kinds/kinds.h"
#include "conformance/process/isolate.h"

/* Texts are owned. */
typedef struct conf_bundle_subject {
    conf_kind kind;
    bool is_rooted;                    /* its checkpoint is named relative to a root (case/root.h) */
    bool has_tensors;                  /* tensors are recorded */
    char *model;                       /* the checkpoint's directory; NULL: the kind has none */
    char *inner;                       /* the same, relative to the case, or to the root */
    char *source, *recorder, *catches; /* NULL: not recorded */
    char *plan;                        /* as assay info prints it; NULL: no checkpoint, or it has no plan */
    char *refusal;                     /* why it has none; NULL: it has, or there is no checkpoint */
} conf_bundle_subject;

/* Fails with ASSAY_EFORMAT if the case cannot be read, ASSAY_EINTERNAL or ASSAY_ENOMEM. The caller frees *out
 * with conf_bundle_subject_free, also after a failure. */
assay_status conf_bundle_subject_read(const char *path, const char *const *allow_unknown,
                                      const conf_limits *limits, conf_bundle_subject *out, assay_error *err);
void conf_bundle_subject_free(conf_bundle_subject *s);

#endif
