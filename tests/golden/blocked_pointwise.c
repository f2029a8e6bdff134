#include <math.h>
#include <stdint.h>

typedef float lift_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));

#define C_ 64
#define H_ 56
#define W_ 56
#define GM_ 8
#define GN_ 8
#define TM_ 4
#define TN_ 4
#define BK_ 8
#define W_2_ 4
#define V_ 4
#define P_ 4

void pointwise_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict kernels_ = lift_arrays[0];
    const float *restrict input_ = lift_arrays[1];
    float *restrict output_ = lift_arrays[2];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        lift_f32x4 accs_[256];
        float input_tile_[8 * GM_ * TM_ + 8 * P_] __attribute__((aligned(64)));
        float kernels_tile_[(P_ + 32) * BK_] __attribute__((aligned(64)));
        const long k_ = lift_item / 98;
        const long h_ = lift_item % 98;
        for (long gn_ = 0; gn_ < GN_; gn_++) {
            for (long gm_ = 0; gm_ < GM_; gm_++) {
                const long accs_at_ = 4 * gm_ + 32 * gn_;
                for (long tn_ = 0; tn_ < TN_; tn_++) {
                    accs_[accs_at_ + tn_] = ((lift_f32x4)((0.0f) - (lift_f32x4){0}));
                }
            }
        }
        for (long c_ = 0; c_ < C_ / BK_; c_++) {
            const long input_at_ = BK_ * H_ * W_ * c_ + GM_ * TM_ * h_;
            for (long gn_ = 0; gn_ < GN_; gn_++) {
                const long input_at_2_ = input_at_ + H_ * W_ * gn_;
                const long input_tile_at_ = (GM_ * TM_ + P_) * gn_;
                for (long gm_ = 0; gm_ < GM_; gm_++) {
                    *(lift_f32x4 *)(input_tile_ + input_tile_at_ + W_2_ * gm_) = *(const lift_f32x4 *)(input_ + input_at_2_ + TM_ * gm_);
                }
            }
            const long kernels_at_ = C_ * GN_ * TN_ * k_ + BK_ * c_;
            for (long gn_ = 0; gn_ < GN_; gn_++) {
                const long kernels_at_2_ = kernels_at_ + C_ * TN_ * gn_;
                for (long gm_ = 0; gm_ < GM_; gm_++) {
                    const long kernels_tile_at_ = (GM_ * gn_ + gm_) * W_2_ / BK_ + 144 * (gm_ % 2);
                    const lift_f32x4 vector_ = *(const lift_f32x4 *)(kernels_ + kernels_at_2_ + C_ * (gm_ / 2) + W_2_ * gm_ % BK_);
                    kernels_tile_[kernels_tile_at_] = vector_[0];
                    kernels_tile_[kernels_tile_at_ + 36] = vector_[1];
                    kernels_tile_[kernels_tile_at_ + 72] = vector_[2];
                    kernels_tile_[kernels_tile_at_ + 108] = vector_[3];
                }
            }
            for (long gn_ = 0; gn_ < GN_; gn_++) {
                for (long gm_ = 0; gm_ < GM_; gm_++) {
                    const long accs_at_ = 4 * gm_ + 32 * gn_;
                    for (long bk_ = 0; bk_ < GN_ * W_2_ * (BK_ * GM_ * TM_ / W_2_ / GM_ / GN_) / TM_; bk_++) {
                        const long kernels_tile_at_ = (P_ + 32) * bk_ + TN_ * gn_;
                        const long input_tile_at_ = (GM_ * bk_ + gm_) * TM_ + P_ * bk_;
                        for (long tn_ = 0; tn_ < TN_; tn_++) {
                            const long accs_at_2_ = accs_at_ + tn_;
                            const float w_ = kernels_tile_[kernels_tile_at_ + tn_];
                            accs_[accs_at_2_] = accs_[accs_at_2_] + *(const lift_f32x4 *)(input_tile_ + input_tile_at_) * ((lift_f32x4)((w_) - (lift_f32x4){0}));
                        }
                    }
                }
            }
        }
        const long output_at_ = GN_ * H_ * TN_ * W_ * k_ + GM_ * V_ * h_;
        for (long gn_ = 0; gn_ < GN_; gn_++) {
            const long output_at_2_ = output_at_ + H_ * TN_ * W_ * gn_;
            for (long gm_ = 0; gm_ < GM_; gm_++) {
                const long accs_at_ = 4 * gm_ + 32 * gn_;
                const long output_at_3_ = output_at_2_ + V_ * gm_;
                for (long tn_ = 0; tn_ < TN_; tn_++) {
                    *(lift_f32x4 *)(output_ + output_at_3_ + H_ * W_ * tn_) = accs_[accs_at_ + tn_];
                }
            }
        }
    }
}
