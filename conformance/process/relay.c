/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/process/relay.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "conformance/process/interrupt.h"

#define PATIENCE 200 /* milliseconds, after which the child is checked even if its end is still open */

#define PLAIN "\033[0m"

static volatile sig_atomic_t terminal; /* the descriptor on which colours are reset */

/* Handler of SIGTSTP: resets the terminal's colours and stops the process. */
static void restore_terminal_and_stop(int number)
{
    const int kept = errno;
    (void)number;
    if (write(terminal, PLAIN, strlen(PLAIN)) < 0) errno = 0; /* an error cannot be reported here */
    (void)raise(SIGSTOP);
    errno = kept;
}

/* If the signal is ignored, as under nohup, it stays ignored. */
static void watch_stop(struct sigaction *before)
{
    struct sigaction action = {.sa_handler = restore_terminal_and_stop, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGTSTP, NULL, before);
    if (before->sa_handler != SIG_IGN) (void)sigaction(SIGTSTP, &action, NULL);
}

/* The state of a relay. */
typedef struct relay {
    int from, to;
    bool ended; /* end of input */
    char last;  /* the last byte that was copied */
} relay;

/* A signal that ends this process also ends waiting for a reader that is slow. */
static bool write_bytes(relay *r, const char *bytes, size_t n)
{
    for (size_t at = 0; at < n;) {
        const ssize_t written = write(r->to, bytes + at, n - at);
        if (written < 0 && errno != EINTR) return false;
        if (written < 0 && conf_interrupted()) return true;
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
        if (conf_interrupted()) {
            conf_child_kill(child);
            *v = (conf_verdict){0};
            conf_verdict_set(v, CONF_BROKEN, "%s", conf_interrupt_reason);
            return true;
        }
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
    const bool ends = context->terminal && r->last != '\n' && !conf_interrupted();
    if (context->color) (void)write_bytes(r, PLAIN, strlen(PLAIN));
    if (ends) (void)write_bytes(r, "\n", 1);
}

assay_status conf_relay(conf_child *child, int from, const conf_context *context, conf_verdict *v,
                        assay_error *err)
{
    relay r = {.from = from, .to = fileno(context->out), .last = '\n'};
    struct sigaction before;
    terminal = r.to;
    if (context->color) watch_stop(&before);
    const bool ok = relay_output(&r, child, v);
    const int number = errno;
    if (!ok) conf_child_kill(child);
    else if (v->outcome != CONF_PASSED) restore_terminal(&r, context);
    if (context->color) (void)sigaction(SIGTSTP, &before, NULL);
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_EIO, "standard output: %s", strerror(number));
}
