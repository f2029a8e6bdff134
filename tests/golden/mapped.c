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
        for (int k = 0; k < K / (D * TD); k++) {
            for (int tr = 0; tr < TR; tr++) {
                for (int tq = 0; tq < TQ; tq++) {
                    for (int td = 0; td < TD; td++) {
                        for (int q = 0; q < Q; q++) {
                            for (int d = 0; d < D; d++) {
                                accs[(((TQ * tr + tq) * TD + td) * Q + q) * D + d] = biases[(TD * k + td) * D + d];
                            }
                        }
                    }
                }
            }
            for (int kh = 0; kh < KH; kh++) {
                for (int kw_2 = 0; kw_2 < KW; kw_2++) {
                    for (int c = 0; c < C / BK; c++) {
                        for (int td = 0; td < TD; td++) {
                            for (int d = 0; d < D; d++) {
                                for (int bk = 0; bk < BK; bk++) {
                                    kept[(D * td + d) * BK + bk] = kernels[((((TD * k + td) * D + d) * KH + kh) * KW + kw_2) * C + BK * c + bk];
                                }
                            }
                        }
                        for (int tr = 0; tr < TR; tr++) {
                            for (int tq = 0; tq < TQ; tq++) {
                                for (int q = 0; q < Q; q++) {
                                    for (int bk = 0; bk < BK; bk++) {
                                        kept_2[((TQ * tr + tq) * Q + q) * BK + bk] = TR * h + kh + tr - 1 >= 0 && TR * h + kh + tr - 1 < H && (TQ * kw + tq) * Q + kw_2 + q - 1 >= 0 && (TQ * kw + tq) * Q + kw_2 + q - 1 < W ? input[((TR * h + kh + tr - 1) * W + (TQ * kw + tq) * Q + kw_2 + q - 1) * C + BK * c + bk] : 0.0f;
                                    }
                                }
                            }
                        }
                        for (int tr = 0; tr < TR; tr++) {
                            for (int tq = 0; tq < TQ; tq++) {
                                for (int td = 0; td < TD; td++) {
                                    float kept_0 = kept_2[(TQ * tr + tq) * Q * BK];
                                    float kept_1 = kept_2[((TQ * tr + tq) * Q + 1) * BK];
                                    float kept_2_2 = kept_2[(TQ * tr + tq) * Q * BK + 1];
                                    float kept_3 = kept_2[((TQ * tr + tq) * Q + 1) * BK + 1];
                                    float kept_0_2 = kept[BK * D * td];
                                    float kept_1_2 = kept[(D * td + 1) * BK];
                                    float kept_2_3 = kept[BK * D * td + 1];
                                    float kept_3_2 = kept[(D * td + 1) * BK + 1];
                                    const float x = kept_0;
                                    accs[((TQ * tr + tq) * TD + td) * Q * D] = accs[((TQ * tr + tq) * TD + td) * Q * D] + x * kept_0_2;
                                    accs[((TQ * tr + tq) * TD + td) * Q * D + 1] = accs[((TQ * tr + tq) * TD + td) * Q * D + 1] + x * kept_1_2;
                                    const float x_2 = kept_1;
                                    accs[(((TQ * tr + tq) * TD + td) * Q + 1) * D] = accs[(((TQ * tr + tq) * TD + td) * Q + 1) * D] + x_2 * kept_0_2;
                                    accs[(((TQ * tr + tq) * TD + td) * Q + 1) * D + 1] = accs[(((TQ * tr + tq) * TD + td) * Q + 1) * D + 1] + x_2 * kept_1_2;
                                    const float x_3 = kept_2_2;
                                    accs[((TQ * tr + tq) * TD + td) * Q * D] = accs[((TQ * tr + tq) * TD + td) * Q * D] + x_3 * kept_2_3;
                                    accs[((TQ * tr + tq) * TD + td) * Q * D + 1] = accs[((TQ * tr + tq) * TD + td) * Q * D + 1] + x_3 * kept_3_2;
                                    const float x_4 = kept_3;
                                    accs[(((TQ * tr + tq) * TD + td) * Q + 1) * D] = accs[(((TQ * tr + tq) * TD + td) * Q + 1) * D] + x_4 * kept_2_3;
                                    accs[(((TQ * tr + tq) * TD + td) * Q + 1) * D + 1] = accs[(((TQ * tr + tq) * TD + td) * Q + 1) * D + 1] + x_4 * kept_3_2;
                                }
                            }
                        }
                    }
                }
            }
            for (int tr = 0; tr < TR; tr++) {
                for (int tq = 0; tq < TQ; tq++) {
                    for (int td = 0; td < TD; td++) {
                        for (int q = 0; q < Q; q++) {
                            for (int d = 0; d < D; d++) {
                                output[((W + 3 - KW) * h * TR + (W + 3 - KW) * tr + (TQ * kw + tq) * Q + q) * K + (TD * k + td) * D + d] = accs[(((TQ * tr + tq) * TD + td) * Q + q) * D + d];
                            }
                        }
                    }
                }
            }
        }
    }
}
