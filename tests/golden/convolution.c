#include <math.h>
#include <stdint.h>

#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56

void convolution_(void *const *lift_arrays, const void *const *lift_scalars, long lift_begin, long lift_end)
{
    const float *restrict kernels_ = lift_arrays[0];
    const float *restrict biases_ = lift_arrays[1];
    const float *restrict input_ = lift_arrays[2];
    float *restrict output_ = lift_arrays[3];
    for (long lift_item = lift_begin; lift_item < lift_end; lift_item++) {
        const long h_ = lift_item / (W_ + 3 - KW_);
        const long w_ = lift_item % (W_ + 3 - KW_);
        const long input_at_ = (W_ * h_ + w_) * C_;
        const long output_at_ = ((W_ + 3 - KW_) * h_ + w_) * K_;
        for (long k_ = 0; k_ < K_; k_++) {
            float acc_ = biases_[k_];
            for (long kh_ = 0; kh_ < KH_; kh_++) {
                if (h_ + kh_ - 1 >= 0 && h_ + kh_ - 1 < H_) {
                    const long input_at_2_ = input_at_ + C_ * W_ * kh_;
                    const long kernels_at_ = (KH_ * k_ + kh_) * KW_ * C_;
                    for (long kw_ = 0; kw_ < KW_; kw_++) {
                        if (kw_ + w_ - 1 >= 0 && kw_ + w_ - 1 < W_) {
                            const long input_at_3_ = input_at_2_ + C_ * kw_;
                            const long kernels_at_2_ = kernels_at_ + C_ * kw_;
                            #pragma omp simd reduction(+:acc_)
                            for (long c_ = 0; c_ < C_; c_++) {
                                acc_ += input_[input_at_3_ + (-W_ - 1) * C_ + c_] * kernels_[kernels_at_2_ + c_];
                            }
                        }
                    }
                }
            }
            output_[output_at_ + k_] = acc_;
        }
    }
}
