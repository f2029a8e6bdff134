#include <math.h>
#include <stdint.h>

typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));

#define K 64
#define KH 3
#define KW 3
#define C 64
#define H 56
#define W 56
#define GM 8
#define GN 8
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
        float4 accs[256];
        float4 next[64];
        float4 next_2[64];
        float kept[(P + 32) * BK] __attribute__((aligned(64)));
        float kept_2[(P + 32) * BK] __attribute__((aligned(64)));
        const int h = item;
        for (int k = 0; k < K / (GN * TN); k++) {
            for (int gm = 0; gm < GM; gm++) {
                for (int gn = 0; gn < GN; gn++) {
                    for (int tm = 0; tm < TM; tm++) {
                        accs[32 * gm + 4 * gn + tm] = *(const float4 *)(biases + (GN * k + gn) * TN);
                    }
                }
            }
            for (int gm = 0; gm < GM; gm++) {
                for (int gn = 0; gn < GN; gn++) {
                    next[8 * gm + gn] = *(const float4 *)(kernels + ((GN * k + gm) * TN + gn / 2) * KW * KH * C + W_ * gn % BK);
                }
            }
            for (int gm = 0; gm < GM; gm++) {
                for (int gn = 0; gn < GN; gn++) {
                    next_2[8 * gm + gn] = (gm + 8 * h) / 14 - 1 >= 0 && ((GM * h + gm) * TM + gn / 2) % (W + 3 - KW) - 1 >= 0 ? *(const float4 *)(input + (((gm + 8 * h) / 14 - 1) * W + ((GM * h + gm) * TM + gn / 2) % (W + 3 - KW) - 1) * C + W_ * gn % BK) : ((float4)((0.0f) - (float4){0}));
                }
            }
            for (int i = 0; i < KH * KW * (C / BK); i++) {
                for (int gm = 0; gm < GM; gm++) {
                    for (int gn = 0; gn < GN; gn++) {
                        const float4 vector = next[8 * gm + gn];
                        kept[(GN * gm + gn) * W_ / BK + 128 * (gn % 2)] = vector[0];
                        kept[((GN * gm + gn) * W_ + 1) / BK + 128 * (gn % 2) + 32] = vector[1];
                        kept[((GN * gm + gn) * W_ + 2) / BK + 128 * (gn % 2) + 64] = vector[2];
                        kept[((GN * gm + gn) * W_ + 3) / BK + 128 * (gn % 2) + 96] = vector[3];
                    }
                }
                for (int gm = 0; gm < GM; gm++) {
                    for (int gn = 0; gn < GN; gn++) {
                        const float4 vector = next_2[8 * gm + gn];
                        kept_2[(GN * gm + gn) * W_ / BK + 128 * (gn % 2)] = vector[0];
                        kept_2[((GN * gm + gn) * W_ + 1) / BK + 128 * (gn % 2) + 32] = vector[1];
                        kept_2[((GN * gm + gn) * W_ + 2) / BK + 128 * (gn % 2) + 64] = vector[2];
                        kept_2[((GN * gm + gn) * W_ + 3) / BK + 128 * (gn % 2) + 96] = vector[3];
                    }
                }
                if (i + 1 < KH * KW * (C / BK)) {
                    for (int gm = 0; gm < GM; gm++) {
                        for (int gn = 0; gn < GN; gn++) {
                            next[8 * gm + gn] = *(const float4 *)(kernels + 2304 * gm + 8 * i + 18432 * k + 576 * (gn / 2) + 4 * (gn % 2) + 8);
                        }
                    }
                    for (int gm = 0; gm < GM; gm++) {
                        for (int gn = 0; gn < GN; gn++) {
                            next_2[8 * gm + gn] = (gm + 8 * h) / 14 + (i + 1) / (8 * KW) - 1 >= 0 && (gm + 8 * h) / 14 + (i + 1) / (8 * KW) - 1 < H && ((GM * h + gm) * TM + gn / 2) % (W + 3 - KW) + (i + 1) / 8 % KW - 1 >= 0 && ((GM * h + gm) * TM + gn / 2) % (W + 3 - KW) + (i + 1) / 8 % KW - 1 < W ? *(const float4 *)(input + 3584 * ((gm + 8 * h) / 14) + 3584 * ((i + 1) / 24) + 4 * (gn % 2) + 8 * ((i + 1) % 24) + 64 * ((4 * gm + 32 * h + gn / 2) % 56) - 3648) : ((float4)((0.0f) - (float4){0}));
                        }
                    }
                }
                for (int gm = 0; gm < GM; gm++) {
                    for (int gn = 0; gn < GN; gn++) {
                        for (int bk = 0; bk < BK; bk++) {
                            for (int tm = 0; tm < TM; tm++) {
                                const float x = kept_2[(P + 32) * bk + TM * gm + tm];
                                accs[32 * gm + 4 * gn + tm] = accs[32 * gm + 4 * gn + tm] + ((float4)((x) - (float4){0})) * *(const float4 *)(kept + (P + 32) * bk + TN * gn);
                            }
                        }
                    }
                }
            }
            for (int gm = 0; gm < GM; gm++) {
                for (int gn = 0; gn < GN; gn++) {
                    for (int tm = 0; tm < TM; tm++) {
                        *(float4 *)(output + (GN * k + gn) * V + K * (((GM * h + gm) * TM + tm) % (W + 3 - KW)) + 3584 * ((gm + 8 * h) / 14)) = accs[32 * gm + 4 * gn + tm];
                    }
                }
            }
        }
    }
}
