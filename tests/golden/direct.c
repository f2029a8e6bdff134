#include <math.h>
#include <stdint.h>

typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));

#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define THETA 4
#define KAPPA 4
#define SIGMA 2
#define OMEGA 4
#define V 4

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

void convolution_kept_2(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict kernels = arrays[0];
    const float *restrict kept = arrays[1];
    float *restrict kept_2 = arrays[2];
    for (long item = begin; item < end; item++) {
        const int h = item / 14;
        const int kw = item % 14;
        const int kept_at = ((W + 2) * h + kw) * THETA * C;
        const int kept_2_at = (1792 * THETA * h + 128 * kw) * SIGMA * KAPPA;
        for (int k = 0; k < K / KAPPA; k++) {
            const int kept_2_at_2 = kept_2_at + 4 * KAPPA * k;
            for (int theta = 0; theta < THETA; theta++) {
                const int kept_at_2 = kept_at + (W + 2) * theta * C;
                const int kept_2_at_3 = kept_2_at_2 + 1792 * KAPPA * SIGMA * theta;
                for (int theta_2 = 0; theta_2 < THETA / SIGMA; theta_2++) {
                    const int kept_at_3 = kept_at_2 + C * SIGMA * theta_2;
                    const int kept_2_at_4 = kept_2_at_3 + 64 * KAPPA * SIGMA * theta_2;
                    for (int c = 0; c < C / V / OMEGA; c++) {
                        const int kept_at_4 = kept_at_3 + V * c;
                        const int kernels_at = C * KAPPA * KH * KW * k + V * c;
                        const int kept_2_at_5 = kept_2_at_4 + c;
                        float accs_0 = 0.0f;
                        float accs_1 = 0.0f;
                        float accs_2 = 0.0f;
                        float accs_3 = 0.0f;
                        float accs_4 = 0.0f;
                        float accs_5 = 0.0f;
                        float accs_6 = 0.0f;
                        float accs_7 = 0.0f;
                        for (int kh = 0; kh < KH; kh++) {
                            const int kept_at_5 = kept_at_4 + (W + 2) * kh * C;
                            const int kernels_at_2 = kernels_at + C * KW * kh;
                            for (int kw_2 = 0; kw_2 < KW; kw_2++) {
                                const int kept_at_6 = kept_at_5 + C * kw_2;
                                const int kernels_at_3 = kernels_at_2 + C * kw_2;
                                for (int c_2 = 0; c_2 < C / V / (C / V / OMEGA); c_2++) {
                                    const int kept_at_7 = kept_at_6 + 4 * V * c_2;
                                    const int kernels_at_4 = kernels_at_3 + 4 * V * c_2;
                                    const float4 x = *(const float4 *)(kept + kept_at_7);
                                    const float4 right = *(const float4 *)(kernels + kernels_at_4);
                                    accs_0 = accs_0 + x[0] * right[0] + x[1] * right[1] + x[2] * right[2] + x[3] * right[3];
                                    const float4 right_2 = *(const float4 *)(kernels + kernels_at_4 + C * KH * KW);
                                    accs_1 = accs_1 + x[0] * right_2[0] + x[1] * right_2[1] + x[2] * right_2[2] + x[3] * right_2[3];
                                    const float4 right_3 = *(const float4 *)(kernels + kernels_at_4 + 2 * C * KH * KW);
                                    accs_2 = accs_2 + x[0] * right_3[0] + x[1] * right_3[1] + x[2] * right_3[2] + x[3] * right_3[3];
                                    const float4 right_4 = *(const float4 *)(kernels + kernels_at_4 + 3 * C * KH * KW);
                                    accs_3 = accs_3 + x[0] * right_4[0] + x[1] * right_4[1] + x[2] * right_4[2] + x[3] * right_4[3];
                                    const float4 x_2 = *(const float4 *)(kept + kept_at_7 + C);
                                    const float4 right_5 = *(const float4 *)(kernels + kernels_at_4);
                                    accs_4 = accs_4 + x_2[0] * right_5[0] + x_2[1] * right_5[1] + x_2[2] * right_5[2] + x_2[3] * right_5[3];
                                    const float4 right_6 = *(const float4 *)(kernels + kernels_at_4 + C * KH * KW);
                                    accs_5 = accs_5 + x_2[0] * right_6[0] + x_2[1] * right_6[1] + x_2[2] * right_6[2] + x_2[3] * right_6[3];
                                    const float4 right_7 = *(const float4 *)(kernels + kernels_at_4 + 2 * C * KH * KW);
                                    accs_6 = accs_6 + x_2[0] * right_7[0] + x_2[1] * right_7[1] + x_2[2] * right_7[2] + x_2[3] * right_7[3];
                                    const float4 right_8 = *(const float4 *)(kernels + kernels_at_4 + 3 * C * KH * KW);
                                    accs_7 = accs_7 + x_2[0] * right_8[0] + x_2[1] * right_8[1] + x_2[2] * right_8[2] + x_2[3] * right_8[3];
                                }
                            }
                        }
                        kept_2[kept_2_at_5] = accs_0;
                        kept_2[kept_2_at_5 + 4] = accs_1;
                        kept_2[kept_2_at_5 + 8] = accs_2;
                        kept_2[kept_2_at_5 + 12] = accs_3;
                        kept_2[kept_2_at_5 + 64 * KAPPA] = accs_4;
                        kept_2[kept_2_at_5 + 64 * KAPPA + 4] = accs_5;
                        kept_2[kept_2_at_5 + 64 * KAPPA + 8] = accs_6;
                        kept_2[kept_2_at_5 + 64 * KAPPA + 12] = accs_7;
                    }
                }
            }
        }
    }
}

void convolution(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict biases = arrays[0];
    const float *restrict kept = arrays[1];
    float *restrict output = arrays[2];
    for (long item = begin; item < end; item++) {
        const int i = item / (28 * SIGMA);
        const int i_2 = item % (28 * SIGMA);
        const int kept_at = (1792 * SIGMA * i + 64 * i_2) * KAPPA;
        const int output_at = ((W + 3 - KW) * i + i_2) * K;
        for (int k = 0; k < K; k++) {
            float acc = biases[k];
            const int kept_at_2 = kept_at + 4 * k;
            for (int c = 0; c < C / V / OMEGA; c++) {
                acc += kept[kept_at_2 + c];
            }
            output[output_at + k] = acc;
        }
    }
}
