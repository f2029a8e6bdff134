#include <math.h>
#include <stdint.h>

#define N_ 1000

void softmax_largest_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict xs_ = lift_arrays[0];
    float *restrict largest_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        float acc_ = -INFINITY;
        for (int n_ = 0; n_ < N_; n_++) {
            acc_ = fmaxf(acc_, xs_[n_]);
        }
        largest_[0] = acc_;
    }
}

void softmax_powers_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict xs_ = lift_arrays[0];
    const float *restrict largest_ = lift_arrays[1];
    float *restrict powers_ = lift_arrays[2];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const int n_ = lift_item;
        powers_[n_] = expf(xs_[n_] - largest_[0]);
    }
}

void softmax_total_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict powers_ = lift_arrays[0];
    float *restrict total_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        float a_ = 0.0f;
        #pragma omp simd reduction(+:a_)
        for (int n_ = 0; n_ < N_; n_++) {
            a_ += powers_[n_];
        }
        total_[0] = a_;
    }
}

void softmax_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict powers_ = lift_arrays[0];
    const float *restrict total_ = lift_arrays[1];
    float *restrict output_ = lift_arrays[2];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const int n_ = lift_item;
        output_[n_] = powers_[n_] / total_[0];
    }
}
