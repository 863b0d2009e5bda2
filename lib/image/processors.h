/* The published image and video processors as data: their names, defaults and members. A new family is a row
 * of this table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef IMAGE_PROCESSORS_H
#define IMAGE_PROCESSORS_H

#include "image/settings.h"

typedef enum image_member_type {
    IMAGE_MEMBER_WHOLE,  /* int64_t, least … most */
    IMAGE_MEMBER_CHOICE, /* int64_t, one of `choices`; null is `least` unless that is 0 */
    IMAGE_MEMBER_SWITCH, /* bool; null is false */
    IMAGE_MEMBER_NUMBER, /* double */
    IMAGE_MEMBER_TRIPLE, /* double[3]; one number stands for all three */
    IMAGE_MEMBER_OFF,    /* a boolean that must be false */
    IMAGE_MEMBER_ON,     /* a boolean that must be true; not null */
    IMAGE_MEMBER_IGNORED /* has no effect on the result; any value */
} image_member_type;

/* A member of a config file that a processor reads. */
typedef struct image_member {
    const char *name;
    image_member_type type;
    size_t offset; /* in image_config */
    int64_t least, most;
    const int64_t *choices; /* ends with 0 */
} image_member;

typedef struct image_processor {
    const char *const *names;    /* values of image_processor_type or video_processor_type; ends with NULL */
    const image_member *members; /* ends with a row without name; besides image_members_shared */
    bool reads_pixel_limits;     /* min_pixels and max_pixels beside `size` */
    image_config defaults;
} image_processor;

/* Members of every processor; ends with a row without name. */
extern const image_member image_members_shared[];

/* The processor with this name; NULL if there is none. */
const image_processor *image_processor_find(const char *name, bool is_video);

/* The row of a member that the processor reads; NULL if it reads no such member. */
const image_member *image_member_find(const image_processor *processor, const char *name);

#endif
