/* SPDX-License-Identifier: Apache-2.0 */
#include "image/webp.h"

#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

#include "base/error.h"
#include "image/metadata.h"

static assay_status refuse(const char *name, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT, "%s: the WebP file is damaged or truncated", name);
}

/* The first frame, of an animation, too; what it does not cover is black. Alpha is dropped, not blended. */
static assay_status decode_frame(const char *name, const WebPDemuxer *demuxer, image_pixels *pixels,
                                 assay_error *err)
{
    WebPIterator frame;
    if (!WebPDemuxGetFrame(demuxer, 1, &frame)) return refuse(name, err);
    const size_t left = (size_t)frame.x_offset, top = (size_t)frame.y_offset, stride = pixels->width * 3;
    const size_t height = (size_t)frame.height, width = (size_t)frame.width;
    bool is_valid = left + width <= pixels->width && top + height <= pixels->height;
    if (is_valid) {
        uint8_t *rgb = pixels->rgb + top * stride + left * 3;
        const size_t n = (height - 1) * stride + width * 3;
        is_valid = WebPDecodeRGBInto(frame.fragment.bytes, frame.fragment.size, rgb, n, (int)stride) != NULL;
    }
    WebPDemuxReleaseIterator(&frame);
    return is_valid ? ASSAY_OK : refuse(name, err);
}

static void collect_metadata(const WebPDemuxer *demuxer, image_metadata *metadata)
{
    static const struct {
        const char *chunk;
        image_place place;
    } chunks[] = {{"EXIF", IMAGE_EXIF}, {"XMP ", IMAGE_XMP}};
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        WebPChunkIterator chunk;
        if (!WebPDemuxGetChunk(demuxer, chunks[i].chunk, 1, &chunk)) continue;
        if (chunk.chunk.size > 0)
            image_metadata_set(metadata, chunks[i].place, false, chunk.chunk.bytes, chunk.chunk.size);
        WebPDemuxReleaseChunkIterator(&chunk);
    }
}

assay_status image_webp_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                               assay_error *err)
{
    image_pixels pixels = {0};
    image_metadata metadata = {0};
    int orientation = 1;
    const WebPData file = {data, n};
    WebPDemuxer *demuxer = WebPDemux(&file);
    if (!demuxer) return refuse(name, err);
    const uint32_t height = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_HEIGHT);
    const uint32_t width = WebPDemuxGetI(demuxer, WEBP_FF_CANVAS_WIDTH);
    assay_status rc = image_pixels_open(name, height, width, &pixels, err);
    if (rc == ASSAY_OK) rc = decode_frame(name, demuxer, &pixels, err);
    collect_metadata(demuxer, &metadata);
    if (rc == ASSAY_OK) rc = image_metadata_orientation(name, &metadata, &orientation, err);
    if (rc == ASSAY_OK) rc = image_pixels_orient(name, &pixels, orientation, err);
    image_metadata_free(&metadata);
    WebPDemuxDelete(demuxer);
    if (rc == ASSAY_OK) *out = pixels;
    else image_pixels_free(&pixels);
    return rc;
}
