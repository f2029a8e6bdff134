#define N_ 1000

constant float constants_[3] = {0.25f, 0.5f, 0.25f};

kernel void heat_(
    const global float* restrict before_,
    global float* restrict after_)
{
    const int n_ = get_global_id(0);
    float sum_ = 0.0f;
    sum_ = fma(before_[(N_ + n_ - 1) % N_], constants_[0], sum_);
    sum_ = fma(before_[n_ % N_], constants_[1], sum_);
    sum_ = fma(before_[(n_ + 1) % N_], constants_[2], sum_);
    after_[n_] = sum_;
}
