#include <math.h>
#include <stdint.h>

#define H_ 1024
#define W_ 512
#define T_ 32
#define R_ 8

void turned_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict xs_ = lift_arrays[0];
    float *restrict output_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        float xs_tile_[(4 * T_ + 4) * R_] __attribute__((aligned(64)));
        const long w_ = lift_item / 32;
        const long h_ = lift_item % 32;
        const long xs_at_ = (W_ * h_ + w_) * T_;
        for (long t_ = 0; t_ < T_ / R_; t_++) {
            const long xs_at_2_ = xs_at_ + R_ * W_ * t_;
            const long xs_tile_at_ = (T_ + 1) * t_ * R_;
            for (long r_ = 0; r_ < R_; r_++) {
                const long xs_at_3_ = xs_at_2_ + W_ * r_;
                const long xs_tile_at_2_ = xs_tile_at_ + (T_ + 1) * r_;
                for (long t_2_ = 0; t_2_ < T_; t_2_++) {
                    xs_tile_[xs_tile_at_2_ + t_2_] = xs_[xs_at_3_ + t_2_];
                }
            }
        }
        const long output_at_ = (4 * H_ * w_ + 4 * h_) * R_;
        for (long t_ = 0; t_ < T_ / R_; t_++) {
            const long output_at_2_ = output_at_ + H_ * R_ * t_;
            for (long r_ = 0; r_ < R_; r_++) {
                const long xs_tile_at_ = R_ * t_ + r_;
                const long output_at_3_ = output_at_2_ + H_ * r_;
                for (long i_ = 0; i_ < R_ * (T_ / R_); i_++) {
                    output_[output_at_3_ + i_] = xs_tile_[xs_tile_at_ + (T_ + 1) * i_];
                }
            }
        }
    }
}
