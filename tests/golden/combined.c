#include <math.h>
#include <stdint.h>

typedef float lift_f32x4 __attribute__((vector_size(16), aligned(4), may_alias));

#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define D_ 8
#define V_ 4
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

__attribute__((cold)) void convolution_kernels_packed_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict kernels_ = lift_arrays[0];
    float *restrict kernels_packed_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        for (long k_ = 0; k_ < K_ / D_; k_++) {
            for (long kh_ = 0; kh_ < KH_; kh_++) {
                const long kw_ = lift_item / C_;
                const long c_ = lift_item % C_;
                const long kernels_at_ = ((D_ * KH_ * k_ + kh_) * KW_ + kw_) * C_ + c_;
                const long kernels_packed_at_ = (((KH_ * k_ + kh_) * KW_ + kw_) * C_ + c_) * D_;
                for (long d_ = 0; d_ < D_; d_++) {
                    kernels_packed_[kernels_packed_at_ + d_] = kernels_[kernels_at_ + C_ * KH_ * KW_ * d_];
                }
            }
        }
    }
}

void convolution_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict biases_ = lift_arrays[0];
    const float *restrict input_padded_ = lift_arrays[1];
    const float *restrict kernels_packed_ = lift_arrays[2];
    float *restrict output_ = lift_arrays[3];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long k_ = lift_item / 56;
        const long h_ = lift_item % 56;
        const long input_padded_at_ = (W_ + 2) * h_ * R_ * C_;
        const long output_at_ = (W_ + 3 - KW_) * h_ * R_ * K_ + 2 * V_ * k_;
        for (long kw_ = 0; kw_ < (W_ + 3 - KW_) / Q_; kw_++) {
            const long input_padded_at_2_ = input_padded_at_ + C_ * Q_ * kw_;
            const long output_at_2_ = output_at_ + K_ * Q_ * kw_;
            lift_f32x4 accs_0_ = *(const lift_f32x4 *)(biases_ + D_ * k_);
            lift_f32x4 accs_1_ = *(const lift_f32x4 *)(biases_ + D_ * k_ + V_);
            lift_f32x4 accs_2_ = *(const lift_f32x4 *)(biases_ + D_ * k_);
            lift_f32x4 accs_3_ = *(const lift_f32x4 *)(biases_ + D_ * k_ + V_);
            lift_f32x4 accs_4_ = *(const lift_f32x4 *)(biases_ + D_ * k_);
            lift_f32x4 accs_5_ = *(const lift_f32x4 *)(biases_ + D_ * k_ + V_);
            lift_f32x4 accs_6_ = *(const lift_f32x4 *)(biases_ + D_ * k_);
            lift_f32x4 accs_7_ = *(const lift_f32x4 *)(biases_ + D_ * k_ + V_);
            for (long kh_ = 0; kh_ < KH_; kh_++) {
                const long input_padded_at_3_ = input_padded_at_2_ + (W_ + 2) * kh_ * C_;
                const long kernels_packed_at_ = (KH_ * k_ + kh_) * KW_ * D_ * C_;
                if (R_ * h_ + kh_ - 1 >= 0 && R_ * h_ + kh_ - 1 < H_) {
                    for (long kw_2_ = 0; kw_2_ < KW_; kw_2_++) {
                        const long input_padded_at_4_ = input_padded_at_3_ + C_ * kw_2_;
                        const long kernels_packed_at_2_ = kernels_packed_at_ + C_ * D_ * kw_2_;
                        for (long c_ = 0, input_padded_at_5_ = input_padded_at_4_, kernels_packed_at_3_ = kernels_packed_at_2_; c_ < C_; c_++, input_padded_at_5_ += 1, kernels_packed_at_3_ += D_) {
                            const float x_ = input_padded_[input_padded_at_5_];
                            accs_0_ += ((lift_f32x4)((x_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(kernels_packed_ + kernels_packed_at_3_);
                            accs_1_ += ((lift_f32x4)((x_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(kernels_packed_ + kernels_packed_at_3_ + V_);
                            const float x_2_ = input_padded_[input_padded_at_5_ + C_];
                            accs_2_ += ((lift_f32x4)((x_2_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(kernels_packed_ + kernels_packed_at_3_);
                            accs_3_ += ((lift_f32x4)((x_2_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(kernels_packed_ + kernels_packed_at_3_ + V_);
                            const float x_3_ = input_padded_[input_padded_at_5_ + 2 * C_];
                            accs_4_ += ((lift_f32x4)((x_3_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(kernels_packed_ + kernels_packed_at_3_);
                            accs_5_ += ((lift_f32x4)((x_3_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(kernels_packed_ + kernels_packed_at_3_ + V_);
                            const float x_4_ = input_padded_[input_padded_at_5_ + 3 * C_];
                            accs_6_ += ((lift_f32x4)((x_4_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(kernels_packed_ + kernels_packed_at_3_);
                            accs_7_ += ((lift_f32x4)((x_4_) - (lift_f32x4){0})) * *(const lift_f32x4 *)(kernels_packed_ + kernels_packed_at_3_ + V_);
                        }
                    }
                }
            }
            *(lift_f32x4 *)(output_ + output_at_2_) = accs_0_;
            *(lift_f32x4 *)(output_ + output_at_2_ + V_) = accs_1_;
            *(lift_f32x4 *)(output_ + output_at_2_ + K_) = accs_2_;
            *(lift_f32x4 *)(output_ + output_at_2_ + K_ + V_) = accs_3_;
            *(lift_f32x4 *)(output_ + output_at_2_ + 2 * K_) = accs_4_;
            *(lift_f32x4 *)(output_ + output_at_2_ + 2 * K_ + V_) = accs_5_;
            *(lift_f32x4 *)(output_ + output_at_2_ + 3 * K_) = accs_6_;
            *(lift_f32x4 *)(output_ + output_at_2_ + 3 * K_ + V_) = accs_7_;
        }
    }
}
