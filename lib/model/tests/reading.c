/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tests/reading.h"

#include "base/tests/support.h"

#include <string.h>

void reading_start(reading *r, const char *text)
{
    memset(r, 0, sizeof *r);
    ck_assert_int_eq(json_parse("config.json", text, strlen(text), &r->document, &r->err), ASSAY_OK);
    config_begin(&r->c, "config.json", "", r->document, &r->notes, &r->err);
    r->c.model_type = "llama";
}

void reading_finish(reading *r)
{
    config_end(&r->c);
    config_notes_free(&r->notes);
    json_object_put(r->document);
}

void reading_expect(reading *r, assay_status status, const char *member, const char *found)
{
    ck_assert_int_eq(r->c.status, status);
    support_expect_error(&r->err, status, "config.json", member, found, NULL);
    reading_finish(r);
}
