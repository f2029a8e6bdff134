#include <math.h>
#include <stdint.h>

#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56

void convolution(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict kernels = arrays[0];
    const float *restrict biases = arrays[1];
    const float *restrict input = arrays[2];
    float *restrict output = arrays[3];
    for (long item = begin; item < end; item++) {
        const int h = item / (W + 3 - KW);
        const int w = item % (W + 3 - KW);
        const int input_at = (W * h + w) * C;
        const int output_at = ((W + 3 - KW) * h + w) * K;
        for (int k = 0; k < K; k++) {
            float acc = biases[k];
            for (int kh = 0; kh < KH; kh++) {
                const int input_at_2 = input_at + C * W * kh;
                const int kernels_at = (KH * k + kh) * KW * C;
                for (int kw = 0; kw < KW; kw++) {
                    const int input_at_3 = input_at_2 + C * kw;
                    const int kernels_at_2 = kernels_at + C * kw;
                    #pragma omp simd reduction(+:acc)
                    for (int c = 0; c < C; c++) {
                        acc += (h + kh - 1 >= 0 && h + kh - 1 < H && kw + w - 1 >= 0 && kw + w - 1 < W ? input[input_at_3 + (-W - 1) * C + c] : 0.0f) * kernels[kernels_at_2 + c];
                    }
                }
            }
            output[output_at + k] = acc;
        }
    }
}
