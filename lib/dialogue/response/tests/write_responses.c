/* Writes the responses to some replies to DIR, for scripts/check-clients: ENDPOINT-NAME.sse streamed,
 * ENDPOINT-NAME.json whole, and the expected reading of both to ENDPOINT-NAME.txt: reasoning, content, the
 * calls and the reason of the end, or "failed", with U+001E between them and U+001F between calls.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/tests/angles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD "\x1e"
#define CALL  "\x1f"

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
     "f {}" CALL "g {\"x\": \"y\"}",
     {"tool_calls", "tool_use", "completed"}},
    {"limit", "It is", "length", "", "It is", "", {"length", "max_tokens", "incomplete"}},
    {"empty", "", "stop", "", "", "", {"stop", "end_turn", "completed"}},
    {"filtered", "No", "content_filter", "", "No", "", {"content_filter", "refusal", "incomplete"}},
    {"again",
     "<One.>First.<Two.>Second.[f|{}] Third.",
     "stop",
     "One.Two.",
     "First.Second. Third.",
     "f {}",
     {"tool_calls", "tool_use", "completed"}},
    {"characters",
     "<\t\"\\\r\n\x01\x7f\xe2\x80\xa8\xc2\x85>data: x\n\nevent: error\ndata: "
     "{}\n\n\xef\xbb\xbf\xf0\x9f\x91\xa9\xe2\x80\x8d"
     "\xf0\x9f\x91\xa7\xe2\x80\xa9.",
     "stop",
     "\t\"\\\r\n\x01\x7f\xe2\x80\xa8\xc2\x85",
     "data: x\n\nevent: error\ndata: "
     "{}\n\n\xef\xbb\xbf\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7\xe2\x80\xa9.",
     "",
     {"stop", "end_turn", "completed"}},
    {"arguments",
     "[get-weather_2|{\"a\": {\"b\": {\"é\": null}}, \"n\": -1.5e3, \"s\": \"\\\"\\\\ 東\\u4eac\", \"t\": "
     "true}]",
     "stop",
     "",
     "",
     "get-weather_2 {\"a\": {\"b\": {\"é\": null}}, \"n\": -1500.0, \"s\": \"\\\"\\\\ 東京\", \"t\": true}",
     {"tool_calls", "tool_use", "completed"}},
    {"thinking", "<Let me", "length", "Let me", "", "", {"length", "max_tokens", "incomplete"}},
    {"cut",
     "Yes.[f|{\"x\": 1}",
     "length",
     "",
     "Yes.",
     "f {\"x\": 1}",
     {"tool_calls", "tool_use", "incomplete"}},
    {"failure", "<Let me", NULL, "", "", "", {"failed", "failed", "failed"}},
    {"late", "Yes.[f|{}] No", NULL, "", "", "", {"failed", "failed", "failed"}},
    {"early", "", NULL, "", "", "", {"failed", "failed", "failed"}},
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

static buffer answer(const char *path, size_t row, const char *request)
{
    const char *finish = ROWS[row].finish, *text = ROWS[row].reply;
    buffer body = {0};
    const assay_byte_sink sink = {.take = angles_collect, .context = &body};
    assay_response *r;
    require(angles_open(path, request, ANGLES_SERVER, &r, NULL) == ASSAY_OK, ROWS[row].name);
    for (size_t n; *text; text += n) {
        n = 1;
        while (((unsigned char)text[n] & 0xc0U) == 0x80U) n++;
        require(angles_say(r, text, n, NULL, &body) == ASSAY_OK, ROWS[row].name);
    }
    if (finish) require(angles_say(r, "", 0, finish, &body) == ASSAY_OK, ROWS[row].name);
    else require(serve_response_fail(r, "no luck", &sink, NULL) == ASSAY_OK, ROWS[row].name);
    serve_response_free(r);
    return body;
}

static void write_row(const char *dir, size_t endpoint, size_t row)
{
    static const char *const endpoints[] = {"chat", "messages", "responses"};
    buffer streamed = answer(angles_paths[endpoint], row, angles_stream);
    buffer whole = answer(angles_paths[endpoint], row, angles_whole);
    char name[64], expected[512];
    (void)snprintf(name, sizeof name, "%s-%s", endpoints[endpoint], ROWS[row].name);
    (void)snprintf(expected, sizeof expected, "%s" FIELD "%s" FIELD "%s" FIELD "%s", ROWS[row].reasoning,
                   ROWS[row].content, ROWS[row].calls, ROWS[row].why[endpoint]);
    write_text(dir, name, "sse", streamed.data, streamed.n);
    write_text(dir, name, "json", whole.data, whole.n);
    write_text(dir, name, "txt", expected, strlen(expected));
    buffer_free(&streamed);
    buffer_free(&whole);
}

/* Completions: the text is the reply, unparsed; each token is a letter, with its logprob. */
static buffer complete(size_t row, const char *request)
{
    const char *text = ROWS[row].reply, *finish = ROWS[row].finish;
    buffer body = {0};
    const assay_byte_sink sink = {.take = angles_collect, .context = &body};
    assay_response *r;
    require(angles_open("/v1/completions", request, ANGLES_SERVER, &r, NULL) == ASSAY_OK, ROWS[row].name);
    for (size_t n; *text; text += n) {
        n = 1;
        while (((unsigned char)text[n] & 0xc0U) == 0x80U) n++;
        const assay_token_logprob token = {.id = 1, .logprob = -0.5, .text = {text, n}, .rank = 1};
        const assay_logprobs at = {.token = token, .top = &token, .n_top = 1};
        const assay_response_chunk chunk = {.size = sizeof chunk,
                                            .new_text = {text, n},
                                            .prompt_tokens = 3,
                                            .completion_tokens = 2,
                                            .logprobs = &at,
                                            .n_logprobs = 1};
        require(serve_response_chunk(r, &chunk, &sink, NULL) == ASSAY_OK, ROWS[row].name);
    }
    if (finish) require(angles_say(r, "", 0, finish, &body) == ASSAY_OK, ROWS[row].name);
    else require(serve_response_fail(r, "no luck", &sink, NULL) == ASSAY_OK, ROWS[row].name);
    serve_response_free(r);
    return body;
}

static void write_completion(const char *dir, size_t row)
{
    static const char whole[] = "{\"logprobs\": 1}",
                      stream[] =
                          "{\"logprobs\": 1, \"stream\": true, \"stream_options\": {\"include_usage\": "
                          "true}}";
    buffer streamed = complete(row, stream), answer_body = complete(row, whole);
    char name[64], expected[512];
    (void)snprintf(name, sizeof name, "completions-%s", ROWS[row].name);
    (void)snprintf(expected, sizeof expected, "" FIELD "%s" FIELD "" FIELD "%s",
                   ROWS[row].finish ? ROWS[row].reply : "", ROWS[row].finish ? ROWS[row].finish : "failed");
    write_text(dir, name, "sse", streamed.data, streamed.n);
    write_text(dir, name, "json", answer_body.data, answer_body.n);
    write_text(dir, name, "txt", expected, strlen(expected));
    buffer_free(&streamed);
    buffer_free(&answer_body);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) write_completion(argv[1], i);
    for (size_t e = 0; e < 3; e++)
        for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) write_row(argv[1], e, i);
    return 0;
}
