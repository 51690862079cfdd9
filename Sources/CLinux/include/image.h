#ifndef BELFRY_IMAGE_H
#define BELFRY_IMAGE_H

/// The file of this library or program, as the loader knows it. NULL if it does not say.
const char *belfry_image_path(void);

#endif
