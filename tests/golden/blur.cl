#define H 480
#define W 640

kernel void blur(
    const global uchar* restrict image,
    global uchar* restrict output)
{
    const int h = get_global_id(1);
    const int w = get_global_id(0);
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        const int image_at = W * min(H - 1, max(0, h + i - 1));
        for (int i_2 = 0; i_2 < 3; i_2++) {
            sum = (int)((uint)sum + (uint)(int)image[image_at + min(W - 1, max(0, i_2 + w - 1))]);
        }
    }
    output[W * h + w] = (uchar)(sum / 9);
}
