#include <math.h>
#include <stdint.h>

#define N_ 100

void rows_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict xs_ = lift_arrays[0];
    float *restrict output_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const int m_ = lift_item;
        float acc_ = -INFINITY;
        for (int n_ = 0; n_ < N_; n_++) {
            acc_ = fmaxf(acc_, xs_[N_ * m_ + n_]);
        }
        float powers_[N_];
        for (int n_ = 0; n_ < N_; n_++) {
            powers_[n_] = expf(xs_[N_ * m_ + n_] - acc_);
        }
        float a_ = 0.0f;
        #pragma omp simd reduction(+:a_)
        for (int n_ = 0; n_ < N_; n_++) {
            a_ += powers_[n_];
        }
        for (int n_ = 0; n_ < N_; n_++) {
            output_[N_ * m_ + n_] = powers_[n_] / a_;
        }
    }
}
