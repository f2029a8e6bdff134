#include <math.h>
#include <stdint.h>

typedef float float4 __attribute__((vector_size(16), aligned(4), may_alias));

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
                const int accs_at = 4 * gm + 32 * gn;
                for (int tn = 0; tn < TN; tn++) {
                    accs[accs_at + tn] = ((float4)((0.0f) - (float4){0}));
                }
            }
        }
        for (int c = 0; c < C / BK; c++) {
            const int input_at = BK * H * W * c + GM * TM * h;
            for (int gn = 0; gn < GN; gn++) {
                const int input_at_2 = input_at + H * W * gn;
                const int kept_at = (GM * TM + P) * gn;
                for (int gm = 0; gm < GM; gm++) {
                    *(float4 *)(kept + kept_at + W_ * gm) = *(const float4 *)(input + input_at_2 + TM * gm);
                }
            }
            const int kernels_at = C * GN * TN * k + BK * c;
            for (int gn = 0; gn < GN; gn++) {
                const int kernels_at_2 = kernels_at + C * TN * gn;
                for (int gm = 0; gm < GM; gm++) {
                    const float4 vector = *(const float4 *)(kernels + kernels_at_2 + C * (gm / 2) + W_ * gm % BK);
                    kept_2[(GM * gn + gm) * W_ / BK + 144 * (gm % 2)] = vector[0];
                    kept_2[((GM * gn + gm) * W_ + 1) / BK + 144 * (gm % 2) + 36] = vector[1];
                    kept_2[((GM * gn + gm) * W_ + 2) / BK + 144 * (gm % 2) + 72] = vector[2];
                    kept_2[((GM * gn + gm) * W_ + 3) / BK + 144 * (gm % 2) + 108] = vector[3];
                }
            }
            for (int gn = 0; gn < GN; gn++) {
                for (int gm = 0; gm < GM; gm++) {
                    const int accs_at = 4 * gm + 32 * gn;
                    for (int bk = 0; bk < GN * W_ * (BK * GM * TM / W_ / GM / GN) / TM; bk++) {
                        const int kept_2_at = (P + 32) * bk + TN * gn;
                        const int kept_at = (GM * bk + gm) * TM + P * bk;
                        for (int tn = 0; tn < TN; tn++) {
                            const int accs_at_2 = accs_at + tn;
                            const float w = kept_2[kept_2_at + tn];
                            accs[accs_at_2] = accs[accs_at_2] + *(const float4 *)(kept + kept_at) * ((float4)((w) - (float4){0}));
                        }
                    }
                }
            }
        }
        const int output_at = GN * H * TN * W * k + GM * V * h;
        for (int gn = 0; gn < GN; gn++) {
            const int output_at_2 = output_at + H * TN * W * gn;
            for (int gm = 0; gm < GM; gm++) {
                const int accs_at = 4 * gm + 32 * gn;
                const int output_at_3 = output_at_2 + V * gm;
                for (int tn = 0; tn < TN; tn++) {
                    *(float4 *)(output + output_at_3 + H * W * tn) = accs[accs_at + tn];
                }
            }
        }
    }
}
