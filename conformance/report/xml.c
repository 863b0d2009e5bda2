/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/xml.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "conformance/support/text.h"

/* Removes in place the characters that XML 1.0 cannot represent: most controls, U+FFFE and U+FFFF. */
static void drop_forbidden(char *text)
{
    char *to = text;
    while (*text) {
        if (strncmp(text, "\xEF\xBF\xBE", 3) == 0 || strncmp(text, "\xEF\xBF\xBF", 3) == 0) text += 3;
        else if ((unsigned char)*text < 0x20 && !strchr("\t\n\r", *text)) text++;
        else *to++ = *text++;
    }
    *to = '\0';
}

void conf_xml_text(FILE *out, const char *text)
{
    char *copy = strdup(text);
    if (!copy) return;
    drop_forbidden(copy);
    conf_text_clean(copy);
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
