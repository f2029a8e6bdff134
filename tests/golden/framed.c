#include <math.h>
#include <stdint.h>

typedef float lift_f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

#define H_ 112
#define W_ 112
#define R_ 4
#define Q_ 4
#define V_ 16

void planes_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict kernels_ = lift_arrays[0];
    const float *restrict input_ = lift_arrays[1];
    float *restrict output_ = lift_arrays[2];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long c_ = lift_item / 28;
        const long h_ = lift_item % 28;
        const long output_at_ = (H_ * c_ + Q_ * h_) * W_;
        float input_tile_[(W_ + 2) * R_ + 2 * W_ + 4];
        const long input_at_ = (H_ * c_ + R_ * h_) * W_;
        for (long r_ = 0; r_ < R_ + 2; r_++) {
            const long input_tile_at_ = (W_ + 2) * r_;
            if (R_ * h_ + r_ - 1 >= 0 && R_ * h_ + r_ - 1 < H_) {
                for (long w_ = 0; w_ < 1; w_++) {
                    input_tile_[input_tile_at_ + w_] = 0.0f;
                }
                const long input_at_2_ = input_at_ + W_ * r_;
                for (long w_ = 0; w_ < 112; w_++) {
                    input_tile_[input_tile_at_ + w_ + 1] = input_[input_at_2_ + w_ - W_];
                }
                for (long w_ = 0; w_ < 1; w_++) {
                    input_tile_[input_tile_at_ + w_ + 113] = 0.0f;
                }
            } else {
                for (long w_ = 0; w_ < W_ + 2; w_++) {
                    input_tile_[input_tile_at_ + w_] = 0.0f;
                }
            }
        }
        for (long w_ = 0; w_ < W_ / V_; w_++) {
            const long output_at_2_ = output_at_ + V_ * w_;
            lift_f32x16 accs_0_ = ((lift_f32x16)((0.0f) - (lift_f32x16){0}));
            lift_f32x16 accs_1_ = ((lift_f32x16)((0.0f) - (lift_f32x16){0}));
            lift_f32x16 accs_2_ = ((lift_f32x16)((0.0f) - (lift_f32x16){0}));
            lift_f32x16 accs_3_ = ((lift_f32x16)((0.0f) - (lift_f32x16){0}));
            for (long i_ = 0; i_ < 3; i_++) {
                const long kernels_at_ = 9 * c_ + i_;
                const long input_tile_at_ = V_ * w_ + i_;
                for (long i_2_ = 0, kernels_at_2_ = kernels_at_, input_tile_at_2_ = input_tile_at_; i_2_ < 3; i_2_++, kernels_at_2_ += 3, input_tile_at_2_ += W_ + 2) {
                    const float w_2_ = kernels_[kernels_at_2_];
                    accs_0_ += *(const lift_f32x16 *)(input_tile_ + input_tile_at_2_) * ((lift_f32x16)((w_2_) - (lift_f32x16){0}));
                    accs_1_ += *(const lift_f32x16 *)(input_tile_ + input_tile_at_2_ + W_ + 2) * ((lift_f32x16)((w_2_) - (lift_f32x16){0}));
                    accs_2_ += *(const lift_f32x16 *)(input_tile_ + input_tile_at_2_ + 2 * W_ + 4) * ((lift_f32x16)((w_2_) - (lift_f32x16){0}));
                    accs_3_ += *(const lift_f32x16 *)(input_tile_ + input_tile_at_2_ + 3 * W_ + 6) * ((lift_f32x16)((w_2_) - (lift_f32x16){0}));
                }
            }
            *(lift_f32x16 *)(output_ + output_at_2_) = accs_0_;
            *(lift_f32x16 *)(output_ + output_at_2_ + W_) = accs_1_;
            *(lift_f32x16 *)(output_ + output_at_2_ + 2 * W_) = accs_2_;
            *(lift_f32x16 *)(output_ + output_at_2_ + 3 * W_) = accs_3_;
        }
    }
}
