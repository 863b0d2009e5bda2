/* SPDX-License-Identifier: Apache-2.0 */
#include "base/category.h"
#include "base/utf8.h"

#include "base/tests/support.h"

#include <string.h>

/* Not one assertion for each character: there are a million. */
static bool round_trips(uint32_t c)
{
    char bytes[4];
    uint32_t back = 1;
    bool valid = false;
    const size_t n = utf8_encode(bytes, c);
    if (utf8_decode(bytes, n, &back, &valid) != n || !valid || back != c) return false;
    if (utf8_valid_prefix(bytes, n) != n || utf8_before(bytes, n) != 0 || utf8_unfinished(bytes, n) != 0)
        return false;
    for (size_t part = 1; part < n; part++)
        if (utf8_unfinished(bytes, part) != part || utf8_valid_prefix(bytes, part) != 0) return false;
    return true;
}

START_TEST(every_character_survives_encoding_and_decoding)
{
    for (uint32_t c = 0; c < 0x110000; c++)
        if ((c < 0xd800 || c >= 0xe000) && !round_trips(c)) ck_abort_msg("U+%04X", (unsigned)c);
}
END_TEST

/* Unicode 15, table 3-8 and similar: the number of bytes that each U+FFFD replaces. */
START_TEST(invalid_bytes_are_replaced_by_maximal_subparts)
{
    static const struct {
        const char *bytes;
        size_t n;
        size_t taken[8];
    } ROWS[] = {
        {"\xf0\x80\x80\x41", 4, {1, 1, 1, 1}},
        {"\xe0\x80\x80\x41", 4, {1, 1, 1, 1}},
        {"\xed\xa0\x80\x41", 4, {1, 1, 1, 1}},
        {"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf", 8, {2, 1, 3, 2}},
        {"\xc0\xaf", 2, {1, 1}},
        {"\xf4\x90\x80\x80", 4, {1, 1, 1, 1}},
        {"\xff\xfe", 2, {1, 1}},
        {"\xc2", 1, {1}},
        {"\xf0\x9f\x98", 3, {3}},
        {"\xe4\xbd\x41", 3, {2, 1}},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        size_t at = 0;
        for (size_t k = 0; at < ROWS[i].n; k++) {
            uint32_t c;
            bool valid;
            const size_t taken = utf8_decode(ROWS[i].bytes + at, ROWS[i].n - at, &c, &valid);
            ck_assert_uint_eq(taken, ROWS[i].taken[k]);
            ck_assert_uint_eq(c, ROWS[i].bytes[at] == 'A' ? 'A' : UTF8_REPLACEMENT);
            ck_assert_int_eq(valid, ROWS[i].bytes[at] == 'A');
            at += taken;
        }
    }
}
END_TEST

START_TEST(only_a_prefix_of_a_valid_sequence_is_unfinished)
{
    ck_assert_uint_eq(utf8_unfinished("a\xe2\x82", 3), 2);
    ck_assert_uint_eq(utf8_unfinished("a\xe0\x80", 3), 0);
    ck_assert_uint_eq(utf8_unfinished("\x80\x80", 2), 0);
    ck_assert_uint_eq(utf8_unfinished("\xf0\x9f\x98", 3), 3);
    ck_assert_uint_eq(utf8_unfinished("\xf5", 1), 0);
    ck_assert_uint_eq(utf8_unfinished("", 0), 0);
}
END_TEST

START_TEST(the_first_invalid_byte_is_found_after_any_ascii)
{
    char text[40];
    for (size_t at = 0; at < sizeof text; at++) {
        memset(text, 'a', sizeof text);
        text[at] = '\xff';
        ck_assert_uint_eq(utf8_valid_prefix(text, sizeof text), at);
    }
}
END_TEST

START_TEST(letters_and_numbers_of_any_script_are_alphanumeric)
{
    static const uint32_t are[] = {'a', 'Z', '0', 0xaa, 0xb2, 0xe9, 0x5d0, 0x660, 0x2160, 0x5317, 0x1d7d8};
    static const uint32_t are_not[] = {'_', ' ', 0xd7, 0x301, 0x203f, 0x2028, 0xe000, 0x1f326};
    for (size_t i = 0; i < sizeof are / sizeof *are; i++) ck_assert(utf8_is_alphanumeric(are[i]));
    for (size_t i = 0; i < sizeof are_not / sizeof *are_not; i++)
        ck_assert(!utf8_is_alphanumeric(are_not[i]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/utf8");
    TCase *all = tcase_create("all");
    tcase_add_test(all, every_character_survives_encoding_and_decoding);
    tcase_add_test(all, invalid_bytes_are_replaced_by_maximal_subparts);
    tcase_add_test(all, only_a_prefix_of_a_valid_sequence_is_unfinished);
    tcase_add_test(all, the_first_invalid_byte_is_found_after_any_ascii);
    tcase_add_test(all, letters_and_numbers_of_any_script_are_alphanumeric);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
