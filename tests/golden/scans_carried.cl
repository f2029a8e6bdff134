#define N_ 65536
#define E_ 8
#define S_ 16
#define T_ 4096
#define P_ 1

__attribute__((reqd_work_group_size(512, 1, 1)))
kernel void prefixes_(
    const global float* restrict xs_,
    global float* restrict output_)
{
    local float accs_[512 * E_ + 512 * P_] __attribute__((aligned(64)));
    local float xs_tile_[512 * E_ + 512 * P_] __attribute__((aligned(64)));
    local float partial_[512] __attribute__((aligned(64)));
    local float partial_2_[32] __attribute__((aligned(64)));
    local float prefixes_2_[32 * S_] __attribute__((aligned(64)));
    local float prefixes_3_[32] __attribute__((aligned(64)));
    const int m_ = get_group_id(0);
    const int t_ = get_local_id(0);
    const int accs_at_ = (E_ + P_) * t_;
    for (int e_ = 0; e_ < E_; e_++) {
        accs_[accs_at_ + e_] = 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on accs
    const int xs_at_ = N_ * m_ + t_;
    const int xs_tile_at_ = 9 * (t_ / 8) + t_ % E_;
    for (int n_ = 0; n_ < N_ / T_; n_++) {
        const int xs_at_2_ = xs_at_ + T_ * n_;
        for (int t_2_ = 0; t_2_ < T_ / (T_ / E_); t_2_++) {
            xs_tile_[xs_tile_at_ + 576 * t_2_] = xs_[xs_at_2_ + 512 * t_2_];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on xs_tile
        const int e_ = get_local_id(0);
        float sum_ = 0.0f;
        const int xs_tile_at_2_ = (E_ + P_) * e_;
        for (int e_2_ = 0; e_2_ < E_; e_2_++) {
            sum_ += xs_tile_[xs_tile_at_2_ + e_2_];
        }
        partial_[e_] = sum_;
        barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on partial
        for (int e_2_ = get_local_id(0); e_2_ < T_ / E_ * (T_ / (T_ / E_)) / E_ / S_; e_2_ += 512) {
            float acc_ = 0.0f;
            acc_ += S_ * e_2_ - 1 >= 0 ? partial_[S_ * e_2_ - 1] : 0.0f;
            acc_ += partial_[S_ * e_2_];
            acc_ += partial_[S_ * e_2_ + 1];
            acc_ += partial_[S_ * e_2_ + 2];
            acc_ += partial_[S_ * e_2_ + 3];
            acc_ += partial_[S_ * e_2_ + 4];
            acc_ += partial_[S_ * e_2_ + 5];
            acc_ += partial_[S_ * e_2_ + 6];
            acc_ += partial_[S_ * e_2_ + 7];
            acc_ += partial_[S_ * e_2_ + 8];
            acc_ += partial_[S_ * e_2_ + 9];
            acc_ += partial_[S_ * e_2_ + 10];
            acc_ += partial_[S_ * e_2_ + 11];
            acc_ += partial_[S_ * e_2_ + 12];
            acc_ += partial_[S_ * e_2_ + 13];
            acc_ += partial_[S_ * e_2_ + 14];
            partial_2_[e_2_] = acc_;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on partial
        for (int i_ = get_local_id(0); i_ < 1; i_ += 512) {
            float accs_tile_ = 0.0f;
            accs_tile_ = accs_[511 * P_ + T_ - 1];
            float acc_ = accs_tile_;
            for (int e_2_ = 0; e_2_ < T_ / E_ * (T_ / (T_ / E_)) / E_ / S_; e_2_++) {
                const int partial_2_at_ = e_2_ + 32 * i_;
                acc_ += partial_2_at_ - 1 >= 0 ? partial_2_[partial_2_at_ - 1] : 0.0f;
                prefixes_3_[partial_2_at_] = acc_;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on prefixes
        for (int e_2_ = get_local_id(0); e_2_ < T_ / E_ * (T_ / (T_ / E_)) / E_ / S_; e_2_ += 512) {
            float prefixes_tile_ = 0.0f;
            prefixes_tile_ = prefixes_3_[e_2_];
            float acc_ = prefixes_tile_;
            for (int s_ = 0; s_ < S_; s_++) {
                const int partial_at_ = S_ * e_2_ + s_;
                acc_ += partial_at_ - 1 >= 0 ? partial_[partial_at_ - 1] : 0.0f;
                prefixes_2_[partial_at_] = acc_;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on prefixes
        const int i_ = get_local_id(0);
        const int xs_tile_at_3_ = (E_ + P_) * i_;
        float prefixes_tile_ = 0.0f;
        prefixes_tile_ = prefixes_2_[i_];
        float sum_2_ = prefixes_tile_;
        for (int e_2_ = 0; e_2_ < E_; e_2_++) {
            const int xs_tile_at_4_ = xs_tile_at_3_ + e_2_;
            sum_2_ += xs_tile_[xs_tile_at_4_];
            accs_[xs_tile_at_4_] = sum_2_;
        }
        barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on accs
        const int output_at_ = xs_at_ + 512 * E_ * n_;
        for (int e_2_ = 0; e_2_ < E_; e_2_++) {
            output_[output_at_ + 512 * e_2_] = accs_[xs_tile_at_ + 576 * e_2_];
        }
    }
}
