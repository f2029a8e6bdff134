#include <math.h>
#include <stdint.h>

typedef float lift_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));

#define K_ 64
#define KH_ 3
#define KW_ 3
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
#define P_ 0

void convolution_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict kernels_ = lift_arrays[0];
    const float *restrict biases_ = lift_arrays[1];
    const float *restrict input_ = lift_arrays[2];
    float *restrict output_ = lift_arrays[3];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        lift_f32x4 accs_[256];
        lift_f32x4 next_kernels_[64];
        lift_f32x4 next_input_[64];
        float kernels_tile_[(P_ + 32) * BK_] __attribute__((aligned(64)));
        float input_tile_[(P_ + 32) * BK_] __attribute__((aligned(64)));
        const long h_ = lift_item;
        for (long k_ = 0; k_ < K_ / (GN_ * TN_); k_++) {
            for (long gm_ = 0; gm_ < GM_; gm_++) {
                for (long gn_ = 0; gn_ < GN_; gn_++) {
                    const long biases_at_ = (GN_ * k_ + gn_) * TN_;
                    const long accs_at_ = 32 * gm_ + 4 * gn_;
                    for (long tm_ = 0; tm_ < TM_; tm_++) {
                        accs_[accs_at_ + tm_] = *(const lift_f32x4 *)(biases_ + biases_at_);
                    }
                }
            }
            for (long gm_ = 0; gm_ < GM_; gm_++) {
                const long kernels_at_ = (GN_ * k_ + gm_) * TN_ * KW_ * KH_ * C_;
                for (long gn_ = 0; gn_ < GN_; gn_++) {
                    next_kernels_[8 * gm_ + gn_] = *(const lift_f32x4 *)(kernels_ + kernels_at_ + C_ * KH_ * KW_ * (gn_ / 2) + W_2_ * gn_ % BK_);
                }
            }
            for (long gm_ = 0; gm_ < GM_; gm_++) {
                const long at_ = (gm_ + 8 * h_) / 14;
                const long input_at_ = C_ * W_ * ((gm_ + 8 * h_) / 14);
                for (long gn_ = 0; gn_ < GN_; gn_++) {
                    next_input_[8 * gm_ + gn_] = at_ - 1 >= 0 && ((GM_ * h_ + gm_) * TM_ + gn_ / 2) % (W_ + 3 - KW_) - 1 >= 0 ? (lift_f32x4)(*(const lift_f32x4 *)(input_ + input_at_ + (((GM_ * h_ + gm_) * TM_ + gn_ / 2) % (W_ + 3 - KW_) - W_ - 1) * C_ + W_2_ * gn_ % BK_)) : (lift_f32x4)(((lift_f32x4)((0.0f) - (lift_f32x4){0})));
                }
            }
            for (long i_ = 0; i_ < KH_ * KW_ * (C_ / BK_); i_++) {
                const long at_ = (i_ + 1) / (8 * KW_);
                const long at_2_ = (i_ + 1) / 8 % KW_;
                for (long gm_ = 0; gm_ < GM_; gm_++) {
                    for (long gn_ = 0; gn_ < GN_; gn_++) {
                        const long kernels_tile_at_ = (GN_ * gm_ + gn_) * W_2_ / BK_ + 128 * (gn_ % 2);
                        const lift_f32x4 vector_ = next_kernels_[8 * gm_ + gn_];
                        kernels_tile_[kernels_tile_at_] = vector_[0];
                        kernels_tile_[kernels_tile_at_ + 32] = vector_[1];
                        kernels_tile_[kernels_tile_at_ + 64] = vector_[2];
                        kernels_tile_[kernels_tile_at_ + 96] = vector_[3];
                    }
                }
                for (long gm_ = 0; gm_ < GM_; gm_++) {
                    for (long gn_ = 0; gn_ < GN_; gn_++) {
                        const long input_tile_at_ = (GN_ * gm_ + gn_) * W_2_ / BK_ + 128 * (gn_ % 2);
                        const lift_f32x4 vector_ = next_input_[8 * gm_ + gn_];
                        input_tile_[input_tile_at_] = vector_[0];
                        input_tile_[input_tile_at_ + 32] = vector_[1];
                        input_tile_[input_tile_at_ + 64] = vector_[2];
                        input_tile_[input_tile_at_ + 96] = vector_[3];
                    }
                }
                if (i_ + 1 < KH_ * KW_ * (C_ / BK_)) {
                    const long kernels_at_ = 8 * i_ + 18432 * k_;
                    for (long gm_ = 0; gm_ < GM_; gm_++) {
                        const long kernels_at_2_ = kernels_at_ + 2304 * gm_;
                        for (long gn_ = 0; gn_ < GN_; gn_++) {
                            next_kernels_[8 * gm_ + gn_] = *(const lift_f32x4 *)(kernels_ + kernels_at_2_ + 576 * (gn_ / 2) + 4 * (gn_ % 2) + 8);
                        }
                    }
                    const long input_at_ = 3584 * ((i_ + 1) / 24) + 8 * ((i_ + 1) % 24);
                    for (long gm_ = 0; gm_ < GM_; gm_++) {
                        const long at_3_ = at_ + (gm_ + 8 * h_) / 14;
                        const long input_at_2_ = input_at_ + 3584 * ((gm_ + 8 * h_) / 14);
                        for (long gn_ = 0; gn_ < GN_; gn_++) {
                            const long at_4_ = at_2_ + ((GM_ * h_ + gm_) * TM_ + gn_ / 2) % (W_ + 3 - KW_);
                            next_input_[8 * gm_ + gn_] = at_3_ - 1 >= 0 && at_3_ - 1 < H_ && at_4_ - 1 >= 0 && at_4_ - 1 < W_ ? (lift_f32x4)(*(const lift_f32x4 *)(input_ + input_at_2_ + 4 * (gn_ % 2) + 64 * ((4 * gm_ + 32 * h_ + gn_ / 2) % 56) - 3648)) : (lift_f32x4)(((lift_f32x4)((0.0f) - (lift_f32x4){0})));
                        }
                    }
                }
                for (long gm_ = 0; gm_ < GM_; gm_++) {
                    for (long gn_ = 0; gn_ < GN_; gn_++) {
                        const long accs_at_ = 32 * gm_ + 4 * gn_;
                        for (long bk_ = 0; bk_ < BK_; bk_++) {
                            const long input_tile_at_ = (P_ + 32) * bk_ + TM_ * gm_;
                            const long kernels_tile_at_ = (P_ + 32) * bk_ + TN_ * gn_;
                            for (long tm_ = 0; tm_ < TM_; tm_++) {
                                const long accs_at_2_ = accs_at_ + tm_;
                                const float x_ = input_tile_[input_tile_at_ + tm_];
                                accs_[accs_at_2_] = accs_[accs_at_2_] + ((lift_f32x4)((x_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(kernels_tile_ + kernels_tile_at_);
                            }
                        }
                    }
                }
            }
            for (long gm_ = 0; gm_ < GM_; gm_++) {
                const long output_at_ = GN_ * V_ * k_ + 3584 * ((gm_ + 8 * h_) / 14);
                for (long gn_ = 0; gn_ < GN_; gn_++) {
                    const long accs_at_ = 32 * gm_ + 4 * gn_;
                    const long output_at_2_ = output_at_ + V_ * gn_;
                    for (long tm_ = 0; tm_ < TM_; tm_++) {
                        *(lift_f32x4 *)(output_ + output_at_2_ + K_ * (((GM_ * h_ + gm_) * TM_ + tm_) % (W_ + 3 - KW_))) = accs_[accs_at_ + tm_];
                    }
                }
            }
        }
    }
}
