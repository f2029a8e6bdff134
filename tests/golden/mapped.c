#include <math.h>
#include <stdint.h>

#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define TR 4
#define TQ 4
#define TD 8
#define Q 2
#define D 2
#define BK 2

void convolution(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict kernels = arrays[0];
    const float *restrict biases = arrays[1];
    const float *restrict input = arrays[2];
    float *restrict output = arrays[3];
    for (long item = begin; item < end; item++) {
        float accs[D * Q * TD * TQ * TR];
        float kept[BK * D * TD] __attribute__((aligned(64)));
        float kept_2[BK * Q * TQ * TR] __attribute__((aligned(64)));
        const int h = item / 7;
        const int kw = item % 7;
        const int input_at = (Q * TQ * kw + TR * W * h) * C;
        const int output_at = ((W + 3 - KW) * h * TR + Q * TQ * kw) * K;
        for (int k = 0; k < K / (D * TD); k++) {
            for (int tr = 0; tr < TR; tr++) {
                for (int tq = 0; tq < TQ; tq++) {
                    const int accs_at = (TQ * tr + tq) * TD * Q * D;
                    for (int td = 0; td < TD; td++) {
                        const int biases_at = (TD * k + td) * D;
                        const int accs_at_2 = accs_at + D * Q * td;
                        for (int q = 0; q < Q; q++) {
                            const int accs_at_3 = accs_at_2 + D * q;
                            for (int d = 0; d < D; d++) {
                                accs[accs_at_3 + d] = biases[biases_at + d];
                            }
                        }
                    }
                }
            }
            for (int kh = 0; kh < KH; kh++) {
                const int kernels_at = (D * KH * TD * k + kh) * KW * C;
                const int input_at_2 = input_at + C * W * kh;
                for (int kw_2 = 0; kw_2 < KW; kw_2++) {
                    const int kernels_at_2 = kernels_at + C * kw_2;
                    const int input_at_3 = input_at_2 + C * kw_2;
                    for (int c = 0; c < C / BK; c++) {
                        const int kernels_at_3 = kernels_at_2 + BK * c;
                        for (int td = 0; td < TD; td++) {
                            const int kernels_at_4 = kernels_at_3 + C * D * KH * KW * td;
                            for (int d = 0; d < D; d++) {
                                const int kernels_at_5 = kernels_at_4 + C * KH * KW * d;
                                const int kept_at = (D * td + d) * BK;
                                for (int bk = 0; bk < BK; bk++) {
                                    kept[kept_at + bk] = kernels[kernels_at_5 + bk];
                                }
                            }
                        }
                        const int input_at_4 = input_at_3 + BK * c;
                        for (int tr = 0; tr < TR; tr++) {
                            const int input_at_5 = input_at_4 + C * W * tr;
                            for (int tq = 0; tq < TQ; tq++) {
                                const int input_at_6 = input_at_5 + C * Q * tq;
                                const int kept_2_at = (TQ * tr + tq) * Q * BK;
                                for (int q = 0; q < Q; q++) {
                                    const int input_at_7 = input_at_6 + C * q;
                                    const int kept_2_at_2 = kept_2_at + BK * q;
                                    for (int bk = 0; bk < BK; bk++) {
                                        kept_2[kept_2_at_2 + bk] = TR * h + kh + tr - 1 >= 0 && TR * h + kh + tr - 1 < H && (TQ * kw + tq) * Q + kw_2 + q - 1 >= 0 && (TQ * kw + tq) * Q + kw_2 + q - 1 < W ? input[input_at_7 + (-W - 1) * C + bk] : 0.0f;
                                    }
                                }
                            }
                        }
                        for (int tr = 0; tr < TR; tr++) {
                            for (int tq = 0; tq < TQ; tq++) {
                                const int kept_2_at = (TQ * tr + tq) * Q * BK;
                                const int accs_at = (TQ * tr + tq) * TD * Q * D;
                                for (int td = 0; td < TD; td++) {
                                    const int accs_at_2 = accs_at + D * Q * td;
                                    float kept_0 = kept_2[kept_2_at];
                                    float kept_1 = kept_2[kept_2_at + BK];
                                    float kept_2_2 = kept_2[kept_2_at + 1];
                                    float kept_3 = kept_2[kept_2_at + BK + 1];
                                    float kept_0_2 = kept[BK * D * td];
                                    float kept_1_2 = kept[(D * td + 1) * BK];
                                    float kept_2_3 = kept[BK * D * td + 1];
                                    float kept_3_2 = kept[(D * td + 1) * BK + 1];
                                    const float x = kept_0;
                                    accs[accs_at_2] = accs[accs_at_2] + x * kept_0_2;
                                    accs[accs_at_2 + 1] = accs[accs_at_2 + 1] + x * kept_1_2;
                                    const float x_2 = kept_1;
                                    accs[accs_at_2 + D] = accs[accs_at_2 + D] + x_2 * kept_0_2;
                                    accs[accs_at_2 + D + 1] = accs[accs_at_2 + D + 1] + x_2 * kept_1_2;
                                    const float x_3 = kept_2_2;
                                    accs[accs_at_2] = accs[accs_at_2] + x_3 * kept_2_3;
                                    accs[accs_at_2 + 1] = accs[accs_at_2 + 1] + x_3 * kept_3_2;
                                    const float x_4 = kept_3;
                                    accs[accs_at_2 + D] = accs[accs_at_2 + D] + x_4 * kept_2_3;
                                    accs[accs_at_2 + D + 1] = accs[accs_at_2 + D + 1] + x_4 * kept_3_2;
                                }
                            }
                        }
                    }
                }
            }
            const int output_at_2 = output_at + D * TD * k;
            for (int tr = 0; tr < TR; tr++) {
                const int output_at_3 = output_at_2 + (W + 3 - KW) * tr * K;
                for (int tq = 0; tq < TQ; tq++) {
                    const int accs_at = (TQ * tr + tq) * TD * Q * D;
                    const int output_at_4 = output_at_3 + K * Q * tq;
                    for (int td = 0; td < TD; td++) {
                        const int accs_at_2 = accs_at + D * Q * td;
                        const int output_at_5 = output_at_4 + D * td;
                        for (int q = 0; q < Q; q++) {
                            const int accs_at_3 = accs_at_2 + D * q;
                            const int output_at_6 = output_at_5 + K * q;
                            for (int d = 0; d < D; d++) {
                                output[output_at_6 + d] = accs[accs_at_3 + d];
                            }
                        }
                    }
                }
            }
        }
    }
}
