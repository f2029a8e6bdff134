#include <math.h>
#include <stdint.h>

#define lift_min(a, b) ((a) < (b) ? (a) : (b))
#define lift_max(a, b) ((a) > (b) ? (a) : (b))

#define H_ 480
#define W_ 640

void blur_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const uint8_t *restrict image_ = lift_arrays[0];
    uint8_t *restrict output_ = lift_arrays[1];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long h_ = lift_item;
        for (long w_ = 0; w_ < W_; w_++) {
            int32_t sum_ = 0;
            for (long i_ = 0; i_ < 3; i_++) {
                const long image_at_ = W_ * lift_min(H_ - 1, lift_max(0, h_ + i_ - 1));
                for (long i_2_ = 0; i_2_ < 3; i_2_++) {
                    sum_ = (int32_t)((uint32_t)sum_ + (uint32_t)(int32_t)image_[image_at_ + lift_min(W_ - 1, lift_max(0, i_2_ + w_ - 1))]);
                }
            }
            output_[W_ * h_ + w_] = (uint8_t)(sum_ / 9);
        }
    }
}
