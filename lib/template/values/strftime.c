/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/strftime.h"

#include <string.h>
#include <time.h>

#include "template/values/strings.h"

tpl_value tpl_format_time(tpl *t, assay_text format)
{
    static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    const time_t now = (time_t)t->now;
    struct tm tm;
    char text[64];
    tpl_builder b = {.t = t};
    if (!gmtime_r(&now, &tm)) (void)tpl_fail(t, ASSAY_EINVAL, "strftime_now: the time is out of range");
    for (size_t at = 0; at < format.n && tpl_step(t, 1); at++) {
        if (format.at[at] != '%' || at + 1 == format.n) {
            tpl_add(&b, format.at + at, 1);
            continue;
        }
        const bool unpadded = format.at[++at] == '-' && at + 1 < format.n;
        const char c = format.at[at += unpadded];
        const char directive[] = {'%', unpadded ? '-' : c, unpadded ? c : 0, 0};
        const bool names = c == 'A' || c == 'a' || c == 'B' || c == 'b' || c == 'h';
        if (t->status != ASSAY_OK || !c || !strchr("AaBbhYymdeHIMSpjFTDRCuwUWGVgnt%", c)) {
            (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "strftime_now: the directive %%%c is not supported", c);
            break;
        }
        if (c == 'p') tpl_add_string(&b, tm.tm_hour < 12 ? "AM" : "PM");
        else if (names) {
            const char *name = c == 'A' || c == 'a' ? days[tm.tm_wday] : months[tm.tm_mon];
            tpl_add(&b, name, c == 'A' || c == 'B' ? strlen(name) : 3);
        } else tpl_add(&b, text, strftime(text, sizeof text, directive, &tm));
    }
    return tpl_built(&b);
}
