#define H_ 1024
#define W_ 512
#define T_ 32
#define R_ 8

__attribute__((reqd_work_group_size(32, 4, 1)))
kernel void turned_(
    const global float* restrict xs_,
    global float* restrict output_)
{
    local float xs_tile_[(4 * T_ + 4) * R_] __attribute__((aligned(64)));
    const int w_ = get_group_id(1);
    const int h_ = get_group_id(0);
    const int t_ = get_local_id(1);
    const int xs_at_ = (R_ * t_ + T_ * h_) * W_ + T_ * w_;
    const int xs_tile_at_ = (T_ + 1) * t_ * R_;
    for (int r_ = 0; r_ < R_; r_++) {
        const int t_2_ = get_local_id(0);
        xs_tile_[xs_tile_at_ + (T_ + 1) * r_ + t_2_] = xs_[xs_at_ + W_ * r_ + t_2_];
    }
    barrier(CLK_LOCAL_MEM_FENCE); // read-after-write hazard on xs_tile
    const int output_at_ = ((t_ + 4 * w_) * H_ + 4 * h_) * R_;
    for (int r_ = 0; r_ < R_; r_++) {
        const int i_ = get_local_id(0);
        output_[output_at_ + H_ * r_ + i_] = xs_tile_[(T_ + 1) * i_ + R_ * t_ + r_];
    }
}
