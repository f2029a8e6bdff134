/* Runs `nhwc` on an OpenCL device, on arrays in .npy files. Made by lift; see README.md. */

#include "host.h"
#include "npy.h"
#include "opencl.h"

int main(int argc, char** argv)
{
    struct options options = options_of(argc, argv, 1);
    if (options.list) {
        opencl_find(NULL, true);
        return EXIT_SUCCESS;
    }

    /* Arguments and results. */
    struct npy kernels_array_ = npy_read("kernels.npy", "f4", 4, (size_t[]){8, 3, 3, 4});
    struct npy biases_array_ = npy_read("biases.npy", "f4", 1, (size_t[]){8});
    struct npy input_array_ = npy_read("input.npy", "f4", 3, (size_t[]){4, 4, 4});
    struct npy output_array_ = npy_new("f4", 3, (size_t[]){4, 4, 8});

    /* The device and its kernels. */
    struct opencl cl = opencl_open(options.device);
    opencl_build(&cl, "nhwc.cl", "-cl-std=CL1.2");
    cl_kernel nhwc_input_padded_kernel_ = opencl_kernel(&cl, "nhwc_input_padded_");
    cl_kernel nhwc_kernels_packed_kernel_ = opencl_kernel(&cl, "nhwc_kernels_packed_");
    cl_kernel nhwc_kernel_ = opencl_kernel(&cl, "nhwc_");

    /* The device's memory. */
    cl_mem kernels_memory_ = opencl_memory(&cl, "kernels", CL_MEM_READ_ONLY, 1152);
    cl_mem biases_memory_ = opencl_memory(&cl, "biases", CL_MEM_READ_ONLY, 32);
    cl_mem input_memory_ = opencl_memory(&cl, "input", CL_MEM_READ_ONLY, 256);
    cl_mem output_memory_ = opencl_memory(&cl, "output", CL_MEM_READ_WRITE, 512);
    cl_mem kernels_packed_memory_ = opencl_memory(&cl, "kernels_packed", CL_MEM_READ_WRITE, 1152);
    cl_mem input_padded_memory_ = opencl_memory(&cl, "input_padded", CL_MEM_READ_WRITE, 576);
    opencl_write(&cl, kernels_memory_, kernels_array_.data, kernels_array_.bytes);
    opencl_write(&cl, biases_memory_, biases_array_.data, biases_array_.bytes);
    opencl_write(&cl, input_memory_, input_array_.data, input_array_.bytes);

    /* Of constants alone: once. */
    opencl_arrays(nhwc_kernels_packed_kernel_, 2, (cl_mem[]){kernels_memory_, kernels_packed_memory_});
    opencl_launch(&cl, nhwc_kernels_packed_kernel_, (size_t[]){3, 3, 2},
        opencl_group(&cl, nhwc_kernels_packed_kernel_, NULL, 6, (const size_t[][3]){
            {3, 3, 2}, {3, 3, 1}, {3, 1, 2}, {3, 1, 1}, {1, 1, 2}, {1, 1, 1}}));
    opencl_report(&cl, "once", 1);
    clReleaseMemObject(kernels_memory_);

    /* The first run warms the device up; the others are timed together. */
    for (long k = 0; k <= options.repeat; k++) {
        opencl_arrays(nhwc_input_padded_kernel_, 2, (cl_mem[]){input_memory_, input_padded_memory_});
        opencl_launch(&cl, nhwc_input_padded_kernel_, (size_t[]){4, 6, 6},
            opencl_group(&cl, nhwc_input_padded_kernel_, NULL, 9, (const size_t[][3]){
                {4, 6, 6}, {4, 6, 3}, {4, 6, 2}, {4, 6, 1}, {4, 3, 1}, {4, 2, 1}, {4, 1, 1}, {2, 1, 1},
                {1, 1, 1}}));
        opencl_arrays(nhwc_kernel_, 4, (cl_mem[]){biases_memory_, input_padded_memory_, kernels_packed_memory_, output_memory_});
        opencl_launch(&cl, nhwc_kernel_, (size_t[]){2, 2, 2},
            opencl_group(&cl, nhwc_kernel_, NULL, 4, (const size_t[][3]){
                {2, 2, 2}, {2, 2, 1}, {2, 1, 1}, {1, 1, 1}}));
        if (k == 0) {
            opencl_report(&cl, "first run", 1);
        }
    }
    if (options.repeat > 0) {
        opencl_report(&cl, "median", (size_t)options.repeat);
    }

    /* The results. */
    int status = EXIT_SUCCESS;
    opencl_read(&cl, output_memory_, output_array_.data, output_array_.bytes);
    npy_write("output.npy", &output_array_);
    if (options.files > 0 && !npy_compare("output.npy", &output_array_, options.expected[0], options.tolerance)) {
        status = EXIT_FAILURE;
    }

    npy_free(&kernels_array_);
    npy_free(&biases_array_);
    npy_free(&input_array_);
    npy_free(&output_array_);
    clReleaseMemObject(biases_memory_);
    clReleaseMemObject(input_memory_);
    clReleaseMemObject(output_memory_);
    clReleaseMemObject(kernels_packed_memory_);
    clReleaseMemObject(input_padded_memory_);
    clReleaseKernel(nhwc_input_padded_kernel_);
    clReleaseKernel(nhwc_kernels_packed_kernel_);
    clReleaseKernel(nhwc_kernel_);
    opencl_close(&cl);
    free(options.expected);
    return status;
}
