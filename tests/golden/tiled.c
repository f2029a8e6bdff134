#include <math.h>
#include <stdint.h>

typedef float lift_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));

#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define GX_ 8
#define GY_ 2
#define GZ_ 2
#define D_ 4
#define V_ 4
#define R_ 1
#define Q_ 4
#define T_ 4

__attribute__((cold)) void convolution_kernels_packed_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict kernels_ = lift_arrays[0];
    float *restrict kernels_packed_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        for (long k_ = 0; k_ < K_ / (D_ * GX_); k_++) {
            for (long kh_ = 0; kh_ < KH_; kh_++) {
                const long kw_ = lift_item / C_;
                const long c_ = lift_item % C_;
                const long kernels_at_ = ((D_ * GX_ * KH_ * k_ + kh_) * KW_ + kw_) * C_ + c_;
                const long kernels_packed_at_ = (((KH_ * k_ + kh_) * KW_ + kw_) * C_ + c_) * GX_ * D_;
                for (long i_ = 0; i_ < D_ * GX_; i_++) {
                    kernels_packed_[kernels_packed_at_ + i_] = kernels_[kernels_at_ + C_ * KH_ * KW_ * i_];
                }
            }
        }
    }
}

void convolution_input_padded_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict input_ = lift_arrays[0];
    float *restrict input_padded_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long h_ = lift_item / (W_ + 2);
        const long w_ = lift_item % (W_ + 2);
        const long input_padded_at_ = ((W_ + 2) * h_ + w_) * C_;
        if (h_ - 1 >= 0 && h_ - 1 < H_ && w_ - 1 >= 0 && w_ - 1 < W_) {
            const long input_at_ = (W_ * h_ + w_) * C_;
            for (long c_ = 0; c_ < C_; c_++) {
                input_padded_[input_padded_at_ + c_] = input_[input_at_ + (-W_ - 1) * C_ + c_];
            }
        } else {
            for (long c_ = 0; c_ < C_; c_++) {
                input_padded_[input_padded_at_ + c_] = 0.0f;
            }
        }
    }
}

void convolution_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict biases_ = lift_arrays[0];
    const float *restrict kernels_packed_ = lift_arrays[1];
    const float *restrict input_padded_ = lift_arrays[2];
    float *restrict output_ = lift_arrays[3];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long h_ = lift_item / 7;
        const long kw_ = lift_item % 7;
        const long input_padded_at_ = ((W_ + 2) * h_ * R_ * GZ_ + GY_ * Q_ * kw_) * C_;
        const long output_at_ = ((W_ + 3 - KW_) * h_ * R_ * GZ_ + GY_ * Q_ * kw_) * K_;
        for (long k_ = 0; k_ < K_ / (D_ * GX_); k_++) {
            const long output_at_2_ = output_at_ + GX_ * V_ * k_;
            for (long gz_ = 0; gz_ < GZ_; gz_++) {
                const long input_padded_at_2_ = input_padded_at_ + (W_ + 2) * gz_ * R_ * C_;
                const long output_at_3_ = output_at_2_ + (W_ + 3 - KW_) * gz_ * R_ * K_;
                for (long gy_ = 0; gy_ < GY_; gy_++) {
                    const long input_padded_at_3_ = input_padded_at_2_ + C_ * Q_ * gy_;
                    const long output_at_4_ = output_at_3_ + K_ * Q_ * gy_;
                    for (long gx_ = 0; gx_ < GX_; gx_++) {
                        const long biases_at_ = D_ * GX_ * k_ + V_ * gx_;
                        const long kernels_packed_at_ = C_ * D_ * GX_ * KH_ * KW_ * k_ + V_ * gx_;
                        const long output_at_5_ = output_at_4_ + V_ * gx_;
                        lift_f32x4 accs_0_ = *(const lift_f32x4 *)(biases_ + biases_at_);
                        lift_f32x4 accs_1_ = *(const lift_f32x4 *)(biases_ + biases_at_);
                        lift_f32x4 accs_2_ = *(const lift_f32x4 *)(biases_ + biases_at_);
                        lift_f32x4 accs_3_ = *(const lift_f32x4 *)(biases_ + biases_at_);
                        for (long kh_ = 0; kh_ < KH_; kh_++) {
                            const long kernels_packed_at_2_ = kernels_packed_at_ + C_ * D_ * GX_ * KW_ * kh_;
                            const long input_padded_at_4_ = input_padded_at_3_ + (W_ + 2) * kh_ * C_;
                            for (long kw_2_ = 0; kw_2_ < KW_; kw_2_++) {
                                const long kernels_packed_at_3_ = kernels_packed_at_2_ + C_ * D_ * GX_ * kw_2_;
                                const long input_padded_at_5_ = input_padded_at_4_ + C_ * kw_2_;
                                for (long c_ = 0, kernels_packed_at_4_ = kernels_packed_at_3_, input_padded_at_6_ = input_padded_at_5_; c_ < C_ / T_; c_++, kernels_packed_at_4_ += D_ * GX_ * T_, input_padded_at_6_ += T_) {
                                    lift_f32x4 kernels_packed_tile_0_ = *(const lift_f32x4 *)(kernels_packed_ + kernels_packed_at_4_);
                                    lift_f32x4 kernels_packed_tile_1_ = *(const lift_f32x4 *)(kernels_packed_ + kernels_packed_at_4_ + D_ * GX_);
                                    lift_f32x4 kernels_packed_tile_2_ = *(const lift_f32x4 *)(kernels_packed_ + kernels_packed_at_4_ + 2 * D_ * GX_);
                                    lift_f32x4 kernels_packed_tile_3_ = *(const lift_f32x4 *)(kernels_packed_ + kernels_packed_at_4_ + 3 * D_ * GX_);
                                    lift_f32x4 input_padded_tile_0_ = *(const lift_f32x4 *)(input_padded_ + input_padded_at_6_);
                                    const float x_ = input_padded_tile_0_[0];
                                    accs_0_ += ((lift_f32x4)((x_) - (lift_f32x4){0})) * kernels_packed_tile_0_;
                                    const float x_2_ = input_padded_tile_0_[1];
                                    accs_0_ += ((lift_f32x4)((x_2_) - (lift_f32x4){0})) * kernels_packed_tile_1_;
                                    const float x_3_ = input_padded_tile_0_[2];
                                    accs_0_ += ((lift_f32x4)((x_3_) - (lift_f32x4){0})) * kernels_packed_tile_2_;
                                    const float x_4_ = input_padded_tile_0_[3];
                                    accs_0_ += ((lift_f32x4)((x_4_) - (lift_f32x4){0})) * kernels_packed_tile_3_;
                                    lift_f32x4 input_padded_tile_0_2_ = *(const lift_f32x4 *)(input_padded_ + input_padded_at_6_ + C_);
                                    const float x_5_ = input_padded_tile_0_2_[0];
                                    accs_1_ += ((lift_f32x4)((x_5_) - (lift_f32x4){0})) * kernels_packed_tile_0_;
                                    const float x_6_ = input_padded_tile_0_2_[1];
                                    accs_1_ += ((lift_f32x4)((x_6_) - (lift_f32x4){0})) * kernels_packed_tile_1_;
                                    const float x_7_ = input_padded_tile_0_2_[2];
                                    accs_1_ += ((lift_f32x4)((x_7_) - (lift_f32x4){0})) * kernels_packed_tile_2_;
                                    const float x_8_ = input_padded_tile_0_2_[3];
                                    accs_1_ += ((lift_f32x4)((x_8_) - (lift_f32x4){0})) * kernels_packed_tile_3_;
                                    lift_f32x4 input_padded_tile_0_3_ = *(const lift_f32x4 *)(input_padded_ + input_padded_at_6_ + 2 * C_);
                                    const float x_9_ = input_padded_tile_0_3_[0];
                                    accs_2_ += ((lift_f32x4)((x_9_) - (lift_f32x4){0})) * kernels_packed_tile_0_;
                                    const float x_10_ = input_padded_tile_0_3_[1];
                                    accs_2_ += ((lift_f32x4)((x_10_) - (lift_f32x4){0})) * kernels_packed_tile_1_;
                                    const float x_11_ = input_padded_tile_0_3_[2];
                                    accs_2_ += ((lift_f32x4)((x_11_) - (lift_f32x4){0})) * kernels_packed_tile_2_;
                                    const float x_12_ = input_padded_tile_0_3_[3];
                                    accs_2_ += ((lift_f32x4)((x_12_) - (lift_f32x4){0})) * kernels_packed_tile_3_;
                                    lift_f32x4 input_padded_tile_0_4_ = *(const lift_f32x4 *)(input_padded_ + input_padded_at_6_ + 3 * C_);
                                    const float x_13_ = input_padded_tile_0_4_[0];
                                    accs_3_ += ((lift_f32x4)((x_13_) - (lift_f32x4){0})) * kernels_packed_tile_0_;
                                    const float x_14_ = input_padded_tile_0_4_[1];
                                    accs_3_ += ((lift_f32x4)((x_14_) - (lift_f32x4){0})) * kernels_packed_tile_1_;
                                    const float x_15_ = input_padded_tile_0_4_[2];
                                    accs_3_ += ((lift_f32x4)((x_15_) - (lift_f32x4){0})) * kernels_packed_tile_2_;
                                    const float x_16_ = input_padded_tile_0_4_[3];
                                    accs_3_ += ((lift_f32x4)((x_16_) - (lift_f32x4){0})) * kernels_packed_tile_3_;
                                }
                            }
                        }
                        *(lift_f32x4 *)(output_ + output_at_5_) = accs_0_;
                        *(lift_f32x4 *)(output_ + output_at_5_ + K_) = accs_1_;
                        *(lift_f32x4 *)(output_ + output_at_5_ + 2 * K_) = accs_2_;
                        *(lift_f32x4 *)(output_ + output_at_5_ + 3 * K_) = accs_3_;
                    }
                }
            }
        }
    }
}
