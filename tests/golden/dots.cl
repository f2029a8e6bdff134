#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define V_ 4
#define D_ 2
#define R_ 1
#define Q_ 4

kernel void convolution_input_padded_(
    const global float* restrict input_,
    global float* restrict input_padded_)
{
    const int h_ = get_global_id(2);
    const int w_ = get_global_id(1);
    const int c_ = get_global_id(0);
    input_padded_[((W_ + 2) * h_ + w_) * C_ + c_] = h_ - 1 >= 0 && h_ - 1 < H_ && w_ - 1 >= 0 && w_ - 1 < W_ ? input_[((h_ - 1) * W_ + w_ - 1) * C_ + c_] : 0.0f;
}

kernel void convolution_(
    const global float* restrict kernels_,
    const global float* restrict biases_,
    const global float* restrict input_padded_,
    global float* restrict output_)
{
    const int k_ = get_global_id(2);
    const int h_ = get_global_id(1);
    const int kw_ = get_global_id(0);
    const int input_padded_at_ = ((W_ + 2) * h_ * R_ + Q_ * kw_) * C_;
    const int output_at_ = ((W_ + 3 - KW_) * h_ * R_ + Q_ * kw_) * K_ + D_ * k_;
    float4 accs_0_ = (float4)(0.0f);
    float4 accs_1_ = (float4)(0.0f);
    float4 accs_2_ = (float4)(0.0f);
    float4 accs_3_ = (float4)(0.0f);
    float4 accs_4_ = (float4)(0.0f);
    float4 accs_5_ = (float4)(0.0f);
    float4 accs_6_ = (float4)(0.0f);
    float4 accs_7_ = (float4)(0.0f);
    for (int kh_ = 0; kh_ < KH_; kh_++) {
        const int input_padded_at_2_ = input_padded_at_ + (W_ + 2) * kh_ * C_;
        const int kernels_at_ = (D_ * KH_ * k_ + kh_) * KW_ * C_;
        if (R_ * h_ + kh_ - 1 >= 0 && R_ * h_ + kh_ - 1 < H_) {
            for (int kw_2_ = 0; kw_2_ < KW_; kw_2_++) {
                const int input_padded_at_3_ = input_padded_at_2_ + C_ * kw_2_;
                const int kernels_at_2_ = kernels_at_ + C_ * kw_2_;
                for (int c_ = 0; c_ < C_ / V_; c_++) {
                    const int input_padded_at_4_ = input_padded_at_3_ + V_ * c_;
                    const int kernels_at_3_ = kernels_at_2_ + V_ * c_;
                    accs_0_ = fma(*(const global float4*)(input_padded_ + input_padded_at_4_), *(const global float4*)(kernels_ + kernels_at_3_), accs_0_);
                    accs_1_ = fma(*(const global float4*)(input_padded_ + input_padded_at_4_), *(const global float4*)(kernels_ + kernels_at_3_ + C_ * KH_ * KW_), accs_1_);
                    accs_2_ = fma(*(const global float4*)(input_padded_ + input_padded_at_4_ + C_), *(const global float4*)(kernels_ + kernels_at_3_), accs_2_);
                    accs_3_ = fma(*(const global float4*)(input_padded_ + input_padded_at_4_ + C_), *(const global float4*)(kernels_ + kernels_at_3_ + C_ * KH_ * KW_), accs_3_);
                    accs_4_ = fma(*(const global float4*)(input_padded_ + input_padded_at_4_ + 2 * C_), *(const global float4*)(kernels_ + kernels_at_3_), accs_4_);
                    accs_5_ = fma(*(const global float4*)(input_padded_ + input_padded_at_4_ + 2 * C_), *(const global float4*)(kernels_ + kernels_at_3_ + C_ * KH_ * KW_), accs_5_);
                    accs_6_ = fma(*(const global float4*)(input_padded_ + input_padded_at_4_ + 3 * C_), *(const global float4*)(kernels_ + kernels_at_3_), accs_6_);
                    accs_7_ = fma(*(const global float4*)(input_padded_ + input_padded_at_4_ + 3 * C_), *(const global float4*)(kernels_ + kernels_at_3_ + C_ * KH_ * KW_), accs_7_);
                }
            }
        }
    }
    float acc_ = biases_[D_ * k_];
    const float2 halves_ = (float2)(accs_0_.s0, accs_0_.s1) + (float2)(accs_0_.s2, accs_0_.s3);
    const float both_ = halves_.s0 + halves_.s1;
    acc_ += both_;
    output_[output_at_] = acc_;
    float acc_2_ = biases_[D_ * k_ + 1];
    const float2 halves_2_ = (float2)(accs_1_.s0, accs_1_.s1) + (float2)(accs_1_.s2, accs_1_.s3);
    const float both_2_ = halves_2_.s0 + halves_2_.s1;
    acc_2_ += both_2_;
    output_[output_at_ + 1] = acc_2_;
    float acc_3_ = biases_[D_ * k_];
    const float2 halves_3_ = (float2)(accs_2_.s0, accs_2_.s1) + (float2)(accs_2_.s2, accs_2_.s3);
    const float both_3_ = halves_3_.s0 + halves_3_.s1;
    acc_3_ += both_3_;
    output_[output_at_ + K_] = acc_3_;
    float acc_4_ = biases_[D_ * k_ + 1];
    const float2 halves_4_ = (float2)(accs_3_.s0, accs_3_.s1) + (float2)(accs_3_.s2, accs_3_.s3);
    const float both_4_ = halves_4_.s0 + halves_4_.s1;
    acc_4_ += both_4_;
    output_[output_at_ + K_ + 1] = acc_4_;
    float acc_5_ = biases_[D_ * k_];
    const float2 halves_5_ = (float2)(accs_4_.s0, accs_4_.s1) + (float2)(accs_4_.s2, accs_4_.s3);
    const float both_5_ = halves_5_.s0 + halves_5_.s1;
    acc_5_ += both_5_;
    output_[output_at_ + 2 * K_] = acc_5_;
    float acc_6_ = biases_[D_ * k_ + 1];
    const float2 halves_6_ = (float2)(accs_5_.s0, accs_5_.s1) + (float2)(accs_5_.s2, accs_5_.s3);
    const float both_6_ = halves_6_.s0 + halves_6_.s1;
    acc_6_ += both_6_;
    output_[output_at_ + 2 * K_ + 1] = acc_6_;
    float acc_7_ = biases_[D_ * k_];
    const float2 halves_7_ = (float2)(accs_6_.s0, accs_6_.s1) + (float2)(accs_6_.s2, accs_6_.s3);
    const float both_7_ = halves_7_.s0 + halves_7_.s1;
    acc_7_ += both_7_;
    output_[output_at_ + 3 * K_] = acc_7_;
    float acc_8_ = biases_[D_ * k_ + 1];
    const float2 halves_8_ = (float2)(accs_7_.s0, accs_7_.s1) + (float2)(accs_7_.s2, accs_7_.s3);
    const float both_8_ = halves_8_.s0 + halves_8_.s1;
    acc_8_ += both_8_;
    output_[output_at_ + 3 * K_ + 1] = acc_8_;
}
