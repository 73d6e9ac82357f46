/* Reads a PNG image from standard input, as 8-bit RGBA. */
#include <stdio.h>
#include <png.h>

static void ignore(png_structp png, png_const_charp message) { (void)png, (void)message; }

int main(void) {
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, ignore);
    png_infop info = png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, &info, NULL);
        return 1;
    }
    png_set_user_limits(png, 256, 256);
    png_init_io(png, stdin);
    png_read_png(png, info, PNG_TRANSFORM_EXPAND | PNG_TRANSFORM_SCALE_16 | PNG_TRANSFORM_GRAY_TO_RGB, NULL);
    printf("%u x %u\n", png_get_image_width(png, info), png_get_image_height(png, info));
    png_destroy_read_struct(&png, &info, NULL);
    return 0;
}
