/* Damages a file:
 *
 *     mutate SEED FROM TO
 *
 * One to eight changes, drawn from the seed: bits, bytes, little-endian numbers of 2, 4 and 8 bytes,
 * runs of digits, a part removed, duplicated, moved or overwritten, the end cut off. Half of the
 * changes to HDF5 files are made in an index, an object header or a heap. The same seed makes the same
 * file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX   ((size_t)64 << 20)
#define CHANGES_MAX 8

typedef struct file {
    uint8_t *bytes; /* [BYTES_MAX] */
    size_t n;
    uint64_t state;
} file;

/* xorshift64 (Marsaglia 2003). */
static size_t draw_below(file *f, size_t below)
{
    f->state ^= f->state << 13;
    f->state ^= f->state >> 7;
    f->state ^= f->state << 17;
    return below ? (size_t)(f->state % below) : 0;
}

/* Draws an offset in the file; in HDF5, in half of the cases, just after the signature of a structure. */
static size_t draw_place(file *f)
{
    static const char *const signatures[] = {"TREE", "SNOD", "HEAP", "GCOL", "OHDR", "OCHK",
                                             "BTHD", "BTIN", "BTLF", "FRHP", "FHDB", "FHIB",
                                             "FAHD", "FADB", "EAHD", "EAIB", "EADB", "EASB"};
    enum { REACH = 300, N_SIGNATURES = sizeof signatures / sizeof *signatures };
    size_t place = draw_below(f, f->n);
    if (f->n < 8 || memcmp(f->bytes, "\211HDF", 4) != 0 || draw_below(f, 2)) return place;
    for (size_t i = place; i + 4 < f->n && i < place + 65536; i++)
        for (size_t k = 0; k < N_SIGNATURES; k++)
            if (memcmp(f->bytes + i, signatures[k], 4) == 0) {
                size_t found = i + draw_below(f, REACH);
                return found < f->n ? found : i;
            }
    return place;
}

/* Writes sizes, counts and addresses that often break readers. */
static void change_number(file *f)
{
    static const size_t widths[] = {1, 2, 4, 8};
    size_t width = widths[draw_below(f, 4)], at = draw_place(f);
    const uint64_t values[] = {0,
                               1,
                               4,
                               100,
                               0x7f,
                               0xff,
                               0xffff,
                               0x7fffffff,
                               0xffffffff,
                               UINT64_MAX,
                               (uint64_t)1 << 32,
                               (uint64_t)1 << 63,
                               f->n,
                               f->n - 1,
                               at,
                               draw_below(f, f->n),
                               f->state};
    uint64_t value = values[draw_below(f, sizeof values / sizeof *values)];
    if (draw_below(f, 4) == 0) { /* near its old value */
        value = draw_below(f, 9) - 4;
        for (size_t i = 0; i < width && at + i < f->n; i++) value += (uint64_t)f->bytes[at + i] << 8 * i;
    }
    for (size_t i = 0; i < width && at + i < f->n; i++) f->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static void replace_bytes(file *f, size_t at, size_t n_old, const void *bytes, size_t n_new)
{
    if (f->n - n_old + n_new > BYTES_MAX) return;
    memmove(f->bytes + at + n_new, f->bytes + at + n_old, f->n - at - n_old);
    memcpy(f->bytes + at, bytes, n_new);
    f->n = f->n - n_old + n_new;
}

/* Replaces a number in a text. */
static void change_digits(file *f)
{
    static const char *const texts[] = {
        "0",   "-1",    "1",    "2147483647", "2147483648", "9223372036854775808",
        "1e9", "1e999", "-0.0", "null",       "\"\"",       "[]",
        "{}",  "0.5",   "true", "1e-300"};
    size_t at = draw_below(f, f->n), n = 0;
    while (at < f->n && !isdigit(f->bytes[at])) at++;
    while (at + n < f->n && isdigit(f->bytes[at + n])) n++;
    const char *text = texts[draw_below(f, sizeof texts / sizeof *texts)];
    if (n > 0) replace_bytes(f, at, n, text, strlen(text));
}

/* Removes or duplicates a part of the file, or copies it over another. */
static void move_part(file *f)
{
    size_t at = draw_below(f, f->n), n = 1 + draw_below(f, draw_below(f, 4) ? 40 : 4096);
    if (n > f->n - at) n = f->n - at;
    uint8_t *part = malloc(n ? n : 1);
    if (!part) abort();
    memcpy(part, f->bytes + at, n);
    size_t to = draw_below(f, f->n - n + 1), kind = draw_below(f, 3);
    if (kind == 0) replace_bytes(f, at, n, "", 0);
    else replace_bytes(f, to, kind == 1 ? 0 : n, part, n);
    free(part);
}

static void mutate_once(file *f)
{
    if (f->n == 0) return;
    size_t place = draw_place(f);
    switch (draw_below(f, 8)) {
    case 0: f->bytes[place] ^= (uint8_t)(1U << draw_below(f, 8)); break;
    case 1: f->bytes[place] = (uint8_t)draw_below(f, 256); break;
    case 2: change_digits(f); break;
    case 3: move_part(f); break;
    case 4:
        if (draw_below(f, 8) == 0) f->n = draw_below(f, f->n);
        break;
    default: change_number(f);
    }
}

static bool read_file(const char *path, file *f)
{
    FILE *in = fopen(path, "rb");
    if (!in) return false;
    f->n = fread(f->bytes, 1, BYTES_MAX, in);
    return fclose(in) == 0;
}

static bool write_file(const char *path, const file *f)
{
    FILE *out = fopen(path, "wb");
    bool ok = out && fwrite(f->bytes, 1, f->n, out) == f->n;
    return out && fclose(out) == 0 && ok;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        (void)fprintf(stderr, "usage: mutate SEED FROM TO\n");
        return 2;
    }
    file f = {.bytes = malloc(BYTES_MAX), .state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15 + 1};
    if (!f.bytes || !read_file(argv[2], &f)) {
        perror(argv[2]);
        return 1;
    }
    for (size_t i = 0; i < 8; i++) (void)draw_below(&f, 2);
    for (size_t n = 1 + draw_below(&f, CHANGES_MAX); n > 0; n--) mutate_once(&f);
    if (!write_file(argv[3], &f)) {
        perror(argv[3]);
        return 1;
    }
    free(f.bytes);
    return 0;
}
