#include <math.h>
#include <stdint.h>

typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));

#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define D 8
#define V 4
#define R 1
#define Q 4

void convolution_kept(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict input = arrays[0];
    float *restrict kept = arrays[1];
    for (long item = begin; item < end; item++) {
        const int h = item / (W + 2);
        const int w = item % (W + 2);
        const int input_at = (W * h + w) * C;
        const int kept_at = ((W + 2) * h + w) * C;
        for (int c = 0; c < C; c++) {
            kept[kept_at + c] = h - 1 >= 0 && h - 1 < H && w - 1 >= 0 && w - 1 < W ? input[input_at + (-W - 1) * C + c] : 0.0f;
        }
    }
}

void convolution(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict kernels = arrays[0];
    float *restrict kept = arrays[1];
    for (long item = begin; item < end; item++) {
        const int k = item / KW / KH;
        const int kh = item / KW % KH;
        const int kw = item % KW;
        const int kernels_at = ((D * KH * k + kh) * KW + kw) * C;
        const int kept_at = ((KH * k + kh) * KW + kw) * D * C;
        for (int c = 0; c < C; c++) {
            const int kernels_at_2 = kernels_at + c;
            const int kept_at_2 = kept_at + D * c;
            for (int d = 0; d < D; d++) {
                kept[kept_at_2 + d] = kernels[kernels_at_2 + C * KH * KW * d];
            }
        }
    }
}

void convolution_2(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict biases = arrays[0];
    const float *restrict kept = arrays[1];
    const float *restrict kept_2 = arrays[2];
    float *restrict output = arrays[3];
    for (long item = begin; item < end; item++) {
        const int k = item / 56;
        const int h = item % 56;
        const int kept_at = (W + 2) * h * R * C;
        const int output_at = (W + 3 - KW) * h * R * K + 2 * V * k;
        for (int kw = 0; kw < (W + 3 - KW) / Q; kw++) {
            const int kept_at_2 = kept_at + C * Q * kw;
            const int output_at_2 = output_at + K * Q * kw;
            float4 accs_0 = *(const float4 *)(biases + D * k);
            float4 accs_1 = *(const float4 *)(biases + D * k + V);
            float4 accs_2 = *(const float4 *)(biases + D * k);
            float4 accs_3 = *(const float4 *)(biases + D * k + V);
            float4 accs_4 = *(const float4 *)(biases + D * k);
            float4 accs_5 = *(const float4 *)(biases + D * k + V);
            float4 accs_6 = *(const float4 *)(biases + D * k);
            float4 accs_7 = *(const float4 *)(biases + D * k + V);
            for (int kh = 0; kh < KH; kh++) {
                const int kept_at_3 = kept_at_2 + (W + 2) * kh * C;
                const int kept_2_at = (KH * k + kh) * KW * D * C;
                for (int kw_2 = 0; kw_2 < KW; kw_2++) {
                    const int kept_at_4 = kept_at_3 + C * kw_2;
                    const int kept_2_at_2 = kept_2_at + C * D * kw_2;
                    for (int c = 0; c < C; c++) {
                        const int kept_at_5 = kept_at_4 + c;
                        const int kept_2_at_3 = kept_2_at_2 + D * c;
                        const float x = kept[kept_at_5];
                        accs_0 += ((float4)((x) - (float4){0})) * *(const float4 *)(kept_2 + kept_2_at_3);
                        accs_1 += ((float4)((x) - (float4){0})) * *(const float4 *)(kept_2 + kept_2_at_3 + V);
                        const float x_2 = kept[kept_at_5 + C];
                        accs_2 += ((float4)((x_2) - (float4){0})) * *(const float4 *)(kept_2 + kept_2_at_3);
                        accs_3 += ((float4)((x_2) - (float4){0})) * *(const float4 *)(kept_2 + kept_2_at_3 + V);
                        const float x_3 = kept[kept_at_5 + 2 * C];
                        accs_4 += ((float4)((x_3) - (float4){0})) * *(const float4 *)(kept_2 + kept_2_at_3);
                        accs_5 += ((float4)((x_3) - (float4){0})) * *(const float4 *)(kept_2 + kept_2_at_3 + V);
                        const float x_4 = kept[kept_at_5 + 3 * C];
                        accs_6 += ((float4)((x_4) - (float4){0})) * *(const float4 *)(kept_2 + kept_2_at_3);
                        accs_7 += ((float4)((x_4) - (float4){0})) * *(const float4 *)(kept_2 + kept_2_at_3 + V);
                    }
                }
            }
            *(float4 *)(output + output_at_2) = accs_0;
            *(float4 *)(output + output_at_2 + V) = accs_1;
            *(float4 *)(output + output_at_2 + K) = accs_2;
            *(float4 *)(output + output_at_2 + K + V) = accs_3;
            *(float4 *)(output + output_at_2 + 2 * K) = accs_4;
            *(float4 *)(output + output_at_2 + 2 * K + V) = accs_5;
            *(float4 *)(output + output_at_2 + 3 * K) = accs_6;
            *(float4 *)(output + output_at_2 + 3 * K + V) = accs_7;
        }
    }
}
