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

void convolution_kept(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict kernels = arrays[0];
    float *restrict kept = arrays[1];
    for (long item = begin; item < end; item++) {
        const int k = item / KW / KH;
        const int kh = item / KW % KH;
        const int kw = item % KW;
        const int kernels_at = ((D * GX * KH * k + kh) * KW + kw) * C;
        const int kept_at = ((KH * k + kh) * KW + kw) * GX * D * C;
        for (int c = 0; c < C; c++) {
            const int kernels_at_2 = kernels_at + c;
            const int kept_at_2 = kept_at + D * GX * c;
            for (int i = 0; i < D * GX; i++) {
                kept[kept_at_2 + i] = kernels[kernels_at_2 + C * KH * KW * i];
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
        const int input_at = (W * h + w) * C;
        const int kept_at = ((W + 2) * h + w) * C;
        for (int c = 0; c < C; c++) {
            kept[kept_at + c] = h - 1 >= 0 && h - 1 < H && w - 1 >= 0 && w - 1 < W ? input[input_at + (-W - 1) * C + c] : 0.0f;
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
        const int kept_2_at = ((W + 2) * h * R * GZ + GY * Q * kw) * C;
        const int output_at = ((W + 3 - KW) * h * R * GZ + GY * Q * kw) * K;
        for (int k = 0; k < K / (D * GX); k++) {
            const int output_at_2 = output_at + GX * V * k;
            for (int gz = 0; gz < GZ; gz++) {
                const int kept_2_at_2 = kept_2_at + (W + 2) * gz * R * C;
                const int output_at_3 = output_at_2 + (W + 3 - KW) * gz * R * K;
                for (int gy = 0; gy < GY; gy++) {
                    const int kept_2_at_3 = kept_2_at_2 + C * Q * gy;
                    const int output_at_4 = output_at_3 + K * Q * gy;
                    for (int gx = 0; gx < GX; gx++) {
                        const int biases_at = D * GX * k + V * gx;
                        const int kept_at = C * D * GX * KH * KW * k + V * gx;
                        const int output_at_5 = output_at_4 + V * gx;
                        float4 accs_0 = *(const float4 *)(biases + biases_at);
                        float4 accs_1 = *(const float4 *)(biases + biases_at);
                        float4 accs_2 = *(const float4 *)(biases + biases_at);
                        float4 accs_3 = *(const float4 *)(biases + biases_at);
                        for (int kh = 0; kh < KH; kh++) {
                            const int kept_at_2 = kept_at + C * D * GX * KW * kh;
                            const int kept_2_at_4 = kept_2_at_3 + (W + 2) * kh * C;
                            for (int kw_2 = 0; kw_2 < KW; kw_2++) {
                                const int kept_at_3 = kept_at_2 + C * D * GX * kw_2;
                                const int kept_2_at_5 = kept_2_at_4 + C * kw_2;
                                for (int c = 0; c < C / T; c++) {
                                    const int kept_at_4 = kept_at_3 + D * GX * T * c;
                                    const int kept_2_at_6 = kept_2_at_5 + T * c;
                                    float4 kept_0 = *(const float4 *)(kept + kept_at_4);
                                    float4 kept_1 = *(const float4 *)(kept + kept_at_4 + D * GX);
                                    float4 kept_2_2 = *(const float4 *)(kept + kept_at_4 + 2 * D * GX);
                                    float4 kept_3 = *(const float4 *)(kept + kept_at_4 + 3 * D * GX);
                                    float4 kept_0_2 = *(const float4 *)(kept_2 + kept_2_at_6);
                                    const float x = kept_0_2[0];
                                    accs_0 += ((float4)((x) - (float4){0})) * kept_0;
                                    const float x_2 = kept_0_2[1];
                                    accs_0 += ((float4)((x_2) - (float4){0})) * kept_1;
                                    const float x_3 = kept_0_2[2];
                                    accs_0 += ((float4)((x_3) - (float4){0})) * kept_2_2;
                                    const float x_4 = kept_0_2[3];
                                    accs_0 += ((float4)((x_4) - (float4){0})) * kept_3;
                                    float4 kept_0_3 = *(const float4 *)(kept_2 + kept_2_at_6 + C);
                                    const float x_5 = kept_0_3[0];
                                    accs_1 += ((float4)((x_5) - (float4){0})) * kept_0;
                                    const float x_6 = kept_0_3[1];
                                    accs_1 += ((float4)((x_6) - (float4){0})) * kept_1;
                                    const float x_7 = kept_0_3[2];
                                    accs_1 += ((float4)((x_7) - (float4){0})) * kept_2_2;
                                    const float x_8 = kept_0_3[3];
                                    accs_1 += ((float4)((x_8) - (float4){0})) * kept_3;
                                    float4 kept_0_4 = *(const float4 *)(kept_2 + kept_2_at_6 + 2 * C);
                                    const float x_9 = kept_0_4[0];
                                    accs_2 += ((float4)((x_9) - (float4){0})) * kept_0;
                                    const float x_10 = kept_0_4[1];
                                    accs_2 += ((float4)((x_10) - (float4){0})) * kept_1;
                                    const float x_11 = kept_0_4[2];
                                    accs_2 += ((float4)((x_11) - (float4){0})) * kept_2_2;
                                    const float x_12 = kept_0_4[3];
                                    accs_2 += ((float4)((x_12) - (float4){0})) * kept_3;
                                    float4 kept_0_5 = *(const float4 *)(kept_2 + kept_2_at_6 + 3 * C);
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
                        *(float4 *)(output + output_at_5) = accs_0;
                        *(float4 *)(output + output_at_5 + K) = accs_1;
                        *(float4 *)(output + output_at_5 + 2 * K) = accs_2;
                        *(float4 *)(output + output_at_5 + 3 * K) = accs_3;
                    }
                }
            }
        }
    }
}
