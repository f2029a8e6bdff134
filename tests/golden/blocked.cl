#define K_ 64
#define KH_ 3
#define KW_ 3
#define C_ 64
#define H_ 56
#define W_ 56
#define GM_ 8
#define GN_ 8
#define TM_ 4
#define TN_ 4
#define BK_ 8
#define W_2_ 4
#define V_ 4
#define P_ 0

__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void convolution_(
    const global float* restrict kernels_,
    const global float* restrict biases_,
    const global float* restrict input_,
    global float* restrict output_)
{
    float4 accs_0_ = (float4)(0.0f);
    float4 accs_1_ = (float4)(0.0f);
    float4 accs_2_ = (float4)(0.0f);
    float4 accs_3_ = (float4)(0.0f);
    float4 next_kernels_0_ = (float4)(0.0f);
    float4 next_input_0_ = (float4)(0.0f);
    local float kernels_tile_[(P_ + 32) * BK_] __attribute__((aligned(64)));
    local float input_tile_[(P_ + 32) * BK_] __attribute__((aligned(64)));
    const int h_ = get_group_id(1);
    const int k_ = get_group_id(0);
    const int gm_ = get_local_id(1);
    const int gn_ = get_local_id(0);
    const int biases_at_ = (GN_ * k_ + gn_) * TN_;
    accs_0_ = *(const global float4*)(biases_ + biases_at_);
    accs_1_ = *(const global float4*)(biases_ + biases_at_);
    accs_2_ = *(const global float4*)(biases_ + biases_at_);
    accs_3_ = *(const global float4*)(biases_ + biases_at_);
    next_kernels_0_ = *(const global float4*)(kernels_ + ((GN_ * k_ + gm_) * TN_ + gn_ / 2) * KW_ * KH_ * C_ + W_2_ * gn_ % BK_);
    next_input_0_ = (gm_ + 8 * h_) / 14 - 1 >= 0 && ((GM_ * h_ + gm_) * TM_ + gn_ / 2) % (W_ + 3 - KW_) - 1 >= 0 ? *(const global float4*)(input_ + (((gm_ + 8 * h_) / 14 - 1) * W_ + ((GM_ * h_ + gm_) * TM_ + gn_ / 2) % (W_ + 3 - KW_) - 1) * C_ + W_2_ * gn_ % BK_) : (float4)(0.0f);
    const int kernels_tile_at_ = (GN_ * gm_ + gn_) * W_2_ / BK_ + 128 * (gn_ % 2);
    const int kernels_at_ = 2304 * gm_ + 18432 * k_ + 576 * (gn_ / 2) + 4 * (gn_ % 2);
    const int at_ = (gm_ + 8 * h_) / 14;
    const int at_2_ = ((GM_ * h_ + gm_) * TM_ + gn_ / 2) % (W_ + 3 - KW_);
    const int input_at_ = 3584 * ((gm_ + 8 * h_) / 14) + 4 * (gn_ % 2) + 64 * ((4 * gm_ + 32 * h_ + gn_ / 2) % 56);
    for (int i_ = 0; i_ < KH_ * KW_ * (C_ / BK_); i_++) {
        const int at_3_ = at_ + (i_ + 1) / (8 * KW_);
        const int at_4_ = at_2_ + (i_ + 1) / 8 % KW_;
        barrier(CLK_LOCAL_MEM_FENCE); // write-after-read hazard on kernels_tile
        const float4 vector_ = next_kernels_0_;
        kernels_tile_[kernels_tile_at_] = vector_.s0;
        kernels_tile_[kernels_tile_at_ + 32] = vector_.s1;
        kernels_tile_[kernels_tile_at_ + 64] = vector_.s2;
        kernels_tile_[kernels_tile_at_ + 96] = vector_.s3;
        const float4 vector_2_ = next_input_0_;
        input_tile_[kernels_tile_at_] = vector_2_.s0;
        input_tile_[kernels_tile_at_ + 32] = vector_2_.s1;
        input_tile_[kernels_tile_at_ + 64] = vector_2_.s2;
        input_tile_[kernels_tile_at_ + 96] = vector_2_.s3;
        if (i_ + 1 < KH_ * KW_ * (C_ / BK_)) {
            next_kernels_0_ = *(const global float4*)(kernels_ + kernels_at_ + 8 * i_ + 8);
            next_input_0_ = at_3_ - 1 >= 0 && at_3_ - 1 < H_ && at_4_ - 1 >= 0 && at_4_ - 1 < W_ ? *(const global float4*)(input_ + input_at_ + 3584 * ((i_ + 1) / 24) + 8 * ((i_ + 1) % 24) - 3648) : (float4)(0.0f);
        }
        barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on input_tile
        for (int bk_ = 0; bk_ < BK_; bk_++) {
            const int input_tile_at_ = (P_ + 32) * bk_ + TM_ * gm_;
            const int kernels_tile_at_2_ = (P_ + 32) * bk_ + TN_ * gn_;
            const float x_ = input_tile_[input_tile_at_];
            accs_0_ = fma((float4)(x_), *(const local float4*)(kernels_tile_ + kernels_tile_at_2_), accs_0_);
            const float x_2_ = input_tile_[input_tile_at_ + 1];
            accs_1_ = fma((float4)(x_2_), *(const local float4*)(kernels_tile_ + kernels_tile_at_2_), accs_1_);
            const float x_3_ = input_tile_[input_tile_at_ + 2];
            accs_2_ = fma((float4)(x_3_), *(const local float4*)(kernels_tile_ + kernels_tile_at_2_), accs_2_);
            const float x_4_ = input_tile_[input_tile_at_ + 3];
            accs_3_ = fma((float4)(x_4_), *(const local float4*)(kernels_tile_ + kernels_tile_at_2_), accs_3_);
        }
    }
    *(global float4*)(output_ + (GN_ * k_ + gn_) * V_ + K_ * ((GM_ * h_ + gm_) * TM_ % (W_ + 3 - KW_)) + 3584 * ((gm_ + 8 * h_) / 14)) = accs_0_;
    *(global float4*)(output_ + (GN_ * k_ + gn_) * V_ + K_ * (((GM_ * h_ + gm_) * TM_ + 1) % (W_ + 3 - KW_)) + 3584 * ((gm_ + 8 * h_) / 14)) = accs_1_;
    *(global float4*)(output_ + (GN_ * k_ + gn_) * V_ + K_ * (((GM_ * h_ + gm_) * TM_ + 2) % (W_ + 3 - KW_)) + 3584 * ((gm_ + 8 * h_) / 14)) = accs_2_;
    *(global float4*)(output_ + (GN_ * k_ + gn_) * V_ + K_ * (((GM_ * h_ + gm_) * TM_ + 3) % (W_ + 3 - KW_)) + 3584 * ((gm_ + 8 * h_) / 14)) = accs_3_;
}
