#include <math.h>
#include <stdint.h>

#define N 30
#define M 7

void statistics_lows(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict xs = arrays[0];
    float *restrict lows = arrays[1];
    float *restrict lows_2 = arrays[2];
    for (long item = begin; item < end; item++) {
        const int m = item;
        float low = INFINITY;
        float high = -INFINITY;
        for (int n = 0; n < N; n++) {
            const float x = xs[N * m + n];
            low = fminf(low, x);
            high = fmaxf(high, x);
        }
        lows[m] = low;
        lows_2[m] = high;
    }
}

void statistics_0(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict lows = arrays[0];
    float *restrict output = arrays[1];
    for (long item = begin; item < end; item++) {
        const int m = item;
        output[m] = lows[m];
    }
}

void statistics_1(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict lows = arrays[0];
    float *restrict output = arrays[1];
    for (long item = begin; item < end; item++) {
        const int m = item;
        output[m] = lows[m];
    }
}

void statistics_2(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict xs = arrays[0];
    float *restrict output = arrays[1];
    const float scale = *(const float *)scalars[0];
    for (long item = begin; item < end; item++) {
        float a = 0.0f;
        for (int m = 0; m < M; m++) {
            #pragma omp simd reduction(+:a)
            for (int n = 0; n < N; n++) {
                a += xs[N * m + n];
            }
        }
        output[0] = scale * a;
    }
}
