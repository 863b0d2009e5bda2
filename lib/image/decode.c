/* SPDX-License-Identifier: Apache-2.0 */
#include "image/decode.h"

#include "base/error.h"
#include "image/bmp.h"
#include "image/gif.h"
#include "image/jpeg.h"
#include "image/png.h"
#include "image/pnm.h"
#include "image/webp.h"

typedef assay_status decoder(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                             assay_error *err);

/* '?' in a signature stands for any byte. */
static const struct {
    const char *signature;
    size_t n;
    decoder *decode;
} FORMATS[] = {{"\x89PNG\r\n\x1a\n", 8, image_png_decode},
               {"\xff\xd8\xff", 3, image_jpeg_decode},
               {"RIFF????WEBP", 12, image_webp_decode},
               {"GIF87a", 6, image_gif_decode},
               {"GIF89a", 6, image_gif_decode},
               {"BM", 2, image_bmp_decode},
               {"P0", 2, image_pnm_decode}, /* P0 and Py: as Pillow takes them */
               {"P1", 2, image_pnm_decode},
               {"P2", 2, image_pnm_decode},
               {"P3", 2, image_pnm_decode},
               {"P4", 2, image_pnm_decode},
               {"P5", 2, image_pnm_decode},
               {"P6", 2, image_pnm_decode},
               {"Pf", 2, image_pnm_decode},
               {"Py", 2, image_pnm_decode}};

static bool matches(const char *signature, const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (signature[i] != '?' && (uint8_t)signature[i] != data[i]) return false;
    return true;
}

assay_status image_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                          assay_error *err)
{
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (n >= FORMATS[i].n && matches(FORMATS[i].signature, data, FORMATS[i].n))
            return FORMATS[i].decode(name, data, n, out, err);
    return assay_fail(err, ASSAY_EUNSUPPORTED,
                      "%s: expected a PNG, JPEG, WebP, GIF, BMP, PBM, PGM, PPM or PFM file", name);
}
