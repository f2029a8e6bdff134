#include <math.h>
#include <stdint.h>

#define N 100

void rows(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict xs = arrays[0];
    float *restrict output = arrays[1];
    for (long item = begin; item < end; item++) {
        const int m = item;
        float acc = -INFINITY;
        for (int n = 0; n < N; n++) {
            acc = fmaxf(acc, xs[N * m + n]);
        }
        float powers[N];
        for (int n = 0; n < N; n++) {
            powers[n] = expf(xs[N * m + n] - acc);
        }
        float a = 0.0f;
        #pragma omp simd reduction(+:a)
        for (int n = 0; n < N; n++) {
            a += powers[n];
        }
        for (int n = 0; n < N; n++) {
            output[N * m + n] = powers[n] / a;
        }
    }
}
