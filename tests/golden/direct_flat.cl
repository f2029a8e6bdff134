#define K_ 128
#define KH_ 3
#define KW_ 3
#define C_ 128
#define H_ 112
#define W_ 112
#define THETA_ 3
#define KAPPA_ 4
#define SIGMA_ 3
#define OMEGA_ 36
#define V_ 4

kernel void convolution_input_padded_(
    const global float* restrict input_,
    global float* restrict input_padded_)
{
    const int h_ = get_global_id(2);
    const int w_ = get_global_id(1);
    const int c_ = get_global_id(0);
    input_padded_[((W_ + 2) * h_ + w_) * C_ + c_] = h_ - 1 >= 0 && h_ - 1 < H_ && w_ - 1 >= 0 && w_ - 1 < W_ ? input_[((h_ - 1) * W_ + w_ - 1) * C_ + c_] : 0.0f;
}

__attribute__((reqd_work_group_size(8, 1, 3)))
kernel void convolution_partial_(
    const global float* restrict kernels_,
    const global float* restrict input_padded_,
    global float* restrict partial_)
{
    const int h_ = get_group_id(2);
    const int kw_ = get_group_id(1);
    const int k_ = get_group_id(0);
    const int theta_ = get_local_id(2);
    const int theta_2_ = get_local_id(1);
    const int c_ = get_local_id(0);
    const int partial_at_ = ((10496 * THETA_ * h_ + 256 * kw_ + 10496 * theta_ + 256 * theta_2_) * SIGMA_ + 8 * k_) * KAPPA_ + c_;
    float accs_0_ = 0.0f;
    float accs_1_ = 0.0f;
    float accs_2_ = 0.0f;
    float accs_3_ = 0.0f;
    float accs_4_ = 0.0f;
    float accs_5_ = 0.0f;
    float accs_6_ = 0.0f;
    float accs_7_ = 0.0f;
    float accs_8_ = 0.0f;
    float accs_9_ = 0.0f;
    float accs_10_ = 0.0f;
    float accs_11_ = 0.0f;
    const int input_padded_at_ = C_ * min(W_ + 2 - KW_, SIGMA_ * theta_2_ + THETA_ * kw_) + 14592 * min(3 * h_ + theta_, 111);
    const int input_padded_at_2_ = C_ * min(W_ + 2 - KW_, SIGMA_ * theta_2_ + THETA_ * kw_ + 1) + 14592 * min(3 * h_ + theta_, 111);
    const int input_padded_at_3_ = C_ * min(W_ + 2 - KW_, SIGMA_ * theta_2_ + THETA_ * kw_ + 2) + 14592 * min(3 * h_ + theta_, 111);
    for (int c_2_ = 0; c_2_ < KH_ * KW_ * (C_ / V_) / (KH_ * KW_ * (C_ / V_) / OMEGA_); c_2_++) {
        const int kernels_at_ = V_ * ((c_ + 8 * c_2_) % 32) + 4608 * k_ + 128 * (c_2_ / 4);
        const float4 x_ = *(const global float4*)(input_padded_ + input_padded_at_ + C_ * (c_2_ / 4 % KW_) + V_ * ((c_ + 8 * c_2_) % 32) + 14592 * (c_2_ / 12));
        const float4 right_ = *(const global float4*)(kernels_ + kernels_at_);
        accs_0_ = fma(x_.s3, right_.s3, fma(x_.s2, right_.s2, fma(x_.s1, right_.s1, fma(x_.s0, right_.s0, accs_0_))));
        const float4 right_2_ = *(const global float4*)(kernels_ + kernels_at_ + 1152);
        accs_1_ = fma(x_.s3, right_2_.s3, fma(x_.s2, right_2_.s2, fma(x_.s1, right_2_.s1, fma(x_.s0, right_2_.s0, accs_1_))));
        const float4 right_3_ = *(const global float4*)(kernels_ + kernels_at_ + 2304);
        accs_2_ = fma(x_.s3, right_3_.s3, fma(x_.s2, right_3_.s2, fma(x_.s1, right_3_.s1, fma(x_.s0, right_3_.s0, accs_2_))));
        const float4 right_4_ = *(const global float4*)(kernels_ + kernels_at_ + 3456);
        accs_3_ = fma(x_.s3, right_4_.s3, fma(x_.s2, right_4_.s2, fma(x_.s1, right_4_.s1, fma(x_.s0, right_4_.s0, accs_3_))));
        const float4 x_2_ = *(const global float4*)(input_padded_ + input_padded_at_2_ + C_ * (c_2_ / 4 % KW_) + V_ * ((c_ + 8 * c_2_) % 32) + 14592 * (c_2_ / 12));
        const float4 right_5_ = *(const global float4*)(kernels_ + kernels_at_);
        accs_4_ = fma(x_2_.s3, right_5_.s3, fma(x_2_.s2, right_5_.s2, fma(x_2_.s1, right_5_.s1, fma(x_2_.s0, right_5_.s0, accs_4_))));
        const float4 right_6_ = *(const global float4*)(kernels_ + kernels_at_ + 1152);
        accs_5_ = fma(x_2_.s3, right_6_.s3, fma(x_2_.s2, right_6_.s2, fma(x_2_.s1, right_6_.s1, fma(x_2_.s0, right_6_.s0, accs_5_))));
        const float4 right_7_ = *(const global float4*)(kernels_ + kernels_at_ + 2304);
        accs_6_ = fma(x_2_.s3, right_7_.s3, fma(x_2_.s2, right_7_.s2, fma(x_2_.s1, right_7_.s1, fma(x_2_.s0, right_7_.s0, accs_6_))));
        const float4 right_8_ = *(const global float4*)(kernels_ + kernels_at_ + 3456);
        accs_7_ = fma(x_2_.s3, right_8_.s3, fma(x_2_.s2, right_8_.s2, fma(x_2_.s1, right_8_.s1, fma(x_2_.s0, right_8_.s0, accs_7_))));
        const float4 x_3_ = *(const global float4*)(input_padded_ + input_padded_at_3_ + C_ * (c_2_ / 4 % KW_) + V_ * ((c_ + 8 * c_2_) % 32) + 14592 * (c_2_ / 12));
        const float4 right_9_ = *(const global float4*)(kernels_ + kernels_at_);
        accs_8_ = fma(x_3_.s3, right_9_.s3, fma(x_3_.s2, right_9_.s2, fma(x_3_.s1, right_9_.s1, fma(x_3_.s0, right_9_.s0, accs_8_))));
        const float4 right_10_ = *(const global float4*)(kernels_ + kernels_at_ + 1152);
        accs_9_ = fma(x_3_.s3, right_10_.s3, fma(x_3_.s2, right_10_.s2, fma(x_3_.s1, right_10_.s1, fma(x_3_.s0, right_10_.s0, accs_9_))));
        const float4 right_11_ = *(const global float4*)(kernels_ + kernels_at_ + 2304);
        accs_10_ = fma(x_3_.s3, right_11_.s3, fma(x_3_.s2, right_11_.s2, fma(x_3_.s1, right_11_.s1, fma(x_3_.s0, right_11_.s0, accs_10_))));
        const float4 right_12_ = *(const global float4*)(kernels_ + kernels_at_ + 3456);
        accs_11_ = fma(x_3_.s3, right_12_.s3, fma(x_3_.s2, right_12_.s2, fma(x_3_.s1, right_12_.s1, fma(x_3_.s0, right_12_.s0, accs_11_))));
    }
    partial_[partial_at_] = accs_0_;
    partial_[partial_at_ + 8] = accs_1_;
    partial_[partial_at_ + 16] = accs_2_;
    partial_[partial_at_ + 24] = accs_3_;
    partial_[partial_at_ + 256 * KAPPA_] = accs_4_;
    partial_[partial_at_ + 256 * KAPPA_ + 8] = accs_5_;
    partial_[partial_at_ + 256 * KAPPA_ + 16] = accs_6_;
    partial_[partial_at_ + 256 * KAPPA_ + 24] = accs_7_;
    partial_[partial_at_ + 512 * KAPPA_] = accs_8_;
    partial_[partial_at_ + 512 * KAPPA_ + 8] = accs_9_;
    partial_[partial_at_ + 512 * KAPPA_ + 16] = accs_10_;
    partial_[partial_at_ + 512 * KAPPA_ + 24] = accs_11_;
}

kernel void convolution_(
    const global float* restrict biases_,
    const global float* restrict partial_,
    global float* restrict output_)
{
    const int h_ = get_global_id(2);
    const int w_ = get_global_id(1);
    const int k_ = get_global_id(0);
    float acc_ = biases_[k_];
    const int partial_at_ = (10496 * SIGMA_ * h_ + 256 * w_) * KAPPA_ + 8 * k_;
    for (int c_ = 0; c_ < KH_ * KW_ * (C_ / V_) / OMEGA_; c_++) {
        acc_ += partial_[partial_at_ + c_];
    }
    output_[((W_ + 3 - KW_) * h_ + w_) * K_ + k_] = acc_;
}
