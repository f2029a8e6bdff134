#define M_ 100

constant float constants_[3] = {0.25f, 0.5f, 0.25f};

kernel void smoothed_(
    const global float* restrict rows_,
    global float* restrict output_)
{
    const int n_ = get_global_id(0);
    float window_2_ = 0.0f;
    float window_0_ = rows_[M_ * n_];
    float window_1_ = rows_[M_ * n_];
    for (int m_ = 0; m_ < M_; m_++) {
        window_2_ = rows_[M_ * n_ + min(M_ - 1, m_ + 1)];
        float sum_ = 0.0f;
        sum_ = fma(window_0_, constants_[0], sum_);
        sum_ = fma(window_1_, constants_[1], sum_);
        sum_ = fma(window_2_, constants_[2], sum_);
        output_[M_ * n_ + m_] = sum_;
        window_0_ = window_1_;
        window_1_ = window_2_;
    }
}
