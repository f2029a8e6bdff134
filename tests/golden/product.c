#include <math.h>
#include <stdint.h>

#define N 48
#define K 100

void product(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict a = arrays[0];
    const float *restrict b = arrays[1];
    float *restrict output = arrays[2];
    for (long item = begin; item < end; item++) {
        const int m = item;
        for (int n = 0; n < N; n++) {
            float sum = 0.0f;
            #pragma omp simd reduction(+:sum)
            for (int k = 0; k < K; k++) {
                sum += a[K * m + k] * b[N * k + n];
            }
            output[N * m + n] = sum;
        }
    }
}
