#include <math.h>
#include <stdint.h>

typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));

#define K 64
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
        for (int gm = 0; gm < GM; gm++) {
            for (int gn = 0; gn < GN; gn++) {
                for (int tm = 0; tm < TM; tm++) {
                    accs[64 * gm + 4 * gn + tm] = *(const float4 *)(biases + TN * gn);
                }
            }
        }
        for (int kh = 0; kh < KH; kh++) {
            for (int c = 0; c < C / BK; c++) {
                for (int bk = 0; bk < BK * GN * KW * TN / W_ / GN / GM; bk++) {
                    for (int gm = 0; gm < GM; gm++) {
                        for (int gn = 0; gn < GN; gn++) {
                            const float4 vector = *(const float4 *)(kernels + (((TN * (((GM * bk + gm) * GN + gn) * W_ / (BK * KW * TN)) + ((GM * bk + gm) * GN + gn) * W_ / (BK * KW) % TN) * KH + kh) * KW + ((GM * bk + gm) * GN + gn) * W_ / BK % KW) * C + BK * c + W_ * gn % BK);
                            kept[((GM * bk + gm) * GN + gn) * W_ / (BK * KW) + 256 * ((2 * bk + 4 * gm + gn) % 6)] = vector[0];
                            kept[(((GM * bk + gm) * GN + gn) * W_ + 1) / (BK * KW) + 256 * ((2 * bk + 4 * gm + gn) % 6) + 64] = vector[1];
                            kept[(((GM * bk + gm) * GN + gn) * W_ + 2) / (BK * KW) + 256 * ((2 * bk + 4 * gm + gn) % 6) + 128] = vector[2];
                            kept[(((GM * bk + gm) * GN + gn) * W_ + 3) / (BK * KW) + 256 * ((2 * bk + 4 * gm + gn) % 6) + 192] = vector[3];
                        }
                    }
                }
                for (int gm = 0; gm < GM; gm++) {
                    for (int gn = 0; gn < GN; gn++) {
                        if (GN * gm + gn < (GM * TM + KW - 1) * BK / W_) {
                            const float4 vector = kh + kw / 7 - 1 >= 0 && kh + kw / 7 - 1 < H && GM * TM * (kw % 7) + (GN * gm + gn) * W_ / BK - 1 >= 0 && GM * TM * (kw % 7) + (GN * gm + gn) * W_ / BK - 1 < W ? *(const float4 *)(input + BK * c + 512 * gm + 3584 * kh + 512 * kw + 64 * (gn / 2) + W_ * gn % BK - 3648) : ((float4)((0.0f) - (float4){0}));
                            kept_2[(GN * gm + gn) * W_ / BK + 40 * (gn % 2)] = vector[0];
                            kept_2[((GN * gm + gn) * W_ + 1) / BK + 40 * (gn % 2) + 10] = vector[1];
                            kept_2[((GN * gm + gn) * W_ + 2) / BK + 40 * (gn % 2) + 20] = vector[2];
                            kept_2[((GN * gm + gn) * W_ + 3) / BK + 40 * (gn % 2) + 30] = vector[3];
                        }
                    }
                }
                for (int gm = 0; gm < GM; gm++) {
                    for (int gn = 0; gn < GN; gn++) {
                        for (int bk = 0; bk < BK; bk++) {
                            for (int kw_2 = 0; kw_2 < KW; kw_2++) {
                                for (int tm = 0; tm < TM; tm++) {
                                    const float x = kept_2[(P + 10) * bk + TM * gm + kw_2 + tm];
                                    accs[64 * gm + 4 * gn + tm] = accs[64 * gm + 4 * gn + tm] + ((float4)((x) - (float4){0})) * *(const float4 *)(kept + (P + 64) * kw_2 * BK + (P + 64) * bk + TN * gn);
                                }
                            }
                        }
                    }
                }
            }
        }
        for (int gm = 0; gm < GM; gm++) {
            for (int gn = 0; gn < GN; gn++) {
                for (int tm = 0; tm < TM; tm++) {
                    *(float4 *)(output + V * gn + 256 * gm + 512 * kw + 64 * tm) = accs[64 * gm + 4 * gn + tm];
                }
            }
        }
    }
}
