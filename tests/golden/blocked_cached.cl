#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define GM_ 8
#define GN_ 8
#define TM_ 2
#define TN_ 4
#define BK_ 4
#define V_ 4

__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void convolution_(
    const global float* restrict kernels_,
    const global float* restrict biases_,
    const global float* restrict input_,
    global float* restrict output_)
{
    const int h_ = get_group_id(1);
    const int k_ = get_group_id(0);
    const int gm_ = get_local_id(1);
    const int gn_ = get_local_id(0);
    const int biases_at_ = (GN_ * k_ + gn_) * TN_;
    const int at_ = (GM_ * h_ + gm_) * TM_ / (W_ + 3 - KW_);
    const int input_at_ = 128 * gm_ + 1024 * h_;
    const int at_2_ = ((GM_ * h_ + gm_) * TM_ + 1) / (W_ + 3 - KW_);
    const int kernels_at_ = (GN_ * k_ + gn_) * TN_ * KW_ * KH_ * C_;
    float4 accs_0_ = *(const global float4*)(biases_ + biases_at_);
    float4 accs_1_ = *(const global float4*)(biases_ + biases_at_);
    const int at_3_ = (GM_ * h_ + gm_) * TM_ % (W_ + 3 - KW_);
    const int at_4_ = ((GM_ * h_ + gm_) * TM_ + 1) % (W_ + 3 - KW_);
    for (int kh_ = 0; kh_ < KH_; kh_++) {
        const int input_at_2_ = input_at_ + 3584 * kh_;
        const int kernels_at_2_ = kernels_at_ + C_ * KW_ * kh_;
        for (int kw_ = 0; kw_ < KW_; kw_++) {
            const int input_at_3_ = input_at_2_ + 64 * kw_;
            const int kernels_at_3_ = kernels_at_2_ + C_ * kw_;
            for (int c_ = 0; c_ < C_ / BK_; c_++) {
                const int input_at_4_ = input_at_3_ + BK_ * c_;
                const int kernels_at_4_ = kernels_at_3_ + BK_ * c_;
                const float4 vector_ = at_ + kh_ - 1 >= 0 && at_ + kh_ - 1 < H_ && at_3_ + kw_ - 1 >= 0 ? *(const global float4*)(input_ + input_at_4_ - 3648) : (float4)(0.0f);
                float input_tile_0_ = vector_.s0;
                float input_tile_2_ = vector_.s1;
                float input_tile_4_ = vector_.s2;
                float input_tile_6_ = vector_.s3;
                const float4 vector_2_ = at_2_ + kh_ - 1 >= 0 && at_2_ + kh_ - 1 < H_ && at_4_ + kw_ - 1 < W_ ? *(const global float4*)(input_ + input_at_4_ - 3584) : (float4)(0.0f);
                float input_tile_1_ = vector_2_.s0;
                float input_tile_3_ = vector_2_.s1;
                float input_tile_5_ = vector_2_.s2;
                float input_tile_7_ = vector_2_.s3;
                const float4 vector_3_ = *(const global float4*)(kernels_ + kernels_at_4_);
                float kernels_tile_0_ = vector_3_.s0;
                float kernels_tile_4_ = vector_3_.s1;
                float kernels_tile_8_ = vector_3_.s2;
                float kernels_tile_12_ = vector_3_.s3;
                const float4 vector_4_ = *(const global float4*)(kernels_ + kernels_at_4_ + C_ * KH_ * KW_);
                float kernels_tile_1_ = vector_4_.s0;
                float kernels_tile_5_ = vector_4_.s1;
                float kernels_tile_9_ = vector_4_.s2;
                float kernels_tile_13_ = vector_4_.s3;
                const float4 vector_5_ = *(const global float4*)(kernels_ + kernels_at_4_ + 2 * C_ * KH_ * KW_);
                float kernels_tile_2_ = vector_5_.s0;
                float kernels_tile_6_ = vector_5_.s1;
                float kernels_tile_10_ = vector_5_.s2;
                float kernels_tile_14_ = vector_5_.s3;
                const float4 vector_6_ = *(const global float4*)(kernels_ + kernels_at_4_ + 3 * C_ * KH_ * KW_);
                float kernels_tile_3_ = vector_6_.s0;
                float kernels_tile_7_ = vector_6_.s1;
                float kernels_tile_11_ = vector_6_.s2;
                float kernels_tile_15_ = vector_6_.s3;
                const float x_ = input_tile_0_;
                accs_0_ = fma((float4)(x_), (float4)(kernels_tile_0_, kernels_tile_1_, kernels_tile_2_, kernels_tile_3_), accs_0_);
                const float x_2_ = input_tile_1_;
                accs_1_ = fma((float4)(x_2_), (float4)(kernels_tile_0_, kernels_tile_1_, kernels_tile_2_, kernels_tile_3_), accs_1_);
                const float x_3_ = input_tile_2_;
                accs_0_ = fma((float4)(x_3_), (float4)(kernels_tile_4_, kernels_tile_5_, kernels_tile_6_, kernels_tile_7_), accs_0_);
                const float x_4_ = input_tile_3_;
                accs_1_ = fma((float4)(x_4_), (float4)(kernels_tile_4_, kernels_tile_5_, kernels_tile_6_, kernels_tile_7_), accs_1_);
                const float x_5_ = input_tile_4_;
                accs_0_ = fma((float4)(x_5_), (float4)(kernels_tile_8_, kernels_tile_9_, kernels_tile_10_, kernels_tile_11_), accs_0_);
                const float x_6_ = input_tile_5_;
                accs_1_ = fma((float4)(x_6_), (float4)(kernels_tile_8_, kernels_tile_9_, kernels_tile_10_, kernels_tile_11_), accs_1_);
                const float x_7_ = input_tile_6_;
                accs_0_ = fma((float4)(x_7_), (float4)(kernels_tile_12_, kernels_tile_13_, kernels_tile_14_, kernels_tile_15_), accs_0_);
                const float x_8_ = input_tile_7_;
                accs_1_ = fma((float4)(x_8_), (float4)(kernels_tile_12_, kernels_tile_13_, kernels_tile_14_, kernels_tile_15_), accs_1_);
            }
        }
    }
    *(global float4*)(output_ + (GN_ * k_ + gn_) * V_ + K_ * ((GM_ * h_ + gm_) * TM_ % (W_ + 3 - KW_)) + 3584 * ((gm_ + 8 * h_) / 28)) = accs_0_;
    *(global float4*)(output_ + (GN_ * k_ + gn_) * V_ + K_ * (((GM_ * h_ + gm_) * TM_ + 1) % (W_ + 3 - KW_)) + 3584 * ((gm_ + 8 * h_) / 28)) = accs_1_;
}
