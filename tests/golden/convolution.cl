#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56

kernel void convolution_(
    const global float* restrict kernels_,
    const global float* restrict biases_,
    const global float* restrict input_,
    global float* restrict output_)
{
    const int h_ = get_global_id(2);
    const int w_ = get_global_id(1);
    const int k_ = get_global_id(0);
    float acc_ = biases_[k_];
    const int input_at_ = (W_ * h_ + w_) * C_;
    for (int kh_ = 0; kh_ < KH_; kh_++) {
        if (h_ + kh_ - 1 >= 0 && h_ + kh_ - 1 < H_) {
            const int input_at_2_ = input_at_ + C_ * W_ * kh_;
            const int kernels_at_ = (KH_ * k_ + kh_) * KW_ * C_;
            for (int kw_ = 0; kw_ < KW_; kw_++) {
                if (kw_ + w_ - 1 >= 0 && kw_ + w_ - 1 < W_) {
                    const int input_at_3_ = input_at_2_ + C_ * kw_;
                    const int kernels_at_2_ = kernels_at_ + C_ * kw_;
                    for (int c_ = 0; c_ < C_; c_++) {
                        acc_ = fma(input_[input_at_3_ + (-W_ - 1) * C_ + c_], kernels_[kernels_at_2_ + c_], acc_);
                    }
                }
            }
        }
    }
    output_[((W_ + 3 - KW_) * h_ + w_) * K_ + k_] = acc_;
}
