#include <math.h>
#include <stdint.h>

#define min(a, b) ((a) < (b) ? (a) : (b))

#define M 100

static const float constants[3] = {0.25f, 0.5f, 0.25f};

void smoothed(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict rows = arrays[0];
    float *restrict output = arrays[1];
    for (long item = begin; item < end; item++) {
        const int n = item;
        float window_2 = 0.0f;
        float window_0 = rows[M * n];
        float window_1 = rows[M * n];
        for (int m = 0; m < M; m++) {
            window_2 = rows[M * n + min(M - 1, m + 1)];
            float sum = 0.0f;
            sum += window_0 * constants[0];
            sum += window_1 * constants[1];
            sum += window_2 * constants[2];
            output[M * n + m] = sum;
            window_0 = window_1;
            window_1 = window_2;
        }
    }
}
