/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/prose.h"

#include <string.h>

#include "conformance/support/draw.h"

enum { N_SCRIPTS = 8, N_WORDS = 12, N_LINES = 16 };

/* Words of a script, their separator, and the end of a sentence. */
typedef struct script {
    const char *words[N_WORDS], *blank, *end;
} script;

static const script scripts[N_SCRIPTS] = {
    {{"the", "cache", "of", "each", "layer", "keeps", "what", "a", "token", "needs", "to", "attend"},
     " ",
     ". "},
    {{"so", "the", "answer", "isn't", "certain", "(yet)", "and", "we", "check", "it", "again", "first"},
     " ",
     "? "},
    {{"für", "größere", "Mengen", "genügt", "das", "nicht", "weil", "später", "noch", "Übergänge", "zu",
      "prüfen"},
     " ",
     ". "},
    {{"каждый", "слой", "хранит", "то", "что", "нужно", "для", "следующего", "шага", "и", "не", "более"},
     " ",
     ". "},
    {{"κάθε", "λέξη", "του", "κειμένου", "έχει", "τη", "δική", "της", "θέση", "στη", "σειρά", "αυτή"},
     " ",
     ". "},
    {{"每个", "词", "都", "有", "自己的", "位置", "因此", "我们", "需要", "再次", "检查", "结果"}, "", "。"},
    {{"كل", "كلمة", "لها", "مكانها", "في", "هذا", "النص", "ولذلك", "نبدأ", "من", "جديد", "الآن"}, " ", "، "},
    {{"हर", "शब्द", "का", "अपना", "स्थान", "है", "👍🏽", "इसलिए", "हम", "फिर", "से", "👩‍💻"},
     " ",
     "। "},
};

static const char *const lines[N_LINES] = {
    "#include <stdio.h>\n",
    "for (size_t i = 0; i < n && x[i] <= limit; i++) {\n",
    "    printf(\"%zu\\t%s\\n\", i, names[i]);\n",
    "    total += values[i] << 2 | (mask & 0x3f);\n",
    "}\n",
    "std::map<std::string, std::vector<int>> index{{\"a\", {1, 2}}};\n",
    "def join(parts: list[str]) -> str:\n",
    "    return \"\".join(f\"<{p}>\" for p in parts if p != '')\n",
    "<div class=\"note\"><a href=\"#top\">back</a></div>\n",
    "{\"name\": \"x\", \"items\": [1, 2.5, null], \"path\": \"C:\\\\temp\"}\n",
    "SELECT id, COUNT(*) FROM t WHERE a < 3 AND b > 4 GROUP BY id;\n",
    "$ grep -n 'a|b' *.c | sort -u > out.txt\n",
    "let total = items |> sum <| 0 in <table><tr><td>1</td></tr></table>\n",
    "[Total: 3] (see [the table](#table)) [Note: none]\n",
    "- [ ] read the log\n",
    "| step | cost |\n|---|---|\n| 1 | 2 |\n",
};

static size_t print_text(FILE *out, const char *text)
{
    const size_t n = strlen(text);
    (void)fwrite(text, 1, n, out);
    return n;
}

/* Prints a sentence of 5 to 16 words of one script. */
static size_t print_sentence(FILE *out, uint64_t *state)
{
    const script *s = &scripts[conf_draw_below(state, N_SCRIPTS)];
    size_t n = 0;
    for (size_t n_words = 5 + conf_draw_below(state, 12); n_words > 0; n_words--) {
        n += print_text(out, s->words[conf_draw_below(state, N_WORDS)]);
        n += print_text(out, n_words > 1 ? s->blank : s->end);
    }
    return n;
}

static size_t print_code(FILE *out, uint64_t *state)
{
    size_t n = print_text(out, "\n\n```\n");
    for (size_t n_lines = 3 + conf_draw_below(state, 8); n_lines > 0; n_lines--)
        n += print_text(out, lines[conf_draw_below(state, N_LINES)]);
    return n + print_text(out, "```\n\n");
}

size_t conf_bench_prose_print(FILE *out, uint64_t *state, size_t n)
{
    size_t done = 0;
    while (done < n) {
        done += print_sentence(out, state);
        const size_t then = conf_draw_below(state, 12);
        if (then == 0) done += print_code(out, state);
        if (then == 1) done += print_text(out, "\n\n");
    }
    return done;
}
