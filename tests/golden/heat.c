#include <math.h>
#include <stdint.h>

#define N_ 1000

static const float constants_[3] = {0.25f, 0.5f, 0.25f};

void heat_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict before_ = lift_arrays[0];
    float *restrict after_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long n_ = lift_item;
        float sum_ = 0.0f;
        sum_ += before_[(N_ + n_ - 1) % N_] * constants_[0];
        sum_ += before_[n_ % N_] * constants_[1];
        sum_ += before_[(n_ + 1) % N_] * constants_[2];
        after_[n_] = sum_;
    }
}
