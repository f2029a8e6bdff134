#define N_ 4096
#define M_ 1024
#define C_ 128
#define L_ 8
#define W_ 32

static inline int lift_floor_mod(int a, int b) { return (a % b + b) % b; }

__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void columns_partial_(
    const global float* restrict xs_,
    global float* restrict partial_)
{
    local float partial_2_[L_ * W_] __attribute__((aligned(64)));
    const int i_ = get_group_id(0);
    const int i_2_ = get_local_id(0);
    float sum_ = 0.0f;
    const int xs_at_ = (C_ * (i_ / 32) + i_2_ / W_) * M_ + W_ * (i_ % 32) + i_2_ % W_;
    for (int c_ = 0; c_ < C_ / L_; c_++) {
        sum_ += xs_[xs_at_ + L_ * M_ * c_];
    }
    partial_2_[i_2_] = sum_;
    barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on partial
    for (int w_ = get_local_id(0); w_ < W_; w_ += 256) {
        float acc_ = 0.0f;
        for (int l_ = 0; l_ < L_; l_++) {
            acc_ += partial_2_[W_ * l_ + w_];
        }
        partial_[W_ * i_ + w_] = acc_;
    }
}

__attribute__((reqd_work_group_size(256, 1, 1)))
kernel void columns_(
    const global float* restrict partial_,
    global float* restrict output_)
{
    local float partial_2_[L_ * W_] __attribute__((aligned(64)));
    const int m_ = get_group_id(0);
    const int i_ = get_local_id(0);
    float acc_ = 0.0f;
    const int partial_at_ = (m_ + 32 * (i_ / W_)) * W_ + i_ % W_;
    for (int c_ = 0; c_ < (N_ / C_ + lift_floor_mod(-(N_ / C_), L_)) / L_; c_++) {
        acc_ += partial_[partial_at_ + 32 * L_ * W_ * c_];
    }
    partial_2_[i_] = acc_;
    barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on partial
    for (int w_ = get_local_id(0); w_ < W_; w_ += 256) {
        float acc_2_ = 0.0f;
        for (int l_ = 0; l_ < L_; l_++) {
            acc_2_ += partial_2_[W_ * l_ + w_];
        }
        output_[W_ * m_ + w_] = acc_2_;
    }
}
