/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/xml.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conformance/support/text.h"

void conf_xml_text(FILE *out, const char *text)
{
    char *copy = conf_text_cleaned(text);
    if (!copy) return;
    for (const char *at = copy; *at; at++) {
        switch (*at) {
        case '&': (void)fputs("&amp;", out); break;
        case '<': (void)fputs("&lt;", out); break;
        case '>': (void)fputs("&gt;", out); break;
        case '"': (void)fputs("&quot;", out); break;
        default: (void)fputc(*at, out);
        }
    }
    free(copy);
}

void conf_xml_attribute(FILE *out, const char *name, const char *value)
{
    (void)fprintf(out, " %s=\"", name);
    conf_xml_text(out, value);
    (void)fputc('"', out);
}

void conf_xml_origin(FILE *out)
{
    char host[256] = "", stamp[32] = "1970-01-01T00:00:00";
    time_t now = time(NULL);
    struct tm utc;
    if (gethostname(host, sizeof host - 1) != 0 || !host[0]) (void)strcpy(host, "localhost");
    if (gmtime_r(&now, &utc)) (void)strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
    conf_xml_attribute(out, "timestamp", stamp);
    conf_xml_attribute(out, "hostname", host);
}
