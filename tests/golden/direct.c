#include <math.h>
#include <stdint.h>

typedef float lift_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));

#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define THETA_ 4
#define KAPPA_ 4
#define SIGMA_ 2
#define OMEGA_ 4
#define V_ 4

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

void convolution_partial_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict kernels_ = lift_arrays[0];
    const float *restrict input_padded_ = lift_arrays[1];
    float *restrict partial_ = lift_arrays[2];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long h_ = lift_item / 14;
        const long kw_ = lift_item % 14;
        const long input_padded_at_ = ((W_ + 2) * h_ + kw_) * THETA_ * C_;
        const long partial_at_ = (1792 * THETA_ * h_ + 128 * kw_) * SIGMA_ * KAPPA_;
        for (long k_ = 0; k_ < K_ / KAPPA_; k_++) {
            const long partial_at_2_ = partial_at_ + 4 * KAPPA_ * k_;
            for (long theta_ = 0; theta_ < THETA_; theta_++) {
                const long input_padded_at_2_ = input_padded_at_ + (W_ + 2) * theta_ * C_;
                const long partial_at_3_ = partial_at_2_ + 1792 * KAPPA_ * SIGMA_ * theta_;
                for (long theta_2_ = 0; theta_2_ < THETA_ / SIGMA_; theta_2_++) {
                    const long input_padded_at_3_ = input_padded_at_2_ + C_ * SIGMA_ * theta_2_;
                    const long partial_at_4_ = partial_at_3_ + 64 * KAPPA_ * SIGMA_ * theta_2_;
                    for (long c_ = 0; c_ < C_ / V_ / OMEGA_; c_++) {
                        const long input_padded_at_4_ = input_padded_at_3_ + V_ * c_;
                        const long kernels_at_ = C_ * KAPPA_ * KH_ * KW_ * k_ + V_ * c_;
                        const long partial_at_5_ = partial_at_4_ + c_;
                        float accs_0_ = 0.0f;
                        float accs_1_ = 0.0f;
                        float accs_2_ = 0.0f;
                        float accs_3_ = 0.0f;
                        float accs_4_ = 0.0f;
                        float accs_5_ = 0.0f;
                        float accs_6_ = 0.0f;
                        float accs_7_ = 0.0f;
                        for (long kh_ = 0; kh_ < KH_; kh_++) {
                            const long input_padded_at_5_ = input_padded_at_4_ + (W_ + 2) * kh_ * C_;
                            const long kernels_at_2_ = kernels_at_ + C_ * KW_ * kh_;
                            if (THETA_ * h_ + kh_ + theta_ - 1 >= 0 && THETA_ * h_ + kh_ + theta_ - 1 < H_) {
                                for (long kw_2_ = 0; kw_2_ < KW_; kw_2_++) {
                                    const long input_padded_at_6_ = input_padded_at_5_ + C_ * kw_2_;
                                    const long kernels_at_3_ = kernels_at_2_ + C_ * kw_2_;
                                    for (long c_2_ = 0; c_2_ < C_ / V_ / (C_ / V_ / OMEGA_); c_2_++) {
                                        const long input_padded_at_7_ = input_padded_at_6_ + 4 * V_ * c_2_;
                                        const long kernels_at_4_ = kernels_at_3_ + 4 * V_ * c_2_;
                                        const lift_f32x4 x_ = *(const lift_f32x4 *)(input_padded_ + input_padded_at_7_);
                                        const lift_f32x4 right_ = *(const lift_f32x4 *)(kernels_ + kernels_at_4_);
                                        accs_0_ = accs_0_ + x_[0] * right_[0] + x_[1] * right_[1] + x_[2] * right_[2] + x_[3] * right_[3];
                                        const lift_f32x4 right_2_ = *(const lift_f32x4 *)(kernels_ + kernels_at_4_ + C_ * KH_ * KW_);
                                        accs_1_ = accs_1_ + x_[0] * right_2_[0] + x_[1] * right_2_[1] + x_[2] * right_2_[2] + x_[3] * right_2_[3];
                                        const lift_f32x4 right_3_ = *(const lift_f32x4 *)(kernels_ + kernels_at_4_ + 2 * C_ * KH_ * KW_);
                                        accs_2_ = accs_2_ + x_[0] * right_3_[0] + x_[1] * right_3_[1] + x_[2] * right_3_[2] + x_[3] * right_3_[3];
                                        const lift_f32x4 right_4_ = *(const lift_f32x4 *)(kernels_ + kernels_at_4_ + 3 * C_ * KH_ * KW_);
                                        accs_3_ = accs_3_ + x_[0] * right_4_[0] + x_[1] * right_4_[1] + x_[2] * right_4_[2] + x_[3] * right_4_[3];
                                        const lift_f32x4 x_2_ = *(const lift_f32x4 *)(input_padded_ + input_padded_at_7_ + C_);
                                        const lift_f32x4 right_5_ = *(const lift_f32x4 *)(kernels_ + kernels_at_4_);
                                        accs_4_ = accs_4_ + x_2_[0] * right_5_[0] + x_2_[1] * right_5_[1] + x_2_[2] * right_5_[2] + x_2_[3] * right_5_[3];
                                        const lift_f32x4 right_6_ = *(const lift_f32x4 *)(kernels_ + kernels_at_4_ + C_ * KH_ * KW_);
                                        accs_5_ = accs_5_ + x_2_[0] * right_6_[0] + x_2_[1] * right_6_[1] + x_2_[2] * right_6_[2] + x_2_[3] * right_6_[3];
                                        const lift_f32x4 right_7_ = *(const lift_f32x4 *)(kernels_ + kernels_at_4_ + 2 * C_ * KH_ * KW_);
                                        accs_6_ = accs_6_ + x_2_[0] * right_7_[0] + x_2_[1] * right_7_[1] + x_2_[2] * right_7_[2] + x_2_[3] * right_7_[3];
                                        const lift_f32x4 right_8_ = *(const lift_f32x4 *)(kernels_ + kernels_at_4_ + 3 * C_ * KH_ * KW_);
                                        accs_7_ = accs_7_ + x_2_[0] * right_8_[0] + x_2_[1] * right_8_[1] + x_2_[2] * right_8_[2] + x_2_[3] * right_8_[3];
                                    }
                                }
                            }
                        }
                        partial_[partial_at_5_] = accs_0_;
                        partial_[partial_at_5_ + 4] = accs_1_;
                        partial_[partial_at_5_ + 8] = accs_2_;
                        partial_[partial_at_5_ + 12] = accs_3_;
                        partial_[partial_at_5_ + 64 * KAPPA_] = accs_4_;
                        partial_[partial_at_5_ + 64 * KAPPA_ + 4] = accs_5_;
                        partial_[partial_at_5_ + 64 * KAPPA_ + 8] = accs_6_;
                        partial_[partial_at_5_ + 64 * KAPPA_ + 12] = accs_7_;
                    }
                }
            }
        }
    }
}

void convolution_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict biases_ = lift_arrays[0];
    const float *restrict partial_ = lift_arrays[1];
    float *restrict output_ = lift_arrays[2];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long i_ = lift_item / (28 * SIGMA_);
        const long i_2_ = lift_item % (28 * SIGMA_);
        const long partial_at_ = (1792 * SIGMA_ * i_ + 64 * i_2_) * KAPPA_;
        const long output_at_ = ((W_ + 3 - KW_) * i_ + i_2_) * K_;
        for (long k_ = 0; k_ < K_; k_++) {
            float acc_ = biases_[k_];
            const long partial_at_2_ = partial_at_ + 4 * k_;
            for (long c_ = 0; c_ < C_ / V_ / OMEGA_; c_++) {
                acc_ += partial_[partial_at_2_ + c_];
            }
            output_[output_at_ + k_] = acc_;
        }
    }
}
