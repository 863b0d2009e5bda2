/* Writes streams that break a rule to DIR, for scripts/check-clients: BASE.sse, the valid streams, and
 * BASE-edit-NUMBER.sse and BASE-event-CHANGE-NUMBER.sse, which were made from them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "base/tests/support.h"
#include "dialogue/grammar/tests/stream.h"

static const char *dir;

static void write_stream(const char *base, const char *how, size_t number, const buffer *text)
{
    char path[1024];
    if (how) (void)snprintf(path, sizeof path, "%s/%s-%s-%zu.sse", dir, base, how, number);
    else (void)snprintf(path, sizeof path, "%s/%s.sse", dir, base);
    FILE *out = fopen(path, "w");
    if (!out || fwrite(text->data, 1, text->n, out) != text->n || fclose(out) != 0) {
        perror(path);
        exit(1);
    }
}

static void write_base(const char *base)
{
    static const char *const changes[] = {"event-drop", "event-repeat", "event-swap"};
    buffer changed = {0};
    stream s;
    stream_read(base, &s);
    write_stream(base, NULL, 0, &s.text);
    for (stream_change c = STREAM_DROP; c <= STREAM_SWAP; c++)
        for (size_t i = 0; i < s.n - (c == STREAM_SWAP); i++) {
            stream_change_apply(&s, c, i, &changed);
            write_stream(base, changes[c], i + 1, &changed);
        }
    buffer_free(&changed);
    buffer_free(&s.text);
}

static void write_edit(size_t i)
{
    buffer changed = {0};
    stream s;
    stream_read(stream_edits[i].name, &s);
    (void)stream_edit_apply(&s, &stream_edits[i], &changed);
    write_stream(stream_edits[i].name, "edit", i, &changed);
    buffer_free(&changed);
    buffer_free(&s.text);
}

START_TEST(the_streams_are_written)
{
    static const char *const bases[] = {"chat_calls",     "chat_error",      "completions_text",
                                        "messages_tool",  "messages_blocks", "responses_text",
                                        "responses_call", "responses_cut"};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) write_base(bases[i]);
    for (size_t i = 0; i < n_stream_edits; i++) write_edit(i);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    dir = argv[1];
    Suite *s = suite_create("dialogue/grammar/write");
    TCase *all = tcase_create("all");
    tcase_add_test(all, the_streams_are_written);
    suite_add_tcase(s, all);
    return support_run(s);
}
