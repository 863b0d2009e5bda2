/* ISSUE.md: a failure as a text for an issue tracker, which stands alone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BUNDLE_ISSUE_H
#define CONFORMANCE_BUNDLE_ISSUE_H

#include <stdio.h>

#include "conformance/bundle/files.h"
#include "conformance/bundle/subject.h"
#include "conformance/report/results.h"

#define CONF_BUNDLE_OBSERVATION "observation.h5"
#define CONF_BUNDLE_PLAN        "plan.txt"

/* What the text is made from; no text in it names a path of the user. All members are borrowed.
 * results: of the one case and engine; the path of the case is its name in the bundle, and there is a `root`.
 */
typedef struct conf_bundle_issue {
    const conf_results *results;
    const char *name; /* of the case, for readers */
    const conf_bundle_subject *subject;
    const conf_bundle_files *files;
    const char *remarks;          /* NULL: none */
    const conf_verdict *repeated; /* of the engine on the bundle; NULL: it was not run there */
    bool observed;                /* there is an observation */
} conf_bundle_issue;

void conf_bundle_issue_print(FILE *out, const conf_bundle_issue *issue);

#endif
