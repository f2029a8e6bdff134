#include <math.h>
#include <stdint.h>

typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));

#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define GM 2
#define GN 16
#define TM 4
#define TN 4
#define BK 8
#define W_ 4
#define V 4
#define P 0

void convolution(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict kernels = arrays[0];
    const float *restrict biases = arrays[1];
    const float *restrict input = arrays[2];
    float *restrict output = arrays[3];
    for (long item = begin; item < end; item++) {
        float4 accs[128];
        float kept[(P + 64) * KW * BK] __attribute__((aligned(64)));
        float kept_2[(P + 10) * BK] __attribute__((aligned(64)));
        const int kw = item;
        const int at = kw / 7;
        const int at_2 = GM * TM * (kw % 7);
        for (int gm = 0; gm < GM; gm++) {
            for (int gn = 0; gn < GN; gn++) {
                const int accs_at = 64 * gm + 4 * gn;
                for (int tm = 0; tm < TM; tm++) {
                    accs[accs_at + tm] = *(const float4 *)(biases + TN * gn);
                }
            }
        }
        for (int kh = 0; kh < KH; kh++) {
            const int input_at = 3584 * kh + 512 * kw;
            for (int c = 0; c < C / BK; c++) {
                const int kernels_at = C * KW * kh + BK * c;
                for (int bk = 0; bk < BK * GN * KW * TN / W_ / GN / GM; bk++) {
                    for (int gm = 0; gm < GM; gm++) {
                        for (int gn = 0; gn < GN; gn++) {
                            const float4 vector = *(const float4 *)(kernels + kernels_at + ((TN * (((GM * bk + gm) * GN + gn) * W_ / (BK * KW * TN)) + ((GM * bk + gm) * GN + gn) * W_ / (BK * KW) % TN) * KW * KH + ((GM * bk + gm) * GN + gn) * W_ / BK % KW) * C + W_ * gn % BK);
                            kept[((GM * bk + gm) * GN + gn) * W_ / (BK * KW) + 256 * ((2 * bk + 4 * gm + gn) % 6)] = vector[0];
                            kept[(((GM * bk + gm) * GN + gn) * W_ + 1) / (BK * KW) + 256 * ((2 * bk + 4 * gm + gn) % 6) + 64] = vector[1];
                            kept[(((GM * bk + gm) * GN + gn) * W_ + 2) / (BK * KW) + 256 * ((2 * bk + 4 * gm + gn) % 6) + 128] = vector[2];
                            kept[(((GM * bk + gm) * GN + gn) * W_ + 3) / (BK * KW) + 256 * ((2 * bk + 4 * gm + gn) % 6) + 192] = vector[3];
                        }
                    }
                }
                const int input_at_2 = input_at + BK * c;
                for (int gm = 0; gm < GM; gm++) {
                    const int input_at_3 = input_at_2 + 512 * gm;
                    for (int gn = 0; gn < GN; gn++) {
                        const int at_3 = at_2 + (GN * gm + gn) * W_ / BK;
                        if (GN * gm + gn < (GM * TM + KW - 1) * BK / W_) {
                            const float4 vector = at + kh - 1 >= 0 && at + kh - 1 < H && at_3 - 1 >= 0 && at_3 - 1 < W ? *(const float4 *)(input + input_at_3 + 64 * (gn / 2) + W_ * gn % BK - 3648) : ((float4)((0.0f) - (float4){0}));
                            kept_2[(GN * gm + gn) * W_ / BK + 40 * (gn % 2)] = vector[0];
                            kept_2[((GN * gm + gn) * W_ + 1) / BK + 40 * (gn % 2) + 10] = vector[1];
                            kept_2[((GN * gm + gn) * W_ + 2) / BK + 40 * (gn % 2) + 20] = vector[2];
                            kept_2[((GN * gm + gn) * W_ + 3) / BK + 40 * (gn % 2) + 30] = vector[3];
                        }
                    }
                }
                for (int gm = 0; gm < GM; gm++) {
                    for (int gn = 0; gn < GN; gn++) {
                        const int accs_at = 64 * gm + 4 * gn;
                        for (int bk = 0; bk < BK; bk++) {
                            const int kept_2_at = (P + 10) * bk + TM * gm;
                            const int kept_at = (P + 64) * bk + TN * gn;
                            for (int kw_2 = 0; kw_2 < KW; kw_2++) {
                                const int kept_2_at_2 = kept_2_at + kw_2;
                                const int kept_at_2 = kept_at + (P + 64) * kw_2 * BK;
                                for (int tm = 0; tm < TM; tm++) {
                                    const int accs_at_2 = accs_at + tm;
                                    const float x = kept_2[kept_2_at_2 + tm];
                                    accs[accs_at_2] = accs[accs_at_2] + ((float4)((x) - (float4){0})) * *(const float4 *)(kept + kept_at_2);
                                }
                            }
                        }
                    }
                }
            }
        }
        for (int gm = 0; gm < GM; gm++) {
            const int output_at = 256 * gm + 512 * kw;
            for (int gn = 0; gn < GN; gn++) {
                const int accs_at = 64 * gm + 4 * gn;
                const int output_at_2 = output_at + V * gn;
                for (int tm = 0; tm < TM; tm++) {
                    *(float4 *)(output + output_at_2 + 64 * tm) = accs[accs_at + tm];
                }
            }
        }
    }
}
