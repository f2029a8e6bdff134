#include <math.h>
#include <stdint.h>

typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));

#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define GX 8
#define GY 2
#define GZ 2
#define D 4
#define V 4
#define R 1
#define Q 4
#define T 4
#define U 4

void convolution_kept(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict kernels = arrays[0];
    float *restrict kept = arrays[1];
    for (long item = begin; item < end; item++) {
        const int k = item / KW / KH;
        const int kh = item / KW % KH;
        const int kw = item % KW;
        for (int c = 0; c < C; c++) {
            for (int i = 0; i < D * GX; i++) {
                kept[(((KH * k + kh) * KW + kw) * C + c) * GX * D + i] = kernels[(((D * GX * k + i) * KH + kh) * KW + kw) * C + c];
            }
        }
    }
}

void convolution(void *const *arrays, const void *const *scalars, long begin, long end)
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

void convolution_2(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict biases = arrays[0];
    const float *restrict kept = arrays[1];
    const float *restrict kept_2 = arrays[2];
    float *restrict output = arrays[3];
    for (long item = begin; item < end; item++) {
        const int h = item / 7;
        const int kw = item % 7;
        for (int k = 0; k < K / (D * GX); k++) {
            for (int gz = 0; gz < GZ; gz++) {
                for (int gy = 0; gy < GY; gy++) {
                    for (int gx = 0; gx < GX; gx++) {
                        float4 accs_0 = *(const float4 *)(biases + D * GX * k + V * gx);
                        float4 accs_1 = *(const float4 *)(biases + D * GX * k + V * gx);
                        float4 accs_2 = *(const float4 *)(biases + D * GX * k + V * gx);
                        float4 accs_3 = *(const float4 *)(biases + D * GX * k + V * gx);
                        for (int kh = 0; kh < KH; kh++) {
                            for (int kw_2 = 0; kw_2 < KW; kw_2++) {
                                for (int c = 0; c < C / T; c++) {
                                    float4 kept_0 = *(const float4 *)(kept + (((KH * k + kh) * KW + kw_2) * C + T * c) * GX * D + V * gx);
                                    float4 kept_1 = *(const float4 *)(kept + (((KH * k + kh) * KW + kw_2) * C + T * c + 1) * GX * D + V * gx);
                                    float4 kept_2_2 = *(const float4 *)(kept + (((KH * k + kh) * KW + kw_2) * C + T * c + 2) * GX * D + V * gx);
                                    float4 kept_3 = *(const float4 *)(kept + (((KH * k + kh) * KW + kw_2) * C + T * c + 3) * GX * D + V * gx);
                                    float4 kept_0_2 = *(const float4 *)(kept_2 + (((W + 2) * h * GZ + (W + 2) * gz) * R + (GY * kw + gy) * Q + (W + 2) * kh + kw_2) * C + T * c);
                                    const float x = kept_0_2[0];
                                    accs_0 += ((float4)((x) - (float4){0})) * kept_0;
                                    const float x_2 = kept_0_2[1];
                                    accs_0 += ((float4)((x_2) - (float4){0})) * kept_1;
                                    const float x_3 = kept_0_2[2];
                                    accs_0 += ((float4)((x_3) - (float4){0})) * kept_2_2;
                                    const float x_4 = kept_0_2[3];
                                    accs_0 += ((float4)((x_4) - (float4){0})) * kept_3;
                                    float4 kept_0_3 = *(const float4 *)(kept_2 + (((W + 2) * h * GZ + (W + 2) * gz) * R + (GY * kw + gy) * Q + (W + 2) * kh + kw_2 + 1) * C + T * c);
                                    const float x_5 = kept_0_3[0];
                                    accs_1 += ((float4)((x_5) - (float4){0})) * kept_0;
                                    const float x_6 = kept_0_3[1];
                                    accs_1 += ((float4)((x_6) - (float4){0})) * kept_1;
                                    const float x_7 = kept_0_3[2];
                                    accs_1 += ((float4)((x_7) - (float4){0})) * kept_2_2;
                                    const float x_8 = kept_0_3[3];
                                    accs_1 += ((float4)((x_8) - (float4){0})) * kept_3;
                                    float4 kept_0_4 = *(const float4 *)(kept_2 + (((W + 2) * h * GZ + (W + 2) * gz) * R + (GY * kw + gy) * Q + (W + 2) * kh + kw_2 + 2) * C + T * c);
                                    const float x_9 = kept_0_4[0];
                                    accs_2 += ((float4)((x_9) - (float4){0})) * kept_0;
                                    const float x_10 = kept_0_4[1];
                                    accs_2 += ((float4)((x_10) - (float4){0})) * kept_1;
                                    const float x_11 = kept_0_4[2];
                                    accs_2 += ((float4)((x_11) - (float4){0})) * kept_2_2;
                                    const float x_12 = kept_0_4[3];
                                    accs_2 += ((float4)((x_12) - (float4){0})) * kept_3;
                                    float4 kept_0_5 = *(const float4 *)(kept_2 + (((W + 2) * h * GZ + (W + 2) * gz) * R + (GY * kw + gy) * Q + (W + 2) * kh + kw_2 + 3) * C + T * c);
                                    const float x_13 = kept_0_5[0];
                                    accs_3 += ((float4)((x_13) - (float4){0})) * kept_0;
                                    const float x_14 = kept_0_5[1];
                                    accs_3 += ((float4)((x_14) - (float4){0})) * kept_1;
                                    const float x_15 = kept_0_5[2];
                                    accs_3 += ((float4)((x_15) - (float4){0})) * kept_2_2;
                                    const float x_16 = kept_0_5[3];
                                    accs_3 += ((float4)((x_16) - (float4){0})) * kept_3;
                                }
                            }
                        }
                        *(float4 *)(output + (((W + 3 - KW) * h * GZ + (W + 3 - KW) * gz) * R + (GY * kw + gy) * Q) * K + (GX * k + gx) * V) = accs_0;
                        *(float4 *)(output + (((W + 3 - KW) * h * GZ + (W + 3 - KW) * gz) * R + (GY * kw + gy) * Q + 1) * K + (GX * k + gx) * V) = accs_1;
                        *(float4 *)(output + (((W + 3 - KW) * h * GZ + (W + 3 - KW) * gz) * R + (GY * kw + gy) * Q + 2) * K + (GX * k + gx) * V) = accs_2;
                        *(float4 *)(output + (((W + 3 - KW) * h * GZ + (W + 3 - KW) * gz) * R + (GY * kw + gy) * Q + 3) * K + (GX * k + gx) * V) = accs_3;
                    }
                }
            }
        }
    }
}
