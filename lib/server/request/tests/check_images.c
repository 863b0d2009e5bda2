/* Images of requests: data URLs, base64 and files; where their placeholders are; what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "server/request/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dialogue/chat/images.h"
#include "server/request/tests/served.h"

/* A PPM image of 8 x 8 pixels. */
#define PIXELS     192
#define ALL_IMAGES 5000 /* bytes: three of these */
static char image[PIXELS + 16];
static size_t n_image;
static char encoded[512];

static void encode_image(void)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    n_image = (size_t)snprintf(image, sizeof image, "P6 8 8 255\n");
    for (size_t i = 0; i < PIXELS; i++) image[n_image++] = (char)i;
    for (size_t i = 0; i < n_image; i += 3) {
        uint32_t bits = 0;
        const size_t left = n_image - i < 3 ? n_image - i : 3;
        for (size_t k = 0; k < 3; k++) bits = bits << 8 | (k < left ? (unsigned char)image[i + k] : 0);
        for (size_t k = 0; k < 4; k++) encoded[n++] = k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
    }
    encoded[n] = '\0';
}

/* A request of chat completions with this URL between two texts. */
static const char *with_url(const char *url)
{
    static char body[2048];
    (void)snprintf(
        body, sizeof body,
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{"
        "\"type\":\"image_url\",\"image_url\":{\"url\":\"%s\",\"detail\":\"auto\"}}]}]}",
        url);
    return body;
}

static const char *data_url(void)
{
    static char url[1024];
    (void)snprintf(url, sizeof url, "data:image/x-portable-pixmap;base64,%s", encoded);
    return url;
}

/* The request has images of 8 x 8 pixels, whose spans are their placeholder tokens. */
static void expect_images(server_request *q, size_t n)
{
    const server_prompt *p = q->prompts;
    size_t n_placeholders = 0, in_spans = 0;
    ck_assert_uint_eq(p->n_items, n);
    for (size_t i = 0; i < p->n_tokens; i++) n_placeholders += p->tokens[i] == 259;
    for (size_t i = 0; i < n; i++) {
        const assay_item *item = &p->items[i];
        ck_assert_int_eq(item->kind, ASSAY_ITEM_IMAGE);
        ck_assert_str_eq(item->tensors[0].name, "pixel_values");
        ck_assert_uint_gt(item->n_tokens, 0);
        ck_assert_int_eq(p->tokens[item->offset - 1], 257);
        ck_assert_int_eq(p->tokens[item->offset + item->n_tokens], 258);
        for (size_t k = 0; k < item->n_tokens; k++) ck_assert_int_eq(p->tokens[item->offset + k], 259);
        in_spans += item->n_tokens;
    }
    ck_assert_uint_eq(in_spans, n_placeholders);
    server_request_free(q);
}

START_TEST(a_data_url_becomes_an_item_at_its_placeholders)
{
    server_request *q = served_read(SERVE_CHAT, with_url(data_url()));
    ck_assert_ptr_nonnull(strstr(served_prompt(q, 0),
                                 "\"content\": [{\"type\": \"text\", \"text\": \"a\"}, {\"type\": "
                                 "\"image\"}]"));
    expect_images(q, 1);
}
END_TEST

START_TEST(images_of_all_endpoints_are_read)
{
    static char body[4096];
    (void)snprintf(
        body, sizeof body,
        "{\"model\":\"m\",\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
        "\"tool_result\",\"tool_use_id\":\"c\",\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"url\","
        "\"url\":\"%s\"}}]},{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":"
        "\"image/png\",\"data\":\"%s\"}}]}]}",
        data_url(), encoded);
    expect_images(served_read(SERVE_MESSAGES, body), 2);
    (void)snprintf(
        body, sizeof body,
        "{\"model\":\"m\",\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_image\",\"image_url\":"
        "\"%s\"}]}]}",
        data_url());
    expect_images(served_read(SERVE_RESPONSES, body), 1);
}
END_TEST

START_TEST(files_below_the_directory_are_read)
{
    static const char *const urls[] = {"file:in.ppm", "file:sub/in.ppm", "file:sub/../in.ppm",
                                       "file:link.ppm", "file:s%75b%2Fin.p%70m"};
    char url[1024];
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        expect_images(served_read(SERVE_CHAT, with_url(urls[i])), 1);
    (void)snprintf(url, sizeof url, "file://%s/in.ppm", served_files);
    expect_images(served_read(SERVE_CHAT, with_url(url)), 1);
    (void)snprintf(url, sizeof url, "file://localhost%s/in.ppm", served_files);
    expect_images(served_read(SERVE_CHAT, with_url(url)), 1);
}
END_TEST

/* The same words for files that are missing and files that are elsewhere. */
START_TEST(other_files_are_refused_and_not_told_apart)
{
    static const char *const urls[] = {"file:../out.ppm",
                                       "file:sub/../../out.ppm",
                                       "file:outside.ppm",
                                       "file:missing.ppm",
                                       "file:///etc/passwd",
                                       "file:sub",
                                       "file:",
                                       "file:up/out.ppm",
                                       "file:/proc/self/environ",
                                       "file://localhost/etc/",
                                       "file://other/in.ppm",
                                       "file:in.ppm%00",
                                       "file:in.pp%6",
                                       "file:in.ppm%zz",
                                       "file:%2e%2e/out.ppm",
                                       "file:loop.ppm"};
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++)
        served_refuse(SERVE_CHAT, with_url(urls[i]), 400, "messages[0].content[1].image_url.url",
                      "found no such file below the server's directory of files");
}
END_TEST

static const char *const BAD[][2] = {
    {"http://example.com/a.png", "nothing is fetched"},
    {"https://example.com/a.png", "nothing is fetched"},
    {"ftp://a", "nothing is fetched"},
    {"", "nothing is fetched"},
    {"data:image/png,abc", "expected data:image/"},
    {"data:text/plain;base64,aGk=", "expected data:image/"},
    {"data:image/png;base64", "expected data:image/"},
    {"data:image/png;base64,", "not base64"},
    {"data:image/png;base64,abc", "not base64"},
    {"data:image/png;base64,a*c=", "not base64"},
    {"data:image/png;base64,aGk =", "not base64"},
    {"data:image/png;base64,aGl=", "not base64"},
    {"data:image/png;base64,====", "not base64"},
    {"data:image/png;base64,a===", "not base64"},
    {"data:image/png;base64,aGk=aGk=", "not base64"},
};

START_TEST(other_urls_and_bad_base64_are_refused_by_name)
{
    served_refuse(SERVE_CHAT, with_url(BAD[_i][0]), 400, "messages[0].content[1].image_url.url", BAD[_i][1]);
}
END_TEST

START_TEST(bytes_that_are_no_image_are_refused)
{
    served_refuse(SERVE_CHAT, with_url("data:image/png;base64,aGk="), 400, "messages",
                  "messages[0].content[1].image_url.url");
    served_refuse(SERVE_CHAT, with_url("file:text.ppm"), 400, "messages", "text.ppm");
}
END_TEST

START_TEST(limits_of_images_are_kept)
{
    static char body[1 << 15], big[8192];
    size_t n = (size_t)snprintf(body, sizeof body,
                                "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":[");
    for (size_t i = 0; i < 5; i++)
        n += (size_t)snprintf(body + n, sizeof body - n, "%s{\"type\":\"image_url\",\"image_url\":\"%s\"}",
                              i ? "," : "", data_url());
    (void)snprintf(body + n, sizeof body - n, "]}]}");
    served_refuse(SERVE_CHAT, body, 413, "messages[0].content[4].image_url", "more than 4 images");
    memset(big, 'A', 4096);
    (void)snprintf(body, sizeof body,
                   "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\","
                   "\"image_url\":"
                   "\"data:image/png;base64,%s\"}]}]}",
                   big);
    served_refuse(SERVE_CHAT, body, 413, "messages[0].content[0].image_url", "at most 2048");
    served_refuse(SERVE_CHAT, with_url("file:big.ppm"), 413, "messages[0].content[1].image_url.url",
                  "at most 2048");
}
END_TEST

/* A chat request with n images. */
static const char *with_images(size_t n)
{
    static char body[8192];
    size_t at = (size_t)snprintf(body, sizeof body,
                                 "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":[");
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(body + at, sizeof body - at,
                               "%s{\"type\":\"image_url\",\"image_url\":{\"url\":\"%s\"}}", i ? "," : "",
                               data_url());
    (void)snprintf(body + at, sizeof body - at, "]}]}");
    return body;
}

START_TEST(images_of_all_requests_are_bounded_in_sum)
{
    server_request *held[3];
    for (size_t i = 0; i < 3; i++) held[i] = served_read(SERVE_CHAT, with_images(1));
    const size_t n = serve_images_bytes(held[0]->prompts[0].images);
    ck_assert_uint_le(3 * n, ALL_IMAGES);
    ck_assert_uint_gt(4 * n, ALL_IMAGES);
    served_refuse(SERVE_CHAT, with_images(1), 503, "messages",
                  "the images and audio of other requests take the memory");
    server_request_free(held[0]);
    held[0] = served_read(SERVE_CHAT, with_images(1));
    for (size_t i = 0; i < 3; i++) server_request_free(held[i]);
    server_request_free(served_read(SERVE_CHAT, with_images(3)));
    served_refuse(SERVE_CHAT, with_images(4), 413, "messages", "found an image with which all take");
    server_request_free(served_read(SERVE_CHAT, with_images(3))); /* nothing of a refused one is held */
}
END_TEST

/* *context: how often a request is wanted. */
static bool is_wanted(void *context)
{
    return (*(int *)context)-- > 0;
}

START_TEST(a_request_that_is_no_longer_wanted_is_read_no_further)
{
    for (int n = 0; n <= 6; n++) { /* asked twice for each image */
        int left = n;
        const server_wanted wanted = {is_wanted, &left};
        const char *body = with_images(3);
        server_request *q = NULL;
        server_refusal refusal = {0};
        const assay_status rc = server_request_read(served_requests(), SERVE_CHAT,
                                                    (assay_text){body, strlen(body)}, &wanted, &q, &refusal);
        ck_assert_int_eq(rc, n == 6 ? ASSAY_OK : ASSAY_EINVAL);
        ck_assert_int_eq(left, n == 6 ? 0 : -1);
        if (n < 6) ck_assert_str_eq(refusal.text, "messages: the client has gone");
        server_request_free(q);
    }
}
END_TEST

START_TEST(a_model_without_audio_clips_refuses_them_by_name)
{
    served_refuse(SERVE_CHAT,
                  "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_audio\","
                  "\"input_audio\":{\"data\":\"UklGRg==\",\"format\":\"wav\"}}]}]}",
                  400, "messages[0].content[0].input_audio.data",
                  "found an audio clip; the model takes none: ");
}
END_TEST

START_TEST(a_text_cannot_pass_for_an_image)
{
    served_refuse(SERVE_CHAT,
                  "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"<|image_pad|>\"}]}", 400,
                  "messages", "found 1 placeholder tokens");
    served_refuse(SERVE_COMPLETIONS, "{\"model\":\"m\",\"prompt\":[65,259]}", 400, "prompt",
                  "found 1 placeholder tokens");
}
END_TEST

/* Made again for each test, in the same directory. */
static void link_file(const char *dir, const char *name, const char *target)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    (void)unlink(path);
    ck_assert_int_eq(symlink(target, path), 0);
}

static void make_files(void)
{
    static char big[4096];
    const char *top = support_tmpdir(), *dir = support_mkdir(top, "files"), *sub = support_mkdir(dir, "sub");
    encode_image();
    (void)support_write(top, "out.ppm", image, n_image);
    (void)support_write(dir, "in.ppm", image, n_image);
    (void)support_write(sub, "in.ppm", image, n_image);
    (void)support_write(dir, "text.ppm", "hi", 2);
    (void)support_write(dir, "big.ppm", big, sizeof big);
    link_file(dir, "link.ppm", "in.ppm");
    link_file(dir, "outside.ppm", "../out.ppm");
    link_file(dir, "up", "..");
    link_file(dir, "loop.ppm", "loop.ppm");
    served_files = dir;
    served_limits =
        (server_request_limits){.n_images = 4, .image_bytes = 2048, .all_media_bytes = ALL_IMAGES};
}

int main(void)
{
    Suite *s = suite_create("server/request/images");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, make_files, NULL);
    tcase_add_test(all, a_data_url_becomes_an_item_at_its_placeholders);
    tcase_add_test(all, images_of_all_endpoints_are_read);
    tcase_add_test(all, files_below_the_directory_are_read);
    tcase_add_test(all, other_files_are_refused_and_not_told_apart);
    tcase_add_loop_test(all, other_urls_and_bad_base64_are_refused_by_name, 0,
                        (int)(sizeof BAD / sizeof *BAD));
    tcase_add_test(all, bytes_that_are_no_image_are_refused);
    tcase_add_test(all, limits_of_images_are_kept);
    tcase_add_test(all, images_of_all_requests_are_bounded_in_sum);
    tcase_add_test(all, a_request_that_is_no_longer_wanted_is_read_no_further);
    tcase_add_test(all, a_model_without_audio_clips_refuses_them_by_name);
    tcase_add_test(all, a_text_cannot_pass_for_an_image);
    suite_add_tcase(s, all);
    return support_run(s);
}
