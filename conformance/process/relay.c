/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/process/relay.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#define PATIENCE 200 /* milliseconds, after which the child is checked even if its end is still open */

#define PLAIN "\033[0m"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

static volatile sig_atomic_t terminal; /* the descriptor on which colours are reset */

/* Resets the terminal's colours, then performs the default action of the signal. */
static void restore_terminal_and_raise(int number)
{
    const int kept = errno;
    if (write(terminal, PLAIN, strlen(PLAIN)) < 0) errno = 0; /* an error cannot be reported here */
    if (number == SIGTSTP) {
        (void)raise(SIGSTOP);
    } else {
        (void)signal(number, SIG_DFL);
        (void)raise(number);
    }
    errno = kept;
}

/* Signals that are ignored, as under nohup, stay ignored. */
static void watch_signals(struct sigaction before[N_SIGNALS])
{
    struct sigaction action = {.sa_handler = restore_terminal_and_raise, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < N_SIGNALS; i++) {
        (void)sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) (void)sigaction(signals[i], &action, NULL);
    }
}

static void forget_signals(const struct sigaction before[N_SIGNALS])
{
    for (size_t i = 0; i < N_SIGNALS; i++) (void)sigaction(signals[i], &before[i], NULL);
}

/* The state of a relay. */
typedef struct relay {
    int from, to;
    bool ended; /* end of input */
    char last;  /* the last byte that was copied */
} relay;

static bool write_bytes(relay *r, const char *bytes, size_t n)
{
    for (size_t at = 0; at < n;) {
        const ssize_t written = write(r->to, bytes + at, n - at);
        if (written < 0 && errno != EINTR) return false;
        if (written > 0) at += (size_t)written;
    }
    if (n > 0) r->last = bytes[n - 1];
    return true;
}

/* Waits at most so many milliseconds for input and copies it to the output. *any: there was some. False if
 * it cannot be written. */
static bool forward_input(relay *r, int milliseconds, bool *any)
{
    char bytes[4096];
    struct pollfd there = {.fd = r->from, .events = POLLIN};
    *any = !r->ended && poll(&there, 1, milliseconds) > 0;
    if (!*any) return true;
    const ssize_t n = read(r->from, bytes, sizeof bytes);
    r->ended = n == 0 || (n < 0 && errno != EINTR);
    *any = !r->ended;
    return n <= 0 || write_bytes(r, bytes, (size_t)n);
}

static bool relay_output(relay *r, conf_child *child, conf_verdict *v)
{
    bool any = false;
    do {
        if (r->ended) conf_child_wait_any(child, 1);
        if (!forward_input(r, PATIENCE, &any)) return false;
    } while (any || !conf_child_ended(child, v));
    do { /* drains the rest of the pipe */
        if (!forward_input(r, 0, &any)) return false;
    } while (any);
    return true;
}

/* Ends the line and resets the colours that a failed child has left. */
static void restore_terminal(relay *r, const conf_context *context)
{
    const bool ends = context->terminal && r->last != '\n';
    if (context->color) (void)write_bytes(r, PLAIN, strlen(PLAIN));
    if (ends) (void)write_bytes(r, "\n", 1);
}

assay_status conf_relay(conf_child *child, int from, const conf_context *context, conf_verdict *v,
                        assay_error *err)
{
    relay r = {.from = from, .to = fileno(context->out), .last = '\n'};
    struct sigaction before[N_SIGNALS];
    terminal = r.to;
    if (context->color) watch_signals(before);
    const bool ok = relay_output(&r, child, v);
    const int number = errno;
    if (!ok) conf_child_kill(child);
    else if (v->outcome != CONF_PASSED) restore_terminal(&r, context);
    if (context->color) forget_signals(before);
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_EIO, "standard output: %s", strerror(number));
}
