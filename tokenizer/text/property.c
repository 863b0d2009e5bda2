/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/text/property.h"

#include <stdio.h>
#include <string.h>

/* Categories by their long names; short names such as "lu" are recognised by their form. */
static const struct {
    const char *name, *short_name;
} CATEGORIES[] = {{"any", "Any"},
                  {"alphabetic", "Alphabetic"},
                  {"alpha", "Alphabetic"},
                  {"uppercase", "Uppercase"},
                  {"upper", "Uppercase"},
                  {"lowercase", "Lowercase"},
                  {"lower", "Lowercase"},
                  {"digit", "Nd"},
                  {"letter", "L"},
                  {"uppercaseletter", "Lu"},
                  {"lowercaseletter", "Ll"},
                  {"titlecaseletter", "Lt"},
                  {"modifierletter", "Lm"},
                  {"otherletter", "Lo"},
                  {"mark", "M"},
                  {"nonspacingmark", "Mn"},
                  {"spacingmark", "Mc"},
                  {"enclosingmark", "Me"},
                  {"number", "N"},
                  {"decimalnumber", "Nd"},
                  {"letternumber", "Nl"},
                  {"othernumber", "No"},
                  {"punctuation", "P"},
                  {"connectorpunctuation", "Pc"},
                  {"dashpunctuation", "Pd"},
                  {"openpunctuation", "Ps"},
                  {"closepunctuation", "Pe"},
                  {"initialpunctuation", "Pi"},
                  {"finalpunctuation", "Pf"},
                  {"otherpunctuation", "Po"},
                  {"symbol", "S"},
                  {"mathsymbol", "Sm"},
                  {"currencysymbol", "Sc"},
                  {"modifiersymbol", "Sk"},
                  {"othersymbol", "So"},
                  {"separator", "Z"},
                  {"spaceseparator", "Zs"},
                  {"lineseparator", "Zl"},
                  {"paragraphseparator", "Zp"},
                  {"control", "Cc"},
                  {"format", "Cf"},
                  {"privateuse", "Co"}};

/* Writes the name to out[0..capacity) in lower case, without spaces, '_' and '-'. */
static bool fold_name(const char *name, size_t n, char *out, size_t capacity)
{
    size_t written = 0;
    for (size_t i = 0; i < n; i++) {
        if (name[i] == ' ' || name[i] == '_' || name[i] == '-') continue;
        if (!((name[i] | 0x20) >= 'a' && (name[i] | 0x20) <= 'z') || written + 1 >= capacity) return false;
        out[written++] = (char)(name[i] | 0x20);
    }
    out[written] = '\0';
    return written > 0;
}

bool tokenizer_property_name(const char *name, size_t n, char *out, size_t capacity)
{
    char folded[40];
    if (!fold_name(name, n, folded, sizeof folded)) return false;
    const size_t length = strlen(folded);
    if (length <= 2 && strchr("lmnpszc", folded[0])) {
        (void)snprintf(out, capacity, "%c%s", folded[0] & ~0x20, folded + 1);
        return true;
    }
    for (size_t i = 0; i < sizeof CATEGORIES / sizeof *CATEGORIES; i++)
        if (strcmp(folded, CATEGORIES[i].name) == 0) {
            (void)snprintf(out, capacity, "%s", CATEGORIES[i].short_name);
            return true;
        }
    (void)snprintf(out, capacity, "sc:%s", folded);
    return true;
}
