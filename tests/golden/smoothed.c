#include <math.h>
#include <stdint.h>

#define lift_min(a, b) ((a) < (b) ? (a) : (b))

#define M_ 100

static const float constants_[3] = {0.25f, 0.5f, 0.25f};

void smoothed_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict rows_ = lift_arrays[0];
    float *restrict output_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long n_ = lift_item;
        float window_2_ = 0.0f;
        float window_0_ = rows_[M_ * n_];
        float window_1_ = rows_[M_ * n_];
        for (long m_ = 0; m_ < M_; m_++) {
            window_2_ = rows_[M_ * n_ + lift_min(M_ - 1, m_ + 1)];
            float sum_ = 0.0f;
            sum_ += window_0_ * constants_[0];
            sum_ += window_1_ * constants_[1];
            sum_ += window_2_ * constants_[2];
            output_[M_ * n_ + m_] = sum_;
            window_0_ = window_1_;
            window_1_ = window_2_;
        }
    }
}
