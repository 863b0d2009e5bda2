/* Audio clips of requests to the recorded checkpoint of Qwen3-Omni: where their placeholders are; what is
 * refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/request/audio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "dialogue/chat/audio.h"
#include "server/request/tests/served.h"

#define ROW "fixtures/e2e/qwen3_omni_moe"
enum { IMAGE = 60, AUDIO = 57, AUDIO_START = 56, AUDIO_END = 55, VOCAB = 64 };
enum { ALL_MEDIA = 9000 }; /* bytes of an image and two audio clips, and fewer than of three */

static char encoded[1 << 15]; /* the third audio clip of the row */

static void encode_audio(void)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *top = getenv("top_srcdir");
    char path[1024], *bytes = NULL;
    size_t n_bytes = 0, n = 0;
    served_model = ROW "/model";
    served_vocab = VOCAB;
    served_limits = (server_request_limits){.n_images = 2, .image_bytes = 8000, .all_media_bytes = ALL_MEDIA};
    (void)snprintf(path, sizeof path, "%s/" ROW "/2.wav", top ? top : ".");
    ck_assert_int_eq(file_read(path, sizeof encoded / 2, &bytes, &n_bytes, NULL), ASSAY_OK);
    for (size_t i = 0; i < n_bytes; i += 3) {
        uint32_t bits = 0;
        const size_t left = n_bytes - i < 3 ? n_bytes - i : 3;
        for (size_t k = 0; k < 3; k++) bits = bits << 8 | (k < left ? (unsigned char)bytes[i + k] : 0);
        for (size_t k = 0; k < 4; k++) encoded[n++] = k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
    }
    encoded[n] = '\0';
    free(bytes);
}

/* A request of chat completions with these parts. */
static const char *with_parts(const char *parts)
{
    static char body[1 << 18];
    (void)snprintf(
        body, sizeof body,
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":[%s,{\"type\":\"text\",\"text\":"
        "\"ub\"}]}]}",
        parts);
    return body;
}

/* A content part with an audio clip; one of two buffers in turn. */
static const char *part(const char *data, const char *format)
{
    static char text[2][1 << 16];
    static size_t next;
    char *out = text[next++ % 2];
    (void)snprintf(out, sizeof text[0],
                   "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"%s\",\"format\":\"%s\"}}", data,
                   format);
    return out;
}

static void expect_audio(const server_prompt *p, size_t i)
{
    const assay_item *item = &p->items[i];
    ck_assert_int_eq(item->kind, ASSAY_ITEM_AUDIO);
    ck_assert_str_eq(item->tensors[0].name, "input_features");
    ck_assert_uint_eq(item->n_tokens, 3);
    ck_assert_int_eq(p->tokens[item->offset - 1], AUDIO_START);
    ck_assert_int_eq(p->tokens[item->offset + item->n_tokens], AUDIO_END);
    for (size_t k = 0; k < item->n_tokens; k++) ck_assert_int_eq(p->tokens[item->offset + k], AUDIO);
}

START_TEST(an_audio_clip_becomes_an_item_at_its_placeholders)
{
    server_request *q = served_read(SERVE_CHAT, with_parts(part(encoded, "wav")));
    ck_assert_uint_eq(q->prompts->n_items, 1);
    ck_assert_uint_eq(q->prompts->n_tokens, 26); /* as recorded */
    expect_audio(q->prompts, 0);
    server_request_free(q);
}
END_TEST

/* An image, of 16 x 16 pixels. */
static const char *image_part(void)
{
    static char text[2048];
    char pixels[16 * 16 * 4 + 1];
    memset(pixels, 'A', sizeof pixels - 1);
    pixels[sizeof pixels - 1] = '\0';
    /* "P6 16 16 255\n" and two bytes of its 768 */
    (void)snprintf(text, sizeof text,
                   "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/x-portable-pixmap;base64,"
                   "UDYgMTYgMTYgMjU1CgAA%.1024s\"}}",
                   pixels);
    return text;
}

START_TEST(items_are_in_the_order_of_their_placeholders)
{
    static char parts[1 << 17];
    (void)snprintf(parts, sizeof parts, "%s,%s,%s", part(encoded, "wav"), image_part(), part(encoded, "wav"));
    server_request *q = served_read(SERVE_CHAT, with_parts(parts));
    const server_prompt *p = q->prompts;
    ck_assert_uint_eq(p->n_items, 3);
    expect_audio(p, 0);
    ck_assert_int_eq(p->items[1].kind, ASSAY_ITEM_IMAGE);
    ck_assert_int_eq(p->tokens[p->items[1].offset], IMAGE);
    expect_audio(p, 2);
    ck_assert_uint_lt(p->items[0].offset, p->items[1].offset);
    ck_assert_uint_lt(p->items[1].offset, p->items[2].offset);
    server_request_free(q);
}
END_TEST

#define AUDIO "messages[0].content[0].input_audio"

START_TEST(other_formats_and_bad_base64_are_refused_by_name)
{
    served_refuse(SERVE_CHAT, with_parts(part(encoded, "mp3")), 400, AUDIO ".format",
                  "expected \"wav\" or \"flac\"");
    served_refuse(SERVE_CHAT, with_parts(part(encoded, "flac")), 400, AUDIO ".data", "expected a flac file");
    served_refuse(SERVE_CHAT, with_parts(part("UklGRg=", "wav")), 400, AUDIO ".data", "not base64");
    served_refuse(SERVE_CHAT, with_parts(part("", "wav")), 400, AUDIO ".data", "not base64");
    served_refuse(SERVE_CHAT, with_parts(part("UklG", "wav")), 400, AUDIO ".data", "expected a wav file");
    served_refuse(SERVE_CHAT, with_parts(part("UklGRg==", "wav")), 400, "messages", "expected an audio file");
    served_refuse(SERVE_CHAT, with_parts("{\"type\":\"input_audio\"}"), 400, AUDIO, "expected");
    served_refuse(SERVE_CHAT, with_parts("{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"UklG\"}}"),
                  400, AUDIO ".format", "expected");
    served_refuse(
        SERVE_CHAT,
        with_parts(
            "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"UklG\",\"format\":\"wav\",\"url\":1}}"),
        400, AUDIO ".url", "");
}
END_TEST

START_TEST(limits_of_audio_clips_are_kept)
{
    static char parts[1 << 17];
    (void)snprintf(parts, sizeof parts, "%s,%s", part(encoded, "wav"), part(encoded, "wav"));
    (void)snprintf(parts + strlen(parts), sizeof parts - strlen(parts), ",%s", part("UklGRg==", "wav"));
    served_refuse(SERVE_CHAT, with_parts(parts), 413, "messages[0].content[2].input_audio.data",
                  "more than 2 audio clips");
    static char big[12000];
    memset(big, 'A', sizeof big - 4);
    served_refuse(SERVE_CHAT, with_parts(part(big, "wav")), 413, AUDIO ".data", "at most 8000");
}
END_TEST

START_TEST(audio_clips_and_images_of_all_requests_are_bounded_in_one_sum)
{
    static const char busy[] = "the images and audio of other requests take the memory";
    server_request *audio = served_read(SERVE_CHAT, with_parts(part(encoded, "wav")));
    server_request *image = served_read(SERVE_CHAT, with_parts(image_part()));
    const size_t n_audio = audio->prompts->n_media_bytes, n_image = image->prompts->n_media_bytes;
    ck_assert_uint_eq(n_audio, serve_audio_bytes(audio->prompts->audios));
    ck_assert_uint_le(2 * n_audio + n_image, ALL_MEDIA);
    ck_assert_uint_gt(3 * n_audio + n_image, ALL_MEDIA);
    server_request *other = served_read(SERVE_CHAT, with_parts(part(encoded, "wav")));
    served_refuse(SERVE_CHAT, with_parts(part(encoded, "wav")), 503, "messages", busy);
    server_request_free(other);
    other = served_read(SERVE_CHAT, with_parts(part(encoded, "wav")));
    server_request_free(other);
    server_request_free(audio);
    server_request_free(image);
    static char parts[1 << 17];
    (void)snprintf(parts, sizeof parts, "%s,%s", part(encoded, "wav"), part(encoded, "wav"));
    server_request_free(served_read(SERVE_CHAT, with_parts(parts))); /* nothing of a refused one is held */
}
END_TEST

START_TEST(a_text_cannot_pass_for_an_audio_clip)
{
    served_refuse(SERVE_CHAT,
                  "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"<|audio_pad|>\"}]}", 400,
                  "messages",
                  "found 1 placeholder tokens <|audio_pad|> in the prompt, expected 0, those that "
                  "the processor writes");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("server/request/audio");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, encode_audio, NULL);
    tcase_add_test(all, an_audio_clip_becomes_an_item_at_its_placeholders);
    tcase_add_test(all, items_are_in_the_order_of_their_placeholders);
    tcase_add_test(all, other_formats_and_bad_base64_are_refused_by_name);
    tcase_add_test(all, limits_of_audio_clips_are_kept);
    tcase_add_test(all, audio_clips_and_images_of_all_requests_are_bounded_in_one_sum);
    tcase_add_test(all, a_text_cannot_pass_for_an_audio_clip);
    suite_add_tcase(s, all);
    return support_run(s);
}
