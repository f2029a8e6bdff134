#include <math.h>
#include <stdint.h>

#define N_ 48
#define K_ 100

void product_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict a_ = lift_arrays[0];
    const float *restrict b_ = lift_arrays[1];
    float *restrict output_ = lift_arrays[2];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long m_ = lift_item;
        for (long n_ = 0; n_ < N_; n_++) {
            float sum_ = 0.0f;
            #pragma omp simd reduction(+:sum_)
            for (long k_ = 0; k_ < K_; k_++) {
                sum_ += a_[K_ * m_ + k_] * b_[N_ * k_ + n_];
            }
            output_[N_ * m_ + n_] = sum_;
        }
    }
}
