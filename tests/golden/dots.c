#include <math.h>
#include <stdint.h>

typedef float lift_f32x2 __attribute__((vector_size(8), aligned(4), may_alias));
typedef float lift_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));

#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define V_ 4
#define D_ 2
#define R_ 1
#define Q_ 4

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
    const float *restrict kernels_ = lift_arrays[0];
    const float *restrict biases_ = lift_arrays[1];
    const float *restrict input_padded_ = lift_arrays[2];
    float *restrict output_ = lift_arrays[3];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long k_ = lift_item / 56;
        const long h_ = lift_item % 56;
        const long input_padded_at_ = (W_ + 2) * h_ * R_ * C_;
        const long output_at_ = (W_ + 3 - KW_) * h_ * R_ * K_ + D_ * k_;
        for (long kw_ = 0; kw_ < (W_ + 3 - KW_) / Q_; kw_++) {
            const long input_padded_at_2_ = input_padded_at_ + C_ * Q_ * kw_;
            const long output_at_2_ = output_at_ + K_ * Q_ * kw_;
            lift_f32x4 accs_0_ = ((lift_f32x4)((0.0f) - (lift_f32x4){0}));
            lift_f32x4 accs_1_ = ((lift_f32x4)((0.0f) - (lift_f32x4){0}));
            lift_f32x4 accs_2_ = ((lift_f32x4)((0.0f) - (lift_f32x4){0}));
            lift_f32x4 accs_3_ = ((lift_f32x4)((0.0f) - (lift_f32x4){0}));
            lift_f32x4 accs_4_ = ((lift_f32x4)((0.0f) - (lift_f32x4){0}));
            lift_f32x4 accs_5_ = ((lift_f32x4)((0.0f) - (lift_f32x4){0}));
            lift_f32x4 accs_6_ = ((lift_f32x4)((0.0f) - (lift_f32x4){0}));
            lift_f32x4 accs_7_ = ((lift_f32x4)((0.0f) - (lift_f32x4){0}));
            for (long kh_ = 0; kh_ < KH_; kh_++) {
                const long input_padded_at_3_ = input_padded_at_2_ + (W_ + 2) * kh_ * C_;
                const long kernels_at_ = (D_ * KH_ * k_ + kh_) * KW_ * C_;
                if (R_ * h_ + kh_ - 1 >= 0 && R_ * h_ + kh_ - 1 < H_) {
                    for (long kw_2_ = 0; kw_2_ < KW_; kw_2_++) {
                        const long input_padded_at_4_ = input_padded_at_3_ + C_ * kw_2_;
                        const long kernels_at_2_ = kernels_at_ + C_ * kw_2_;
                        for (long c_ = 0; c_ < C_ / V_; c_++) {
                            const long input_padded_at_5_ = input_padded_at_4_ + V_ * c_;
                            const long kernels_at_3_ = kernels_at_2_ + V_ * c_;
                            accs_0_ += *(const lift_f32x4 *)(input_padded_ + input_padded_at_5_) * *(const lift_f32x4 *)(kernels_ + kernels_at_3_);
                            accs_1_ += *(const lift_f32x4 *)(input_padded_ + input_padded_at_5_) * *(const lift_f32x4 *)(kernels_ + kernels_at_3_ + C_ * KH_ * KW_);
                            accs_2_ += *(const lift_f32x4 *)(input_padded_ + input_padded_at_5_ + C_) * *(const lift_f32x4 *)(kernels_ + kernels_at_3_);
                            accs_3_ += *(const lift_f32x4 *)(input_padded_ + input_padded_at_5_ + C_) * *(const lift_f32x4 *)(kernels_ + kernels_at_3_ + C_ * KH_ * KW_);
                            accs_4_ += *(const lift_f32x4 *)(input_padded_ + input_padded_at_5_ + 2 * C_) * *(const lift_f32x4 *)(kernels_ + kernels_at_3_);
                            accs_5_ += *(const lift_f32x4 *)(input_padded_ + input_padded_at_5_ + 2 * C_) * *(const lift_f32x4 *)(kernels_ + kernels_at_3_ + C_ * KH_ * KW_);
                            accs_6_ += *(const lift_f32x4 *)(input_padded_ + input_padded_at_5_ + 3 * C_) * *(const lift_f32x4 *)(kernels_ + kernels_at_3_);
                            accs_7_ += *(const lift_f32x4 *)(input_padded_ + input_padded_at_5_ + 3 * C_) * *(const lift_f32x4 *)(kernels_ + kernels_at_3_ + C_ * KH_ * KW_);
                        }
                    }
                }
            }
            float acc_ = biases_[D_ * k_];
            const lift_f32x2 halves_ = (lift_f32x2){accs_0_[0], accs_0_[1]} + (lift_f32x2){accs_0_[2], accs_0_[3]};
            const float both_ = halves_[0] + halves_[1];
            acc_ += both_;
            output_[output_at_2_] = acc_;
            float acc_2_ = biases_[D_ * k_ + 1];
            const lift_f32x2 halves_2_ = (lift_f32x2){accs_1_[0], accs_1_[1]} + (lift_f32x2){accs_1_[2], accs_1_[3]};
            const float both_2_ = halves_2_[0] + halves_2_[1];
            acc_2_ += both_2_;
            output_[output_at_2_ + 1] = acc_2_;
            float acc_3_ = biases_[D_ * k_];
            const lift_f32x2 halves_3_ = (lift_f32x2){accs_2_[0], accs_2_[1]} + (lift_f32x2){accs_2_[2], accs_2_[3]};
            const float both_3_ = halves_3_[0] + halves_3_[1];
            acc_3_ += both_3_;
            output_[output_at_2_ + K_] = acc_3_;
            float acc_4_ = biases_[D_ * k_ + 1];
            const lift_f32x2 halves_4_ = (lift_f32x2){accs_3_[0], accs_3_[1]} + (lift_f32x2){accs_3_[2], accs_3_[3]};
            const float both_4_ = halves_4_[0] + halves_4_[1];
            acc_4_ += both_4_;
            output_[output_at_2_ + K_ + 1] = acc_4_;
            float acc_5_ = biases_[D_ * k_];
            const lift_f32x2 halves_5_ = (lift_f32x2){accs_4_[0], accs_4_[1]} + (lift_f32x2){accs_4_[2], accs_4_[3]};
            const float both_5_ = halves_5_[0] + halves_5_[1];
            acc_5_ += both_5_;
            output_[output_at_2_ + 2 * K_] = acc_5_;
            float acc_6_ = biases_[D_ * k_ + 1];
            const lift_f32x2 halves_6_ = (lift_f32x2){accs_5_[0], accs_5_[1]} + (lift_f32x2){accs_5_[2], accs_5_[3]};
            const float both_6_ = halves_6_[0] + halves_6_[1];
            acc_6_ += both_6_;
            output_[output_at_2_ + 2 * K_ + 1] = acc_6_;
            float acc_7_ = biases_[D_ * k_];
            const lift_f32x2 halves_7_ = (lift_f32x2){accs_6_[0], accs_6_[1]} + (lift_f32x2){accs_6_[2], accs_6_[3]};
            const float both_7_ = halves_7_[0] + halves_7_[1];
            acc_7_ += both_7_;
            output_[output_at_2_ + 3 * K_] = acc_7_;
            float acc_8_ = biases_[D_ * k_ + 1];
            const lift_f32x2 halves_8_ = (lift_f32x2){accs_7_[0], accs_7_[1]} + (lift_f32x2){accs_7_[2], accs_7_[3]};
            const float both_8_ = halves_8_[0] + halves_8_[1];
            acc_8_ += both_8_;
            output_[output_at_2_ + 3 * K_ + 1] = acc_8_;
        }
    }
}
