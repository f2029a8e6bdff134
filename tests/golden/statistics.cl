#define N_ 30
#define M_ 7

kernel void statistics_lows_(
    const global float* restrict xs_,
    global float* restrict lows_,
    global float* restrict lows_2_)
{
    const int m_ = get_global_id(0);
    float low_ = INFINITY;
    float high_ = -INFINITY;
    for (int n_ = 0; n_ < N_; n_++) {
        const float x_ = xs_[N_ * m_ + n_];
        low_ = fmin(low_, x_);
        high_ = fmax(high_, x_);
    }
    lows_[m_] = low_;
    lows_2_[m_] = high_;
}

kernel void statistics_0_(
    const global float* restrict lows_,
    global float* restrict output_)
{
    const int m_ = get_global_id(0);
    output_[m_] = lows_[m_];
}

kernel void statistics_1_(
    const global float* restrict lows_,
    global float* restrict output_)
{
    const int m_ = get_global_id(0);
    output_[m_] = lows_[m_];
}

kernel void statistics_2_(
    const global float* restrict xs_,
    global float* restrict output_,
    const float scale_)
{
    float a_ = 0.0f;
    for (int m_ = 0; m_ < M_; m_++) {
        for (int n_ = 0; n_ < N_; n_++) {
            a_ += xs_[N_ * m_ + n_];
        }
    }
    output_[0] = scale_ * a_;
}
