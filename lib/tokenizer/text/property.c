/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/text/property.h"

#include <stdio.h>
#include <string.h>

#include "tokenizer/text/ruby_writer.h"

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
                  {"punct", "P"},
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

/* Properties of several categories, of Oniguruma's Unicode sets. */
static const struct {
    const char *name, *items;
} UNIONS[] = {{"alnum", "\\p{Alphabetic}\\p{Nd}"},

              {"word", RUBY_LONE_WORD},
              {"space", RUBY_WHITE},
              {"whitespace", RUBY_WHITE},
              {"blank", "\\p{Zs}\\t"},
              {"cntrl", "\\p{Cc}"},
              {"graph", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}"},
              {"print", "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}\\p{Zs}"},
              {"xdigit", "0-9a-fA-F"},
              {"ascii", "\\x00-\\x7f"}};

/* Properties whose members have their other cases among them, and those that lack some: U+0345, a mark, and
 * the letter iota are cases of one character. */
static const struct {
    const char *name, *missing;
} FOLDED[] = {{"Any", ""},
              {"Alphabetic", ""},
              {"N", ""},
              {"Nd", ""},
              {"Nl", ""},
              {"No", ""},
              {"P", ""},
              {"Pc", ""},
              {"Pd", ""},
              {"Ps", ""},
              {"Pe", ""},
              {"Pi", ""},
              {"Pf", ""},
              {"Po", ""},
              {"S", ""},
              {"Sm", ""},
              {"Sc", ""},
              {"Sk", ""},
              {"So", ""},
              {"Z", ""},
              {"Zs", ""},
              {"Zl", ""},
              {"Zp", ""},
              {"Cc", ""},
              {"Cf", ""},
              {"Co", ""},
              {"sc:han", ""},
              {"L", "\\x{345}"},
              {"M", "\\x{399}\\x{3b9}\\x{1fbe}"},
              {"Mn", "\\x{399}\\x{3b9}\\x{1fbe}"}};

/* Those of them with members that fold to several characters. */
static const char *const OF_SEVERAL[] = {"Any", "Alphabetic", "L"};

static bool find_name(const char *name, size_t n, char *out, size_t capacity)
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

bool tokenizer_property_find(const char *name, size_t n, tokenizer_property *out)
{
    char known[48], folded[40];
    if (!fold_name(name, n, folded, sizeof folded)) return false;
    *out = (tokenizer_property){.is_union = false};
    for (size_t i = 0; i < sizeof UNIONS / sizeof *UNIONS; i++) {
        if (strcmp(folded, UNIONS[i].name) != 0) continue;
        (void)snprintf(out->items, sizeof out->items, "%s", UNIONS[i].items);
        out->is_union = true;
        out->is_word = strcmp(folded, "word") == 0;
        return true;
    }
    if (!find_name(name, n, known, sizeof known)) return false;
    (void)snprintf(out->items, sizeof out->items, "\\p{%s}", known);
    for (size_t i = 0; i < sizeof FOLDED / sizeof *FOLDED; i++)
        if (strcmp(known, FOLDED[i].name) == 0) out->cases = FOLDED[i].missing;
    for (size_t i = 0; i < sizeof OF_SEVERAL / sizeof *OF_SEVERAL; i++)
        if (strcmp(known, OF_SEVERAL[i]) == 0) out->folds_to_several = true;
    return true;
}
