/* SPDX-License-Identifier: Apache-2.0 */
#include "image/decode.h"

#include <string.h>

#include "base/error.h"
#include "image/jpeg.h"
#include "image/png.h"
#include "image/pnm.h"

typedef assay_status decoder(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                             assay_error *err);

static const struct {
    const char *signature;
    size_t n;
    decoder *decode;
} formats[] = {{"\x89PNG\r\n\x1a\n", 8, image_png_decode},
               {"\xff\xd8\xff", 3, image_jpeg_decode},
               {"P2", 2, image_pnm_decode},
               {"P3", 2, image_pnm_decode},
               {"P5", 2, image_pnm_decode},
               {"P6", 2, image_pnm_decode}};

assay_status image_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                          assay_error *err)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (n >= formats[i].n && memcmp(data, formats[i].signature, formats[i].n) == 0)
            return formats[i].decode(name, data, n, out, err);
    return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: expected a PNG, JPEG, PGM or PPM file", name);
}
