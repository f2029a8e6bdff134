#define N_ 1000

kernel void softmax_largest_(
    const global float* restrict xs_,
    global float* restrict largest_)
{
    float acc_ = -INFINITY;
    for (int n_ = 0; n_ < N_; n_++) {
        acc_ = fmax(acc_, xs_[n_]);
    }
    largest_[0] = acc_;
}

kernel void softmax_powers_(
    const global float* restrict xs_,
    const global float* restrict largest_,
    global float* restrict powers_)
{
    const int n_ = get_global_id(0);
    powers_[n_] = exp(xs_[n_] - largest_[0]);
}

kernel void softmax_total_(
    const global float* restrict powers_,
    global float* restrict total_)
{
    float a_ = 0.0f;
    for (int n_ = 0; n_ < N_; n_++) {
        a_ += powers_[n_];
    }
    total_[0] = a_;
}

kernel void softmax_(
    const global float* restrict powers_,
    const global float* restrict total_,
    global float* restrict output_)
{
    const int n_ = get_global_id(0);
    output_[n_] = powers_[n_] / total_[0];
}
