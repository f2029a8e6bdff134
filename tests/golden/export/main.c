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
    struct npy kernels_array = npy_read("kernels.npy", "f4", 4, (size_t[]){8, 3, 3, 4});
    struct npy biases_array = npy_read("biases.npy", "f4", 1, (size_t[]){8});
    struct npy input_array = npy_read("input.npy", "f4", 3, (size_t[]){4, 4, 4});
    struct npy output_array = npy_new("f4", 3, (size_t[]){4, 4, 8});

    /* The device and its kernels. */
    struct opencl cl = opencl_open(options.device);
    opencl_build(&cl, "nhwc.cl", "-cl-std=CL1.2");
    cl_kernel nhwc_kept_kernel = opencl_kernel(&cl, "nhwc_kept");
    cl_kernel nhwc_kernel = opencl_kernel(&cl, "nhwc");
    cl_kernel nhwc_2_kernel = opencl_kernel(&cl, "nhwc_2");

    /* The device's memory. */
    cl_mem kernels_memory = opencl_memory(&cl, "kernels", CL_MEM_READ_ONLY, 1152);
    cl_mem biases_memory = opencl_memory(&cl, "biases", CL_MEM_READ_ONLY, 32);
    cl_mem input_memory = opencl_memory(&cl, "input", CL_MEM_READ_ONLY, 256);
    cl_mem output_memory = opencl_memory(&cl, "output", CL_MEM_READ_WRITE, 512);
    cl_mem kept_memory = opencl_memory(&cl, "kept", CL_MEM_READ_WRITE, 1152);
    cl_mem kept_memory_2 = opencl_memory(&cl, "kept", CL_MEM_READ_WRITE, 576);
    opencl_write(&cl, kernels_memory, kernels_array.data, kernels_array.bytes);
    opencl_write(&cl, biases_memory, biases_array.data, biases_array.bytes);
    opencl_write(&cl, input_memory, input_array.data, input_array.bytes);

    /* Of constants alone: once. */
    opencl_arrays(nhwc_kernel, 2, (cl_mem[]){kernels_memory, kept_memory});
    opencl_launch(&cl, nhwc_kernel, (size_t[]){3, 3, 2}, NULL);
    opencl_report(&cl, "once", 1);

    /* The first run warms the device up; the others are timed together. */
    for (long k = 0; k <= options.repeat; k++) {
        opencl_arrays(nhwc_kept_kernel, 2, (cl_mem[]){input_memory, kept_memory_2});
        opencl_launch(&cl, nhwc_kept_kernel, (size_t[]){4, 6, 6}, NULL);
        opencl_arrays(nhwc_2_kernel, 4, (cl_mem[]){biases_memory, kept_memory_2, kept_memory, output_memory});
        opencl_launch(&cl, nhwc_2_kernel, (size_t[]){2, 2, 2}, NULL);
        if (k == 0) {
            opencl_report(&cl, "first run", 1);
        }
    }
    if (options.repeat > 0) {
        opencl_report(&cl, "median", (size_t)options.repeat);
    }

    /* The results. */
    int status = EXIT_SUCCESS;
    opencl_read(&cl, output_memory, output_array.data, output_array.bytes);
    npy_write("output.npy", &output_array);
    if (options.files > 0 && !npy_compare("output.npy", &output_array, options.expected[0], options.tolerance)) {
        status = EXIT_FAILURE;
    }

    npy_free(&kernels_array);
    npy_free(&biases_array);
    npy_free(&input_array);
    npy_free(&output_array);
    clReleaseMemObject(kernels_memory);
    clReleaseMemObject(biases_memory);
    clReleaseMemObject(input_memory);
    clReleaseMemObject(output_memory);
    clReleaseMemObject(kept_memory);
    clReleaseMemObject(kept_memory_2);
    clReleaseKernel(nhwc_kept_kernel);
    clReleaseKernel(nhwc_kernel);
    clReleaseKernel(nhwc_2_kernel);
    opencl_close(&cl);
    free(options.expected);
    return status;
}
