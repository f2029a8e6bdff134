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
#define P_ 4

__attribute__((reqd_work_group_size(8, 8, 1)))
kernel void pointwise_(
    const global float* restrict kernels_,
    const global float* restrict input_,
    global float* restrict output_)
{
    float4 accs_0_ = (float4)(0.0f);
    float4 accs_1_ = (float4)(0.0f);
    float4 accs_2_ = (float4)(0.0f);
    float4 accs_3_ = (float4)(0.0f);
    local float input_tile_[8 * GM_ * TM_ + 8 * P_] __attribute__((aligned(64)));
    local float kernels_tile_[(P_ + 32) * BK_] __attribute__((aligned(64)));
    const int k_ = get_group_id(1);
    const int h_ = get_group_id(0);
    const int output_at_ = GN_ * H_ * TN_ * W_ * k_ + GM_ * V_ * h_;
    const int gn_ = get_local_id(1);
    const int gm_ = get_local_id(0);
    accs_0_ = (float4)(0.0f);
    accs_1_ = (float4)(0.0f);
    accs_2_ = (float4)(0.0f);
    accs_3_ = (float4)(0.0f);
    const int input_at_ = (GM_ * h_ + gm_) * TM_ + H_ * W_ * gn_;
    const int input_tile_at_ = (GM_ * TM_ + P_) * gn_ + W_2_ * gm_;
    const int kernels_at_ = ((GN_ * k_ + gn_) * TN_ + gm_ / 2) * C_ + W_2_ * gm_ % BK_;
    const int kernels_tile_at_ = (GM_ * gn_ + gm_) * W_2_ / BK_ + 144 * (gm_ % 2);
    for (int c_ = 0; c_ < C_ / BK_; c_++) {
        barrier(CLK_LOCAL_MEM_FENCE); // write-after-read hazard on input_tile
        *(local float4*)(input_tile_ + input_tile_at_) = *(const global float4*)(input_ + input_at_ + BK_ * H_ * W_ * c_);
        const float4 vector_ = *(const global float4*)(kernels_ + kernels_at_ + BK_ * c_);
        kernels_tile_[kernels_tile_at_] = vector_.s0;
        kernels_tile_[kernels_tile_at_ + 36] = vector_.s1;
        kernels_tile_[kernels_tile_at_ + 72] = vector_.s2;
        kernels_tile_[kernels_tile_at_ + 108] = vector_.s3;
        barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on kernels_tile
        for (int bk_ = 0; bk_ < GN_ * W_2_ * (BK_ * GM_ * TM_ / W_2_ / GM_ / GN_) / TM_; bk_++) {
            const int kernels_tile_at_2_ = (P_ + 32) * bk_ + TN_ * gn_;
            const int input_tile_at_2_ = (GM_ * bk_ + gm_) * TM_ + P_ * bk_;
            const float w_ = kernels_tile_[kernels_tile_at_2_];
            accs_0_ = fma(*(const local float4*)(input_tile_ + input_tile_at_2_), (float4)(w_), accs_0_);
            const float w_2_ = kernels_tile_[kernels_tile_at_2_ + 1];
            accs_1_ = fma(*(const local float4*)(input_tile_ + input_tile_at_2_), (float4)(w_2_), accs_1_);
            const float w_3_ = kernels_tile_[kernels_tile_at_2_ + 2];
            accs_2_ = fma(*(const local float4*)(input_tile_ + input_tile_at_2_), (float4)(w_3_), accs_2_);
            const float w_4_ = kernels_tile_[kernels_tile_at_2_ + 3];
            accs_3_ = fma(*(const local float4*)(input_tile_ + input_tile_at_2_), (float4)(w_4_), accs_3_);
        }
    }
    *(global float4*)(output_ + output_at_ + H_ * TN_ * W_ * gn_ + V_ * gm_) = accs_0_;
    *(global float4*)(output_ + output_at_ + (TN_ * gn_ + 1) * W_ * H_ + V_ * gm_) = accs_1_;
    *(global float4*)(output_ + output_at_ + (TN_ * gn_ + 2) * W_ * H_ + V_ * gm_) = accs_2_;
    *(global float4*)(output_ + output_at_ + (TN_ * gn_ + 3) * W_ * H_ + V_ * gm_) = accs_3_;
}
