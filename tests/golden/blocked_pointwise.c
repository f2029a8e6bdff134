#include <math.h>
#include <stdint.h>

typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));

#define K 64
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
#define P 4

void pointwise(void *const *arrays, const void *const *scalars, long begin, long end)
{
    const float *restrict kernels = arrays[0];
    const float *restrict input = arrays[1];
    float *restrict output = arrays[2];
    for (long item = begin; item < end; item++) {
        float4 accs[256];
        float kept[8 * GM * TM + 8 * P] __attribute__((aligned(64)));
        float kept_2[(P + 32) * BK] __attribute__((aligned(64)));
        const int k = item / 98;
        const int h = item % 98;
        for (int gn = 0; gn < GN; gn++) {
            for (int gm = 0; gm < GM; gm++) {
                for (int tn = 0; tn < TN; tn++) {
                    accs[4 * gm + 32 * gn + tn] = ((float4)((0.0f) - (float4){0}));
                }
            }
        }
        for (int c = 0; c < C / BK; c++) {
            for (int gn = 0; gn < GN; gn++) {
                for (int gm = 0; gm < GM; gm++) {
                    *(float4 *)(kept + (GM * TM + P) * gn + W_ * gm) = *(const float4 *)(input + (BK * c + gn) * W * H + (GM * h + gm) * TM);
                }
            }
            for (int gn = 0; gn < GN; gn++) {
                for (int gm = 0; gm < GM; gm++) {
                    const float4 vector = *(const float4 *)(kernels + ((GN * k + gn) * TN + gm / 2) * C + BK * c + W_ * gm % BK);
                    kept_2[(GM * gn + gm) * W_ / BK + 144 * (gm % 2)] = vector[0];
                    kept_2[((GM * gn + gm) * W_ + 1) / BK + 144 * (gm % 2) + 36] = vector[1];
                    kept_2[((GM * gn + gm) * W_ + 2) / BK + 144 * (gm % 2) + 72] = vector[2];
                    kept_2[((GM * gn + gm) * W_ + 3) / BK + 144 * (gm % 2) + 108] = vector[3];
                }
            }
            for (int gn = 0; gn < GN; gn++) {
                for (int gm = 0; gm < GM; gm++) {
                    for (int bk = 0; bk < GN * W_ * (BK * GM * TM / W_ / GM / GN) / TM; bk++) {
                        for (int tn = 0; tn < TN; tn++) {
                            const float w = kept_2[(P + 32) * bk + TN * gn + tn];
                            accs[4 * gm + 32 * gn + tn] = accs[4 * gm + 32 * gn + tn] + *(const float4 *)(kept + (GM * bk + gm) * TM + P * bk) * ((float4)((w) - (float4){0}));
                        }
                    }
                }
            }
        }
        for (int gn = 0; gn < GN; gn++) {
            for (int gm = 0; gm < GM; gm++) {
                for (int tn = 0; tn < TN; tn++) {
                    *(float4 *)(output + ((GN * k + gn) * TN + tn) * W * H + (GM * h + gm) * V) = accs[4 * gm + 32 * gn + tn];
                }
            }
        }
    }
}
