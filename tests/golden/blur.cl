#define H_ 480
#define W_ 640

kernel void blur_(
    const global uchar* restrict image_,
    global uchar* restrict output_)
{
    const int h_ = get_global_id(1);
    const int w_ = get_global_id(0);
    int sum_ = 0;
    for (int i_ = 0; i_ < 3; i_++) {
        const int image_at_ = W_ * min(H_ - 1, max(0, h_ + i_ - 1));
        for (int i_2_ = 0; i_2_ < 3; i_2_++) {
            sum_ = (int)((uint)sum_ + (uint)(int)image_[image_at_ + min(W_ - 1, max(0, i_2_ + w_ - 1))]);
        }
    }
    output_[W_ * h_ + w_] = (uchar)(sum_ / 9);
}
