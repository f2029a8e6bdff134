#include <math.h>
#include <stdint.h>

typedef float lift_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));

#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define GM_ 2
#define GN_ 16
#define TM_ 4
#define TN_ 4
#define BK_ 8
#define W_2_ 4
#define V_ 4
#define P_ 0

void convolution_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict kernels_ = lift_arrays[0];
    const float *restrict biases_ = lift_arrays[1];
    const float *restrict input_ = lift_arrays[2];
    float *restrict output_ = lift_arrays[3];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        lift_f32x4 accs_[128];
        float kernels_tile_[(P_ + 64) * KW_ * BK_] __attribute__((aligned(64)));
        float input_tile_[(P_ + 10) * BK_] __attribute__((aligned(64)));
        const long kw_ = lift_item;
        const long at_ = kw_ / 7;
        const long at_2_ = GM_ * TM_ * (kw_ % 7);
        for (long gm_ = 0; gm_ < GM_; gm_++) {
            for (long gn_ = 0; gn_ < GN_; gn_++) {
                const long accs_at_ = 64 * gm_ + 4 * gn_;
                for (long tm_ = 0; tm_ < TM_; tm_++) {
                    accs_[accs_at_ + tm_] = *(const lift_f32x4 *)(biases_ + TN_ * gn_);
                }
            }
        }
        for (long kh_ = 0; kh_ < KH_; kh_++) {
            const long input_at_ = 3584 * kh_ + 512 * kw_;
            for (long c_ = 0; c_ < C_ / BK_; c_++) {
                const long kernels_at_ = C_ * KW_ * kh_ + BK_ * c_;
                for (long bk_ = 0; bk_ < BK_ * GN_ * KW_ * TN_ / W_2_ / GN_ / GM_; bk_++) {
                    for (long gm_ = 0; gm_ < GM_; gm_++) {
                        for (long gn_ = 0; gn_ < GN_; gn_++) {
                            const long kernels_tile_at_ = ((GM_ * bk_ + gm_) * GN_ + gn_) * W_2_ / (BK_ * KW_) + 256 * ((2 * bk_ + 4 * gm_ + gn_) % 6);
                            const lift_f32x4 vector_ = *(const lift_f32x4 *)(kernels_ + kernels_at_ + ((TN_ * (((GM_ * bk_ + gm_) * GN_ + gn_) * W_2_ / (BK_ * KW_ * TN_)) + ((GM_ * bk_ + gm_) * GN_ + gn_) * W_2_ / (BK_ * KW_) % TN_) * KW_ * KH_ + ((GM_ * bk_ + gm_) * GN_ + gn_) * W_2_ / BK_ % KW_) * C_ + W_2_ * gn_ % BK_);
                            kernels_tile_[kernels_tile_at_] = vector_[0];
                            kernels_tile_[kernels_tile_at_ + 64] = vector_[1];
                            kernels_tile_[kernels_tile_at_ + 128] = vector_[2];
                            kernels_tile_[kernels_tile_at_ + 192] = vector_[3];
                        }
                    }
                }
                const long input_at_2_ = input_at_ + BK_ * c_;
                for (long gm_ = 0; gm_ < GM_; gm_++) {
                    const long input_at_3_ = input_at_2_ + 512 * gm_;
                    for (long gn_ = 0; gn_ < GN_; gn_++) {
                        const long at_3_ = at_2_ + (GN_ * gm_ + gn_) * W_2_ / BK_;
                        const long input_tile_at_ = (GN_ * gm_ + gn_) * W_2_ / BK_ + 40 * (gn_ % 2);
                        if (GN_ * gm_ + gn_ < (GM_ * TM_ + KW_ - 1) * BK_ / W_2_) {
                            const lift_f32x4 vector_ = at_ + kh_ - 1 >= 0 && at_ + kh_ - 1 < H_ && at_3_ - 1 >= 0 && at_3_ - 1 < W_ ? (lift_f32x4)(*(const lift_f32x4 *)(input_ + input_at_3_ + 64 * (gn_ / 2) + W_2_ * gn_ % BK_ - 3648)) : (lift_f32x4)(((lift_f32x4)((0.0f) - (lift_f32x4){0})));
                            input_tile_[input_tile_at_] = vector_[0];
                            input_tile_[input_tile_at_ + 10] = vector_[1];
                            input_tile_[input_tile_at_ + 20] = vector_[2];
                            input_tile_[input_tile_at_ + 30] = vector_[3];
                        }
                    }
                }
                for (long gm_ = 0; gm_ < GM_; gm_++) {
                    for (long gn_ = 0; gn_ < GN_; gn_++) {
                        const long accs_at_ = 64 * gm_ + 4 * gn_;
                        for (long bk_ = 0; bk_ < BK_; bk_++) {
                            const long input_tile_at_ = (P_ + 10) * bk_ + TM_ * gm_;
                            const long kernels_tile_at_ = (P_ + 64) * bk_ + TN_ * gn_;
                            for (long kw_2_ = 0; kw_2_ < KW_; kw_2_++) {
                                const long input_tile_at_2_ = input_tile_at_ + kw_2_;
                                const long kernels_tile_at_2_ = kernels_tile_at_ + (P_ + 64) * kw_2_ * BK_;
                                for (long tm_ = 0; tm_ < TM_; tm_++) {
                                    const long accs_at_2_ = accs_at_ + tm_;
                                    const float x_ = input_tile_[input_tile_at_2_ + tm_];
                                    accs_[accs_at_2_] = accs_[accs_at_2_] + ((lift_f32x4)((x_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(kernels_tile_ + kernels_tile_at_2_);
                                }
                            }
                        }
                    }
                }
            }
        }
        for (long gm_ = 0; gm_ < GM_; gm_++) {
            const long output_at_ = 256 * gm_ + 512 * kw_;
            for (long gn_ = 0; gn_ < GN_; gn_++) {
                const long accs_at_ = 64 * gm_ + 4 * gn_;
                const long output_at_2_ = output_at_ + V_ * gn_;
                for (long tm_ = 0; tm_ < TM_; tm_++) {
                    *(lift_f32x4 *)(output_ + output_at_2_ + 64 * tm_) = accs_[accs_at_ + tm_];
                }
            }
        }
    }
}
