#include <math.h>
#include <stdint.h>

#define N 1000

void softmax_largest(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict xs = arrays[0];
    float *restrict largest = arrays[1];
    for (long item = begin; item < end; item++) {
        float acc = -INFINITY;
        for (int n = 0; n < N; n++) {
            acc = fmaxf(acc, xs[n]);
        }
        largest[0] = acc;
    }
}

void softmax_powers(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict xs = arrays[0];
    const float *restrict largest = arrays[1];
    float *restrict powers = arrays[2];
    for (long item = begin; item < end; item++) {
        const int n = item;
        powers[n] = expf(xs[n] - largest[0]);
    }
}

void softmax_total(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict powers = arrays[0];
    float *restrict total = arrays[1];
    for (long item = begin; item < end; item++) {
        float a = 0.0f;
        #pragma omp simd reduction(+:a)
        for (int n = 0; n < N; n++) {
            a += powers[n];
        }
        total[0] = a;
    }
}

void softmax(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict powers = arrays[0];
    const float *restrict total = arrays[1];
    float *restrict output = arrays[2];
    for (long item = begin; item < end; item++) {
        const int n = item;
        output[n] = powers[n] / total[0];
    }
}
