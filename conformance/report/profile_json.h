/* The profiles of failures in the JSON report, so that a page which is made from it shows their pictures.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_PROFILE_JSON_H
#define CONFORMANCE_REPORT_PROFILE_JSON_H

#include "conformance/report/results.h"
#include "conformance/support/json_at.h"

/* Adds the member `profile` (json.h) to a result; nothing if p is NULL or has no errors. False if out of
 * memory. */
bool conf_json_add_profile(json_object *to, const conf_profile *p);

/* Reads these members of the document's results, which are in *out already, into out->profiles. Fails
 * with ASSAY_EFORMAT, also if there are more than CONF_PROFILES_MAX or a result has one to whose verdict none
 * applies, or ASSAY_ENOMEM. */
assay_status conf_profiles_read(const conf_json_at *document, conf_results *out, assay_error *err);

#endif
