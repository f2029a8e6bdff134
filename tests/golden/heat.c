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
        for (long i_ = 0; i_ < 3; i_++) {
            sum_ += before_[(N_ + i_ + n_ - 1) % N_] * constants_[i_];
        }
        after_[n_] = sum_;
    }
}
