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
        for (int c = 0; c < C; c++) {
            kept[((W + 2) * h + w) * C + c] = h - 1 >= 0 && h - 1 < H && w - 1 >= 0 && w - 1 < W ? input[((h - 1) * W + w - 1) * C + c] : 0.0f;
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
        for (int c = 0; c < C; c++) {
            for (int d = 0; d < D; d++) {
                kept[(((KH * k + kh) * KW + kw) * C + c) * D + d] = kernels[(((D * k + d) * KH + kh) * KW + kw) * C + c];
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
        for (int kw = 0; kw < (W + 3 - KW) / Q; kw++) {
            float4 accs_0 = *(const float4 *)(biases + D * k);
            float4 accs_1 = *(const float4 *)(biases + D * k + V);
            float4 accs_2 = *(const float4 *)(biases + D * k);
            float4 accs_3 = *(const float4 *)(biases + D * k + V);
            float4 accs_4 = *(const float4 *)(biases + D * k);
            float4 accs_5 = *(const float4 *)(biases + D * k + V);
            float4 accs_6 = *(const float4 *)(biases + D * k);
            float4 accs_7 = *(const float4 *)(biases + D * k + V);
            for (int kh = 0; kh < KH; kh++) {
                for (int kw_2 = 0; kw_2 < KW; kw_2++) {
                    for (int c = 0; c < C; c++) {
                        const float x = kept[((W + 2) * h * R + (W + 2) * kh + Q * kw + kw_2) * C + c];
                        accs_0 += ((float4)((x) - (float4){0})) * *(const float4 *)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D);
                        accs_1 += ((float4)((x) - (float4){0})) * *(const float4 *)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D + V);
                        const float x_2 = kept[((W + 2) * h * R + (W + 2) * kh + Q * kw + kw_2 + 1) * C + c];
                        accs_2 += ((float4)((x_2) - (float4){0})) * *(const float4 *)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D);
                        accs_3 += ((float4)((x_2) - (float4){0})) * *(const float4 *)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D + V);
                        const float x_3 = kept[((W + 2) * h * R + (W + 2) * kh + Q * kw + kw_2 + 2) * C + c];
                        accs_4 += ((float4)((x_3) - (float4){0})) * *(const float4 *)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D);
                        accs_5 += ((float4)((x_3) - (float4){0})) * *(const float4 *)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D + V);
                        const float x_4 = kept[((W + 2) * h * R + (W + 2) * kh + Q * kw + kw_2 + 3) * C + c];
                        accs_6 += ((float4)((x_4) - (float4){0})) * *(const float4 *)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D);
                        accs_7 += ((float4)((x_4) - (float4){0})) * *(const float4 *)(kept_2 + (((KH * k + kh) * KW + kw_2) * C + c) * D + V);
                    }
                }
            }
            *(float4 *)(output + ((W + 3 - KW) * h * R + Q * kw) * K + 2 * V * k) = accs_0;
            *(float4 *)(output + ((W + 3 - KW) * h * R + Q * kw) * K + (2 * k + 1) * V) = accs_1;
            *(float4 *)(output + ((W + 3 - KW) * h * R + Q * kw + 1) * K + 2 * V * k) = accs_2;
            *(float4 *)(output + ((W + 3 - KW) * h * R + Q * kw + 1) * K + (2 * k + 1) * V) = accs_3;
            *(float4 *)(output + ((W + 3 - KW) * h * R + Q * kw + 2) * K + 2 * V * k) = accs_4;
            *(float4 *)(output + ((W + 3 - KW) * h * R + Q * kw + 2) * K + (2 * k + 1) * V) = accs_5;
            *(float4 *)(output + ((W + 3 - KW) * h * R + Q * kw + 3) * K + 2 * V * k) = accs_6;
            *(float4 *)(output + ((W + 3 - KW) * h * R + Q * kw + 3) * K + (2 * k + 1) * V) = accs_7;
        }
    }
}
