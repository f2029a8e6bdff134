#include <math.h>
#include <stdint.h>

#define N_ 4096
#define M_ 1024
#define C_ 128
#define L_ 8
#define W_ 32

static inline long lift_floor_mod(long a, long b) { return (a % b + b) % b; }

void columns_partial_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict xs_ = lift_arrays[0];
    float *restrict partial_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        float partial_2_[L_ * W_] __attribute__((aligned(64)));
        const long i_ = lift_item;
        const long xs_at_ = C_ * M_ * (i_ / 32) + W_ * (i_ % 32);
        for (long i_2_ = 0; i_2_ < L_ * W_; i_2_++) {
            float sum_ = 0.0f;
            const long xs_at_2_ = xs_at_ + M_ * (i_2_ / W_) + i_2_ % W_;
            #pragma omp simd reduction(+:sum_)
            for (long c_ = 0; c_ < C_ / L_; c_++) {
                sum_ += xs_[xs_at_2_ + L_ * M_ * c_];
            }
            partial_2_[i_2_] = sum_;
        }
        for (long w_ = 0; w_ < W_; w_++) {
            float acc_ = 0.0f;
            for (long l_ = 0; l_ < L_; l_++) {
                acc_ += partial_2_[W_ * l_ + w_];
            }
            partial_[W_ * i_ + w_] = acc_;
        }
    }
}

void columns_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict partial_ = lift_arrays[0];
    float *restrict output_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        float partial_2_[L_ * W_] __attribute__((aligned(64)));
        const long m_ = lift_item;
        for (long i_ = 0; i_ < L_ * W_; i_++) {
            float acc_ = 0.0f;
            const long partial_at_ = (m_ + 32 * (i_ / W_)) * W_ + i_ % W_;
            for (long c_ = 0; c_ < (N_ / C_ + lift_floor_mod(-(N_ / C_), L_)) / L_; c_++) {
                acc_ += partial_[partial_at_ + 32 * L_ * W_ * c_];
            }
            partial_2_[i_] = acc_;
        }
        for (long w_ = 0; w_ < W_; w_++) {
            float acc_ = 0.0f;
            for (long l_ = 0; l_ < L_; l_++) {
                acc_ += partial_2_[W_ * l_ + w_];
            }
            output_[W_ * m_ + w_] = acc_;
        }
    }
}
