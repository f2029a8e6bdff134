#include <math.h>
#include <stdint.h>

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

#define H 480
#define W 640

void blur(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const uint8_t *restrict image = arrays[0];
    uint8_t *restrict output = arrays[1];
    for (long item = begin; item < end; item++) {
        const int h = item;
        for (int w = 0; w < W; w++) {
            int32_t sum = 0;
            for (int i = 0; i < 3; i++) {
                const int image_at = W * min(H - 1, max(0, h + i - 1));
                for (int i_2 = 0; i_2 < 3; i_2++) {
                    sum = (int32_t)((uint32_t)sum + (uint32_t)(int32_t)image[image_at + min(W - 1, max(0, i_2 + w - 1))]);
                }
            }
            output[W * h + w] = (uint8_t)(sum / 9);
        }
    }
}
