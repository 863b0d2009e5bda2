/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/wire/http.h"

#include <curl/curl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/process/interrupt.h"
#include "conformance/support/clock.h"

#define CONNECT_SECONDS_MAX 10.0
#define POLL_MS_MAX         100

struct probe_http {
    char *base;
    struct curl_slist *headers; /* of every request, the key included */
    double seconds;
    CURLM *multi;
};

/* An exchange under way. */
typedef struct transfer {
    probe_exchange *x;
    CURL *easy; /* NULL: not begun, or over */
    double start;
    size_t n_headers; /* bytes */
    bool too_long, client_left, no_memory;
    char why[CURL_ERROR_SIZE];
} transfer;

static assay_status check_base(const char *base, assay_error *err)
{
    const char *rest = strncmp(base, "http://", 7) == 0    ? base + 7
                       : strncmp(base, "https://", 8) == 0 ? base + 8
                                                           : NULL;
    if (!rest || !*rest || strchr("/:?#", *rest))
        return assay_fail(err, ASSAY_EINVAL,
                          "%s: expected the URL of a server, such as http://127.0.0.1:8080", base);
    if (memchr(rest, '@', strcspn(rest, "/")))
        return assay_fail(err, ASSAY_EINVAL, "the URL holds a user name: expected --api-key-env instead");
    if (strpbrk(rest, "?# \t\r\n"))
        return assay_fail(err, ASSAY_EINVAL, "%s: found a query or a fragment, expected none", base);
    return ASSAY_OK;
}

static char *normalise(const char *base)
{
    char *copy = strdup(base);
    if (!copy) return NULL;
    size_t n = strlen(copy);
    while (n > 0 && copy[n - 1] == '/') copy[--n] = '\0';
    if (n > 3 && strcmp(copy + n - 3, "/v1") == 0) copy[n - 3] = '\0';
    return copy;
}

static bool add_header(probe_http *h, const char *name, const char *value)
{
    char *line = NULL;
    if (asprintf(&line, "%s%s", name, value) < 0) return false;
    struct curl_slist *longer = curl_slist_append(h->headers, line);
    free(line);
    if (longer) h->headers = longer;
    return longer != NULL;
}

static bool add_headers(probe_http *h, const char *key)
{
    return add_header(h, "Content-Type: ", "application/json") && add_header(h, "Expect:", "") &&
           add_header(h, "anthropic-version: ", "2023-06-01") &&
           (!key || (add_header(h, "Authorization: Bearer ", key) && add_header(h, "x-api-key: ", key)));
}

assay_status probe_http_open(const char *base, const char *key, double seconds, probe_http **out,
                             assay_error *err)
{
    assay_status rc = check_base(base, err);
    if (rc != ASSAY_OK) return rc;
    if (key && (!*key || strpbrk(key, "\r\n")))
        return assay_fail(err, ASSAY_EINVAL, "the key is empty or has a line break");
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return assay_fail(err, ASSAY_EINTERNAL, "libcurl cannot be initialised");
    probe_http *h = calloc(1, sizeof *h);
    if (h) {
        h->base = normalise(base);
        h->seconds = seconds;
        h->multi = curl_multi_init();
    }
    if (!h || !h->base || !h->multi || !add_headers(h, key)) {
        probe_http_close(h);
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    *out = h;
    return ASSAY_OK;
}

void probe_http_close(probe_http *http)
{
    if (!http) return;
    if (http->multi) (void)curl_multi_cleanup(http->multi);
    curl_slist_free_all(http->headers);
    free(http->base);
    free(http);
}

const char *probe_http_base(const probe_http *http)
{
    return http->base;
}

/* Receives a piece of the body. A short count ends the transfer. */
static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    transfer *t = context;
    probe_exchange *x = t->x;
    const size_t n = size * count;
    if (n > PROBE_BODY_MAX - x->body.n) {
        t->too_long = true;
        return 0;
    }
    if (!probe_exchange_arrive(x, bytes, n, conf_clock() - t->start)) {
        t->no_memory = true;
        return 0;
    }
    t->client_left = x->leave_after > 0 && x->body.n >= x->leave_after;
    return t->client_left ? 0 : n;
}

static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
    transfer *t = context;
    (void)bytes;
    t->n_headers += size * count;
    if (t->n_headers <= PROBE_HEADERS_MAX) return size * count;
    t->too_long = true;
    return 0;
}

/* The time limit of an exchange. */
static double limit_of(const probe_http *h, const probe_exchange *x)
{
    return x->seconds > 0 && x->seconds < h->seconds ? x->seconds : h->seconds;
}

static bool set_options(const probe_http *h, transfer *t, const char *url)
{
    CURL *c = t->easy;
    const double limit = limit_of(h, t->x),
                 connect = limit < CONNECT_SECONDS_MAX ? limit : CONNECT_SECONDS_MAX;
    bool ok = curl_easy_setopt(c, CURLOPT_URL, url) == CURLE_OK &&
              curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
              curl_easy_setopt(c, CURLOPT_HTTPHEADER, h->headers) == CURLE_OK &&
              curl_easy_setopt(c, CURLOPT_PROXY, "") == CURLE_OK &&
              curl_easy_setopt(c, CURLOPT_USERAGENT, "assay-probe") == CURLE_OK;
    (void)curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    (void)curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, 1L);
    (void)curl_easy_setopt(c, CURLOPT_FORBID_REUSE, 1L);
    (void)curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    (void)curl_easy_setopt(c, CURLOPT_TCP_NODELAY, 1L);
    (void)curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)(limit * 1000) + 1);
    (void)curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)(connect * 1000) + 1);
    (void)curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
    (void)curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
    (void)curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header);
    (void)curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
    (void)curl_easy_setopt(c, CURLOPT_ERRORBUFFER, t->why);
    (void)curl_easy_setopt(c, CURLOPT_PRIVATE, t);
    if (t->x->get || !ok) return ok;
    (void)curl_easy_setopt(c, CURLOPT_POST, 1L);
    (void)curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->x->request.n);
    return curl_easy_setopt(c, CURLOPT_POSTFIELDS, t->x->request.n ? t->x->request.data : "") == CURLE_OK;
}

static assay_status begin_transfer(probe_http *h, transfer *t, assay_error *err)
{
    char *url = NULL;
    t->easy = curl_easy_init();
    bool ok = t->easy && asprintf(&url, "%s%s", h->base, t->x->path) >= 0 && set_options(h, t, url);
    ok = ok && curl_multi_add_handle(h->multi, t->easy) == CURLM_OK;
    free(url);
    if (!ok) {
        if (t->easy) curl_easy_cleanup(t->easy);
        t->easy = NULL;
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", t->x->label);
    }
    t->x->sent = conf_clock() - t->start;
    return ASSAY_OK;
}

static void read_head(transfer *t)
{
    long status = 0;
    const char *type = NULL;
    (void)curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    (void)curl_easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type);
    t->x->status = (int)status;
    (void)snprintf(t->x->content_type, sizeof t->x->content_type, "%s", type ? type : "");
}

/* Says how the transfer ended. */
static void judge_end(const probe_http *h, transfer *t, CURLcode code)
{
    probe_exchange *x = t->x;
    const char *why = t->why[0] ? t->why : curl_easy_strerror(code);
    if (t->client_left) probe_exchange_end(x, PROBE_LEFT, "the client left after %zu bytes", x->body.n);
    else if (t->too_long)
        probe_exchange_end(x, PROBE_TOO_LONG, "found more than %zu bytes of %s",
                           t->n_headers > PROBE_HEADERS_MAX ? PROBE_HEADERS_MAX : PROBE_BODY_MAX,
                           t->n_headers > PROBE_HEADERS_MAX ? "headers" : "body");
    else if (x->status >= 300 && x->status < 400)
        probe_exchange_end(x, PROBE_REDIRECTED, "found status %d, a redirect, which is not followed",
                           x->status);
    else if (code == CURLE_OK) probe_exchange_end(x, PROBE_ANSWERED, "%s", "");
    else if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
             code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION)
        probe_exchange_end(x, PROBE_NOT_REACHED, "%s", why);
    else if (code == CURLE_OPERATION_TIMEDOUT)
        probe_exchange_end(x, PROBE_TIMEOUT, "no complete answer within %g s; %zu bytes of its body came",
                           limit_of(h, x), x->body.n);
    else probe_exchange_end(x, PROBE_BROKEN_OFF, "%s", why);
}

static void end_transfer(probe_http *h, transfer *t, CURLcode code)
{
    read_head(t);
    judge_end(h, t, code);
    if (t->x->last < 0 || code == CURLE_OK) t->x->last = conf_clock() - t->start;
    (void)curl_multi_remove_handle(h->multi, t->easy);
    curl_easy_cleanup(t->easy);
    t->easy = NULL;
}

/* Begins what is due. Returns the milliseconds until the next one is, at most POLL_MS_MAX. */
static int begin_due(probe_http *h, transfer *t, size_t n, assay_status *rc, assay_error *err)
{
    int wait = POLL_MS_MAX;
    const double now = conf_clock();
    for (size_t i = 0; i < n && *rc == ASSAY_OK; i++) {
        if (t[i].easy || t[i].x->end != PROBE_UNSENT) continue;
        const double due_in = t[i].start + t[i].x->delay - now; /* seconds */
        if (due_in <= 0) *rc = begin_transfer(h, &t[i], err);
        else if (due_in * 1000 < wait) wait = (int)(due_in * 1000) + 1;
    }
    return wait;
}

/* Takes the transfers that are over. Returns false if one of them ran out of memory. */
static bool collect_ended(probe_http *h, size_t *n_open)
{
    int n_left;
    bool ok = true;
    for (CURLMsg *m; (m = curl_multi_info_read(h->multi, &n_left));) {
        transfer *t = NULL;
        const CURLcode code = m->data.result;
        if (m->msg != CURLMSG_DONE) continue;
        (void)curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t);
        ok = ok && !t->no_memory;
        end_transfer(h, t, code);
        (*n_open)--;
    }
    return ok;
}

static assay_status run_all(probe_http *h, transfer *t, size_t n, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t n_open = n; n_open > 0 && rc == ASSAY_OK;) {
        int running;
        const int wait = begin_due(h, t, n, &rc, err);
        if (rc != ASSAY_OK) break;
        if (conf_interrupted()) return assay_fail(err, ASSAY_EINTERNAL, "interrupted");
        if (curl_multi_perform(h->multi, &running) != CURLM_OK)
            return assay_fail(err, ASSAY_EINTERNAL, "libcurl fails");
        const size_t before = n_open;
        if (!collect_ended(h, &n_open)) rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
        if (n_open == before && n_open > 0) (void)curl_multi_poll(h->multi, NULL, 0, wait, NULL);
    }
    return rc;
}

assay_status probe_http_run(probe_http *http, probe_exchange *const *exchanges, size_t n, assay_error *err)
{
    transfer *t = calloc(n ? n : 1, sizeof *t);
    if (!t) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    struct sigaction before;
    const struct sigaction ignore = {.sa_handler = SIG_IGN}; /* TLS libraries write without MSG_NOSIGNAL */
    (void)sigaction(SIGPIPE, &ignore, &before);
    const double start = conf_clock();
    for (size_t i = 0; i < n; i++) t[i] = (transfer){.x = exchanges[i], .start = start};
    assay_status rc = run_all(http, t, n, err);
    for (size_t i = 0; i < n; i++) {
        if (!t[i].easy) continue;
        end_transfer(http, &t[i], CURLE_ABORTED_BY_CALLBACK);
    }
    (void)sigaction(SIGPIPE, &before, NULL);
    free(t);
    return rc;
}
