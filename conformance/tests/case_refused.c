/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/case_refused.h"

#include <string.h>

#include "conformance/kinds/read.h"
#include "conformance/tests/support.h"

void assert_case_refused(const char *path, assay_status status, const char *reason)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(path, &c, &err), status);
    ck_assert_int_eq(err.status, status);
    ck_assert_ptr_null(c);
    ck_assert_msg(strncmp(err.text, path, strlen(path)) == 0, "%s", err.text);
    assert_holds(err.text, reason);
}
