/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/observation.h"

#include <stdio.h>

#include "conformance/hdf5/text.h"

/* Adds to *unknown the names that are not in `known`, with the file and `what` as prefix; frees names. */
static assay_status note_names(const conf_h5 *file, conf_strings *names, const char *what,
                               const char *const *known, conf_strings *unknown, assay_error *err)
{
    char prefix[4200];
    (void)snprintf(prefix, sizeof prefix, "%s: %s", conf_h5_path(file), what);
    assay_status rc = conf_strings_note(names, prefix, known, unknown, err);
    conf_strings_free(names);
    return rc;
}

assay_status conf_observation_note_unknown(const conf_h5 *file, conf_strings *unknown, assay_error *err)
{
    static const char *const members[] = {"decode", "prefill", "tokens", "trace", NULL};
    static const char *const groups[] = {"observed", NULL};
    static const char *const attributes[] = {"case",   "forced_tokens", "kind", "recorder",
                                             "schema", "source",        NULL};
    conf_strings names;
    assay_status rc = conf_h5_members(file, "/", &names, err);
    if (rc == ASSAY_OK) rc = note_names(file, &names, "/", groups, unknown, err);
    if (rc == ASSAY_OK) rc = conf_h5_members(file, "/observed", &names, err);
    if (rc == ASSAY_OK) rc = note_names(file, &names, "/observed/", members, unknown, err);
    if (rc == ASSAY_OK) rc = conf_h5_attributes(file, &names, err);
    if (rc == ASSAY_OK) rc = note_names(file, &names, "attribute ", attributes, unknown, err);
    return rc;
}
