/* Writes the event streams of some replies to DIR, for scripts/check-clients: ENDPOINT-NAME.sse, and what
 * each must be read as to ENDPOINT-NAME.txt: reasoning, content, the calls and why it ended, a line each; or
 * "failed".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/tests/angles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char REQUEST[] =
    "{\"stream\": true, \"stream_options\": {\"include_usage\": true}, \"tools\": [{}]}";

static const struct {
    const char *name, *reply, *finish; /* finish NULL: the engine fails at the end */
    const char *reasoning, *content, *calls, *why[3];
} ROWS[] = {
    {"plain", "It is sunny.", "stop", "", "It is sunny.", "", {"stop", "end_turn", "completed"}},
    {"thought",
     "<Let me see>It is 東京 \"👍🏽\".",
     "stop",
     "Let me see",
     "It is 東京 \"👍🏽\".",
     "",
     {"stop", "end_turn", "completed"}},
    {"call",
     "<hm>Looking.[get_weather|{\"city\": \"Oslo\"}]",
     "stop",
     "hm",
     "Looking.",
     "get_weather {\"city\": \"Oslo\"}",
     {"tool_calls", "tool_use", "completed"}},
    {"calls",
     "[f|{}][g|{\"x\": \"y\"}]",
     "stop",
     "",
     "",
     "f {};g {\"x\": \"y\"}",
     {"tool_calls", "tool_use", "completed"}},
    {"limit", "It is", "length", "", "It is", "", {"length", "max_tokens", "incomplete"}},
    {"empty", "", "stop", "", "", "", {"stop", "end_turn", "completed"}},
    {"failure", "<Let me", NULL, "", "", "", {"failed", "failed", "failed"}},
};

static void require(bool holds, const char *what)
{
    if (holds) return;
    (void)fprintf(stderr, "write_responses: %s\n", what);
    exit(1);
}

static void write_text(const char *dir, const char *name, const char *suffix, const char *text, size_t n)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s.%s", dir, name, suffix);
    FILE *out = fopen(path, "w");
    require(out != NULL, path);
    require(fwrite(text, 1, n, out) == n, path);
    require(fclose(out) == 0, path);
}

static void write_row(const char *dir, size_t endpoint, size_t row)
{
    static const char *const endpoints[] = {"chat", "messages", "responses"};
    const char *finish = ROWS[row].finish, *text = ROWS[row].reply;
    serve_bytes body = {0};
    const assay_byte_sink sink = {.take = angles_collect, .context = &body};
    assay_response *r;
    char name[64], expected[512];
    require(angles_open(angles_paths[endpoint], REQUEST, ANGLES_SERVER, &r, NULL) == ASSAY_OK,
            ROWS[row].name);
    for (size_t n; *text; text += n) {
        n = 1;
        while (((unsigned char)text[n] & 0xc0U) == 0x80U) n++;
        require(angles_say(r, text, n, NULL, &body) == ASSAY_OK, ROWS[row].name);
    }
    if (finish) require(angles_say(r, "", 0, finish, &body) == ASSAY_OK, ROWS[row].name);
    else require(serve_response_fail(r, "no luck", &sink, NULL) == ASSAY_OK, ROWS[row].name);
    serve_response_free(r);
    (void)snprintf(name, sizeof name, "%s-%s", endpoints[endpoint], ROWS[row].name);
    (void)snprintf(expected, sizeof expected, "%s\n%s\n%s\n%s\n", ROWS[row].reasoning, ROWS[row].content,
                   ROWS[row].calls, ROWS[row].why[endpoint]);
    write_text(dir, name, "sse", body.at, body.n);
    write_text(dir, name, "txt", expected, strlen(expected));
    serve_bytes_free(&body);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    for (size_t e = 0; e < 3; e++)
        for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) write_row(argv[1], e, i);
    return 0;
}
