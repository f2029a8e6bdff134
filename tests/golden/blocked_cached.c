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
#define TM_ 2
#define TN_ 4
#define BK_ 4
#define V_ 4

void convolution_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict kernels_ = lift_arrays[0];
    const float *restrict biases_ = lift_arrays[1];
    const float *restrict input_ = lift_arrays[2];
    float *restrict output_ = lift_arrays[3];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long h_ = lift_item;
        for (long k_ = 0; k_ < K_ / (GN_ * TN_); k_++) {
            for (long gm_ = 0; gm_ < GM_; gm_++) {
                const long at_ = (GM_ * h_ + gm_) * TM_ / (W_ + 3 - KW_);
                const long at_2_ = (GM_ * h_ + gm_) * TM_ % (W_ + 3 - KW_);
                const long input_at_ = 128 * gm_ + 1024 * h_;
                const long at_3_ = ((GM_ * h_ + gm_) * TM_ + 1) / (W_ + 3 - KW_);
                const long at_4_ = ((GM_ * h_ + gm_) * TM_ + 1) % (W_ + 3 - KW_);
                const long output_at_ = GN_ * V_ * k_ + K_ * ((GM_ * h_ + gm_) * TM_ % (W_ + 3 - KW_)) + 3584 * ((gm_ + 8 * h_) / 28);
                const long output_at_2_ = GN_ * V_ * k_ + K_ * (((GM_ * h_ + gm_) * TM_ + 1) % (W_ + 3 - KW_)) + 3584 * ((gm_ + 8 * h_) / 28);
                for (long gn_ = 0; gn_ < GN_; gn_++) {
                    const long biases_at_ = (GN_ * k_ + gn_) * TN_;
                    const long kernels_at_ = (GN_ * k_ + gn_) * TN_ * KW_ * KH_ * C_;
                    lift_f32x4 accs_0_ = *(const lift_f32x4 *)(biases_ + biases_at_);
                    lift_f32x4 accs_1_ = *(const lift_f32x4 *)(biases_ + biases_at_);
                    for (long kh_ = 0; kh_ < KH_; kh_++) {
                        const long input_at_2_ = input_at_ + 3584 * kh_;
                        const long kernels_at_2_ = kernels_at_ + C_ * KW_ * kh_;
                        for (long kw_ = 0; kw_ < KW_; kw_++) {
                            const long input_at_3_ = input_at_2_ + 64 * kw_;
                            const long kernels_at_3_ = kernels_at_2_ + C_ * kw_;
                            for (long c_ = 0; c_ < C_ / BK_; c_++) {
                                const long input_at_4_ = input_at_3_ + BK_ * c_;
                                const long kernels_at_4_ = kernels_at_3_ + BK_ * c_;
                                const lift_f32x4 vector_ = at_ + kh_ - 1 >= 0 && at_ + kh_ - 1 < H_ && at_2_ + kw_ - 1 >= 0 ? (lift_f32x4)(*(const lift_f32x4 *)(input_ + input_at_4_ - 3648)) : (lift_f32x4)(((lift_f32x4)((0.0f) - (lift_f32x4){0})));
                                float input_tile_0_ = vector_[0];
                                float input_tile_2_ = vector_[1];
                                float input_tile_4_ = vector_[2];
                                float input_tile_6_ = vector_[3];
                                const lift_f32x4 vector_2_ = at_3_ + kh_ - 1 >= 0 && at_3_ + kh_ - 1 < H_ && at_4_ + kw_ - 1 < W_ ? (lift_f32x4)(*(const lift_f32x4 *)(input_ + input_at_4_ - 3584)) : (lift_f32x4)(((lift_f32x4)((0.0f) - (lift_f32x4){0})));
                                float input_tile_1_ = vector_2_[0];
                                float input_tile_3_ = vector_2_[1];
                                float input_tile_5_ = vector_2_[2];
                                float input_tile_7_ = vector_2_[3];
                                const lift_f32x4 vector_3_ = *(const lift_f32x4 *)(kernels_ + kernels_at_4_);
                                float kernels_tile_0_ = vector_3_[0];
                                float kernels_tile_4_ = vector_3_[1];
                                float kernels_tile_8_ = vector_3_[2];
                                float kernels_tile_12_ = vector_3_[3];
                                const lift_f32x4 vector_4_ = *(const lift_f32x4 *)(kernels_ + kernels_at_4_ + C_ * KH_ * KW_);
                                float kernels_tile_1_ = vector_4_[0];
                                float kernels_tile_5_ = vector_4_[1];
                                float kernels_tile_9_ = vector_4_[2];
                                float kernels_tile_13_ = vector_4_[3];
                                const lift_f32x4 vector_5_ = *(const lift_f32x4 *)(kernels_ + kernels_at_4_ + 2 * C_ * KH_ * KW_);
                                float kernels_tile_2_ = vector_5_[0];
                                float kernels_tile_6_ = vector_5_[1];
                                float kernels_tile_10_ = vector_5_[2];
                                float kernels_tile_14_ = vector_5_[3];
                                const lift_f32x4 vector_6_ = *(const lift_f32x4 *)(kernels_ + kernels_at_4_ + 3 * C_ * KH_ * KW_);
                                float kernels_tile_3_ = vector_6_[0];
                                float kernels_tile_7_ = vector_6_[1];
                                float kernels_tile_11_ = vector_6_[2];
                                float kernels_tile_15_ = vector_6_[3];
                                const float x_ = input_tile_0_;
                                accs_0_ += ((lift_f32x4)((x_) - (lift_f32x4){0})) * (lift_f32x4){kernels_tile_0_, kernels_tile_1_, kernels_tile_2_, kernels_tile_3_};
                                const float x_2_ = input_tile_1_;
                                accs_1_ += ((lift_f32x4)((x_2_) - (lift_f32x4){0})) * (lift_f32x4){kernels_tile_0_, kernels_tile_1_, kernels_tile_2_, kernels_tile_3_};
                                const float x_3_ = input_tile_2_;
                                accs_0_ += ((lift_f32x4)((x_3_) - (lift_f32x4){0})) * (lift_f32x4){kernels_tile_4_, kernels_tile_5_, kernels_tile_6_, kernels_tile_7_};
                                const float x_4_ = input_tile_3_;
                                accs_1_ += ((lift_f32x4)((x_4_) - (lift_f32x4){0})) * (lift_f32x4){kernels_tile_4_, kernels_tile_5_, kernels_tile_6_, kernels_tile_7_};
                                const float x_5_ = input_tile_4_;
                                accs_0_ += ((lift_f32x4)((x_5_) - (lift_f32x4){0})) * (lift_f32x4){kernels_tile_8_, kernels_tile_9_, kernels_tile_10_, kernels_tile_11_};
                                const float x_6_ = input_tile_5_;
                                accs_1_ += ((lift_f32x4)((x_6_) - (lift_f32x4){0})) * (lift_f32x4){kernels_tile_8_, kernels_tile_9_, kernels_tile_10_, kernels_tile_11_};
                                const float x_7_ = input_tile_6_;
                                accs_0_ += ((lift_f32x4)((x_7_) - (lift_f32x4){0})) * (lift_f32x4){kernels_tile_12_, kernels_tile_13_, kernels_tile_14_, kernels_tile_15_};
                                const float x_8_ = input_tile_7_;
                                accs_1_ += ((lift_f32x4)((x_8_) - (lift_f32x4){0})) * (lift_f32x4){kernels_tile_12_, kernels_tile_13_, kernels_tile_14_, kernels_tile_15_};
                            }
                        }
                    }
                    *(lift_f32x4 *)(output_ + output_at_ + V_ * gn_) = accs_0_;
                    *(lift_f32x4 *)(output_ + output_at_2_ + V_ * gn_) = accs_1_;
                }
            }
        }
    }
}
