/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/pretokenizers.h"

#include <string.h>

/* Parts that several expressions share. */
#define CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define WORD         "[^\\r\\n\\p{L}\\p{N}]?\\p{L}+"
#define SIGNS        " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
#define SLASHES      " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*"
#define BLANKS       "\\s+(?!\\S)|\\s+"
#define LINES        "\\s*[\\r\\n]+|" BLANKS
#define UPPER        "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER        "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define CASED        "[^\\r\\n\\p{L}\\p{N}]?" UPPER "*" LOWER "+"
#define CAPITALS     "[^\\r\\n\\p{L}\\p{N}]?" UPPER "+" LOWER "*"
#define PUNCTUATION  "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
#define MARKED       "[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
#define CJK          "[一-龥぀-ゟ゠-ヿ]+"
#define CJK_WIDE     "[一-龥ࠀ-一가-퟿]+"
#define HAN_UPPER    "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]"
#define HAN_LOWER    "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]"
#define JAIS_BLANKS                                                                                          \
    "\\s{512}(?!\\S)|\\s{256}(?!\\S)|\\s{128}(?!\\S)|\\s{64}(?!\\S)|\\s{32}(?!\\S)|\\s{16}(?!\\S)|\\s{8}(?!" \
    "\\S)|"                                                                                                  \
    "\\s{4}(?!\\S)|\\s{1,2}(?!\\S)|\\s{1}"

/* Whole expressions. */
#define GPT2         "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|" BLANKS
#define LLAMA3       CONTRACTIONS "|" WORD "|\\p{N}{1,3}|" SIGNS "|" LINES
#define QWEN2        CONTRACTIONS "|" WORD "|\\p{N}|" SIGNS "|" LINES
#define MINICPM      CONTRACTIONS "|" WORD "|\\p{N}+|" SIGNS "|" LINES
#define UNCONTRACTED WORD "|\\p{N}|" SIGNS "|" LINES
#define QWEN35                                                                                               \
    CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" LINES
#define TEKKEN   CASED "|" CAPITALS "|\\p{N}|" SLASHES "|" LINES
#define GPT4O    CASED CONTRACTIONS "?|" CAPITALS CONTRACTIONS "?|\\p{N}{1,3}|" SLASHES "|" LINES
#define YOUTU    CASED CONTRACTIONS "?|" CAPITALS CONTRACTIONS "?|\\p{N}|" SLASHES "|" LINES
#define DEEPSEEK PUNCTUATION "|" MARKED "| ?[\\p{P}\\p{S}]+[\\r\\n]*|" LINES
#define SPARK    PUNCTUATION "|" MARKED "| ?[\\p{P}\\p{S}]+|[\\r\\n]|" BLANKS
#define BLOOM    " ?[^(\\s|.,!?…。，、।۔،)]+"
#define JAIS2    CONTRACTIONS "|" WORD "|\\p{N}{1,3}|" SIGNS "|\\s*[\\r\\n]+|" JAIS_BLANKS
#define BAILING                                                                                              \
    "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}| "                                          \
    "?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|" BLANKS
#define SEED CONTRACTIONS "|" WORD "|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|" LINES
#define EXAONE_MOE                                                                                           \
    CONTRACTIONS                                                                                             \
    "|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}| "                                  \
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n/]?|\\s*[\\r\\n]|" BLANKS
#define KIMI                                                                                                 \
    "[\\p{Han}]+|[^\\r\\n\\p{L}\\p{N}]?" HAN_UPPER "*" HAN_LOWER "+" CONTRACTIONS                            \
    "?|[^\\r\\n\\p{L}\\p{N}]?" HAN_UPPER "+" HAN_LOWER "*" CONTRACTIONS "?|\\p{N}{1,3}|" SIGNS "|" LINES
#define DEEPSEEK_LETTERS                                                                                     \
    "\\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-"                      \
    "ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕ"                     \
    "ἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ί"                     \
    "ῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-"                      \
    "ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿ"                      \
    "ﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟"                     \
    "𞤀-𞥃]+"

static const gguf_pretokenizer TABLE[] = {
    {" default ", {"[\\p{P}\\$\\+<=>\\^~\\|]+", GPT2, "\\p{N}+", "[0-9][0-9][0-9]"}, 0},
    {" llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano ",
     {LLAMA3},
     GGUF_PRE_IGNORES_MERGES | GGUF_PRE_ADDS_BOS},
    {" dbrx smaug-bpe chatglm-bpe ", {LLAMA3}, 0},
    {" glm4 glm5 ", {LLAMA3}, GGUF_PRE_IGNORES_MERGES},
    {" minicpm5 ", {"\\p{N}{1,3}", MINICPM}, GGUF_PRE_IGNORES_MERGES},
    {" deepseek-llm ",
     {"[\\r\\n]", DEEPSEEK_LETTERS, "\\s?[!-/:-~！-／：-～‘-‟　-。]+", "\\s+$", CJK_WIDE, "\\p{N}+"},
     0},
    {" deepseek-coder ", {"[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", CJK_WIDE, "\\p{N}"}, 0},
    {" deepseek-v3 hunyuan-dense joyai-llm hy_v4 ", {"\\p{N}{1,3}", CJK, DEEPSEEK}, 0},
    {" spark2_5 ", {"\\p{N}{1,3}", CJK, SPARK, "\\p{N}"}, 0},
    {" youtu ",
     {"[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|" CJK, YOUTU},
     GGUF_PRE_IGNORES_MERGES},
    {" falcon ", {"[\\p{P}\\$\\+<=>\\^~\\|`]+", GPT2, "[0-9][0-9][0-9]"}, 0},
    {" starcoder refact smollm codeshell exaone minerva-7b mellum2 ", {"\\p{N}", GPT2}, 0},
    {" command-r ", {"\\p{N}", GPT2}, GGUF_PRE_NFC},
    {" gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert exaone4 mpt "
     "jais "
     "trillion granite-docling jina-v1-en jina-v2-code roberta-bpe ",
     {GPT2},
     0},
    {" olmo ", {GPT2}, GGUF_PRE_NFC},
    {" jais-2 ", {JAIS2}, 0},
    {" qwen2 ", {QWEN2}, GGUF_PRE_NFC},
    {" deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2 ", {QWEN2}, 0},
    {" qwen35 ", {QWEN35}, GGUF_PRE_NFC},
    {" poro-chat bloom gpt3-finnish ", {BLOOM}, 0},
    {" viking ", {BLOOM, "\\p{N}"}, 0},
    {" tekken ", {TEKKEN}, GGUF_PRE_IGNORES_MERGES | GGUF_PRE_ADDS_BOS},
    {" chameleon ",
     {"<sentinel:[0-9]+>", "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z", "([\\t\\n]|    |  )", "\\p{N}",
      "[\\p{P}!-/:-@\\[-`{-~]", GPT2},
     GGUF_PRE_ADDS_BOS},
    {" gpt-4o llama4 kanana2 talkie minimax-m2 ", {GPT4O}, 0},
    {" granite-embed-multi-97m ", {GPT4O}, GGUF_PRE_IGNORES_MERGES},
    {" tiny_aya cohere2moe ", {"\\d{1,3}(?=(?:\\d{3})*\\b)", GPT4O}, GGUF_PRE_NFC},
    {" superbpe ", {"\\p{N}+", "(?=(\\d{3})+(?!\\d))"}, 0},
    {" bailingmoe bailingmoe2 llada-moe ", {BAILING}, 0},
    {" seed-coder ", {SEED}, 0},
    {" kimi-k2 ", {KIMI}, 0},
    {" ufakzeka ", {UNCONTRACTED}, 0},
    {" laguna ", {"[^\\n]+|[\\n]+", QWEN2}, 0},
    {" exaone-moe ", {EXAONE_MOE}, 0},
    {" gemma4 granite-embed-multi-311m sarvam-moe ", {NULL}, GGUF_PRE_PLAIN},
};

#define N_ROWS (sizeof TABLE / sizeof TABLE[0])

static bool has_name(const char *names, assay_text name)
{
    for (const char *at = names; (at = strchr(at, ' ')) != NULL; at++)
        if (strncmp(at + 1, name.at, name.n) == 0 && at[1 + name.n] == ' ') return true;
    return false;
}

const gguf_pretokenizer *gguf_pretokenizer_find(assay_text name)
{
    if (name.n == 0 || memchr(name.at, ' ', name.n) || memchr(name.at, '\0', name.n)) return NULL;
    for (size_t i = 0; i < N_ROWS; i++)
        if (has_name(TABLE[i].names, name)) return &TABLE[i];
    return NULL;
}

const gguf_pretokenizer *gguf_pretokenizers(size_t *n)
{
    *n = N_ROWS;
    return TABLE;
}
