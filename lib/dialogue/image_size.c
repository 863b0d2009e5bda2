/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/image_size.h"

#include "base/error.h"
#include "image/config.h"
#include "image/resize_rule.h"

assay_status serve_image_size(const assay_image_options *options, assay_image_size *out, assay_error *err)
{
    assay_image_options o;
    image_config config;
    image_size s;
    assay_status rc = assay_options_read(&o, sizeof o, options, "assay_image_options", err);
    if (rc != ASSAY_OK) return rc;
    if (o.reserved != 0) return assay_fail(err, ASSAY_EUNSUPPORTED, "assay_image_options: reserved is not 0");
    if (!o.config.at || o.height == 0 || o.width == 0)
        return assay_fail(err, ASSAY_EINVAL, "assay_image_options: %s is required",
                          !o.config.at    ? "config"
                          : o.height == 0 ? "height"
                                          : "width");
    const bool is_video = o.n_frames != 0;
    rc = image_config_parse(is_video ? "video_preprocessor_config.json" : "preprocessor_config.json",
                            o.config.at, o.config.n, is_video, &config, err);
    if (rc != ASSAY_OK) return rc;
    rc = image_size_resolve(&config, o.height, o.width, o.n_frames, &s, err);
    image_config_free(&config);
    if (rc != ASSAY_OK) return rc;
    *out = (assay_image_size){.height = s.height,
                              .width = s.width,
                              .grid_t = s.grid_t,
                              .grid_h = s.grid_h,
                              .grid_w = s.grid_w,
                              .n_tokens = s.n_tokens};
    return ASSAY_OK;
}
