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
                    const int biases_at = (GN * k + gn) * TN;
                    const int accs_at = 32 * gm + 4 * gn;
                    for (int tm = 0; tm < TM; tm++) {
                        accs[accs_at + tm] = *(const float4 *)(biases + biases_at);
                    }
                }
            }
            for (int gm = 0; gm < GM; gm++) {
                const int kernels_at = (GN * k + gm) * TN * KW * KH * C;
                for (int gn = 0; gn < GN; gn++) {
                    next[8 * gm + gn] = *(const float4 *)(kernels + kernels_at + C * KH * KW * (gn / 2) + W_ * gn % BK);
                }
            }
            for (int gm = 0; gm < GM; gm++) {
                const int at = (gm + 8 * h) / 14;
                const int input_at = C * W * ((gm + 8 * h) / 14);
                for (int gn = 0; gn < GN; gn++) {
                    next_2[8 * gm + gn] = at - 1 >= 0 && ((GM * h + gm) * TM + gn / 2) % (W + 3 - KW) - 1 >= 0 ? *(const float4 *)(input + input_at + (((GM * h + gm) * TM + gn / 2) % (W + 3 - KW) - W - 1) * C + W_ * gn % BK) : ((float4)((0.0f) - (float4){0}));
                }
            }
            for (int i = 0; i < KH * KW * (C / BK); i++) {
                const int at = (i + 1) / (8 * KW);
                const int at_2 = (i + 1) / 8 % KW;
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
                    const int kernels_at = 8 * i + 18432 * k;
                    for (int gm = 0; gm < GM; gm++) {
                        const int kernels_at_2 = kernels_at + 2304 * gm;
                        for (int gn = 0; gn < GN; gn++) {
                            next[8 * gm + gn] = *(const float4 *)(kernels + kernels_at_2 + 576 * (gn / 2) + 4 * (gn % 2) + 8);
                        }
                    }
                    const int input_at = 3584 * ((i + 1) / 24) + 8 * ((i + 1) % 24);
                    for (int gm = 0; gm < GM; gm++) {
                        const int at_3 = at + (gm + 8 * h) / 14;
                        const int input_at_2 = input_at + 3584 * ((gm + 8 * h) / 14);
                        for (int gn = 0; gn < GN; gn++) {
                            const int at_4 = at_2 + ((GM * h + gm) * TM + gn / 2) % (W + 3 - KW);
                            next_2[8 * gm + gn] = at_3 - 1 >= 0 && at_3 - 1 < H && at_4 - 1 >= 0 && at_4 - 1 < W ? *(const float4 *)(input + input_at_2 + 4 * (gn % 2) + 64 * ((4 * gm + 32 * h + gn / 2) % 56) - 3648) : ((float4)((0.0f) - (float4){0}));
                        }
                    }
                }
                for (int gm = 0; gm < GM; gm++) {
                    for (int gn = 0; gn < GN; gn++) {
                        const int accs_at = 32 * gm + 4 * gn;
                        for (int bk = 0; bk < BK; bk++) {
                            const int kept_2_at = (P + 32) * bk + TM * gm;
                            const int kept_at = (P + 32) * bk + TN * gn;
                            for (int tm = 0; tm < TM; tm++) {
                                const int accs_at_2 = accs_at + tm;
                                const float x = kept_2[kept_2_at + tm];
                                accs[accs_at_2] = accs[accs_at_2] + ((float4)((x) - (float4){0})) * *(const float4 *)(kept + kept_at);
                            }
                        }
                    }
                }
            }
            for (int gm = 0; gm < GM; gm++) {
                const int output_at = GN * V * k + 3584 * ((gm + 8 * h) / 14);
                for (int gn = 0; gn < GN; gn++) {
                    const int accs_at = 32 * gm + 4 * gn;
                    const int output_at_2 = output_at + V * gn;
                    for (int tm = 0; tm < TM; tm++) {
                        *(float4 *)(output + output_at_2 + K * (((GM * h + gm) * TM + tm) % (W + 3 - KW))) = accs[accs_at + tm];
                    }
                }
            }
        }
    }
}
