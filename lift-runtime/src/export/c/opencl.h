/* A device of OpenCL 1.2, its kernels, memory and times. Whatever fails ends the program. */

#ifndef OPENCL_H
#define OPENCL_H

#include "host.h"

#include <ctype.h>

#define CL_TARGET_OPENCL_VERSION 120
#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif

/* A launch that was started. */
struct opencl_started {
    char kernel[128];
    cl_event event;
};

struct opencl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order, with times */
    cl_program program;
    struct opencl_started* started; /* since the last report */
    size_t count;
    size_t room;
};

static inline const char* opencl_error(cl_int code)
{
#define OPENCL_NAME(name) \
    case name: \
        return #name;
    switch (code) {
        OPENCL_NAME(CL_DEVICE_NOT_FOUND)
        OPENCL_NAME(CL_DEVICE_NOT_AVAILABLE)
        OPENCL_NAME(CL_COMPILER_NOT_AVAILABLE)
        OPENCL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        OPENCL_NAME(CL_OUT_OF_RESOURCES)
        OPENCL_NAME(CL_OUT_OF_HOST_MEMORY)
        OPENCL_NAME(CL_PROFILING_INFO_NOT_AVAILABLE)
        OPENCL_NAME(CL_BUILD_PROGRAM_FAILURE)
        OPENCL_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET)
        OPENCL_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        OPENCL_NAME(CL_COMPILE_PROGRAM_FAILURE)
        OPENCL_NAME(CL_LINKER_NOT_AVAILABLE)
        OPENCL_NAME(CL_LINK_PROGRAM_FAILURE)
        OPENCL_NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
        OPENCL_NAME(CL_INVALID_VALUE)
        OPENCL_NAME(CL_INVALID_DEVICE_TYPE)
        OPENCL_NAME(CL_INVALID_PLATFORM)
        OPENCL_NAME(CL_INVALID_DEVICE)
        OPENCL_NAME(CL_INVALID_CONTEXT)
        OPENCL_NAME(CL_INVALID_QUEUE_PROPERTIES)
        OPENCL_NAME(CL_INVALID_COMMAND_QUEUE)
        OPENCL_NAME(CL_INVALID_MEM_OBJECT)
        OPENCL_NAME(CL_INVALID_BINARY)
        OPENCL_NAME(CL_INVALID_BUILD_OPTIONS)
        OPENCL_NAME(CL_INVALID_PROGRAM)
        OPENCL_NAME(CL_INVALID_PROGRAM_EXECUTABLE)
        OPENCL_NAME(CL_INVALID_KERNEL_NAME)
        OPENCL_NAME(CL_INVALID_KERNEL_DEFINITION)
        OPENCL_NAME(CL_INVALID_KERNEL)
        OPENCL_NAME(CL_INVALID_ARG_INDEX)
        OPENCL_NAME(CL_INVALID_ARG_VALUE)
        OPENCL_NAME(CL_INVALID_ARG_SIZE)
        OPENCL_NAME(CL_INVALID_KERNEL_ARGS)
        OPENCL_NAME(CL_INVALID_WORK_DIMENSION)
        OPENCL_NAME(CL_INVALID_WORK_GROUP_SIZE)
        OPENCL_NAME(CL_INVALID_WORK_ITEM_SIZE)
        OPENCL_NAME(CL_INVALID_GLOBAL_OFFSET)
        OPENCL_NAME(CL_INVALID_EVENT_WAIT_LIST)
        OPENCL_NAME(CL_INVALID_EVENT)
        OPENCL_NAME(CL_INVALID_OPERATION)
        OPENCL_NAME(CL_INVALID_BUFFER_SIZE)
        OPENCL_NAME(CL_INVALID_GLOBAL_WORK_SIZE)
        OPENCL_NAME(CL_INVALID_PROPERTY)
        case -1001:
            return "CL_PLATFORM_NOT_FOUND_KHR";
        default:
            return "an error of the driver's own";
    }
#undef OPENCL_NAME
}

static inline void opencl_check(cl_int code, const char* doing)
{
    if (code != CL_SUCCESS) {
        fail("%s: %s (%d)", doing, opencl_error(code), (int)code);
    }
}

/* Is a text part of another? Upper and lower case are the same. */
static inline bool opencl_has(const char* text, const char* part)
{
    for (; *text != 0; text++) {
        size_t k = 0;
        while (part[k] != 0 && tolower((unsigned char)text[k]) == tolower((unsigned char)part[k])) {
            k++;
        }
        if (part[k] == 0) {
            return true;
        }
    }
    return *part == 0;
}

static inline cl_device_type opencl_type(cl_device_id device)
{
    cl_device_type type = 0;
    opencl_check(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL), "clGetDeviceInfo");
    return type;
}

/* A device's name and kind, its platform's name, and that one's version. */
static inline void opencl_describe(cl_platform_id platform, cl_device_id device, char* text, size_t room)
{
    char name[256] = "";
    char platform_name[256] = "";
    char version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof platform_name, platform_name, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL);
    cl_device_type type = opencl_type(device);
    const char* kind = type & CL_DEVICE_TYPE_GPU ? "GPU" : type & CL_DEVICE_TYPE_CPU ? "CPU" : "accelerator";
    snprintf(text, room, "%s (%s, %s, %s)", name, kind, platform_name, version);
}

/* The device with this in its description, else the first GPU, else the first. With `list`, prints all
 * instead of the one. */
static inline cl_device_id opencl_find(const char* wanted, bool list)
{
    cl_platform_id platforms[64];
    cl_uint platform_count = 0;
    opencl_check(clGetPlatformIDs(64, platforms, &platform_count), "looking for OpenCL's drivers");
    cl_device_id found = NULL;
    char description[1024] = "";
    bool graphics = false;
    for (cl_uint p = 0; p < platform_count && p < 64; p++) {
        cl_device_id devices[64];
        cl_uint device_count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &device_count) != CL_SUCCESS) {
            continue;
        }
        for (cl_uint d = 0; d < device_count && d < 64; d++) {
            char text[1024];
            opencl_describe(platforms[p], devices[d], text, sizeof text);
            if (list) {
                puts(text);
            }
            bool gpu = opencl_type(devices[d]) & CL_DEVICE_TYPE_GPU;
            bool better = found == NULL || (wanted == NULL && gpu && !graphics);
            if (better && (wanted == NULL || opencl_has(text, wanted))) {
                found = devices[d];
                graphics = gpu;
                snprintf(description, sizeof description, "%s", text);
            }
        }
    }
    if (found == NULL && !list) {
        fail(wanted ? "no OpenCL device has `%s` in its name; --list names all" : "there is no OpenCL device",
             wanted);
    }
    if (!list) {
        printf("on %s\n", description);
    }
    return found;
}

static inline struct opencl opencl_open(const char* wanted)
{
    struct opencl cl = {.device = opencl_find(wanted, false)};
    cl_int code;
    cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
    opencl_check(code, "clCreateContext");
    cl.queue = clCreateCommandQueue(cl.context, cl.device, CL_QUEUE_PROFILING_ENABLE, &code);
    opencl_check(code, "clCreateCommandQueue");
    return cl;
}

/* Fails in words where the compiler would in its own. */
static inline void opencl_needs(const struct opencl* cl, const char* extension)
{
    size_t bytes = 0;
    opencl_check(clGetDeviceInfo(cl->device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes), "clGetDeviceInfo");
    char* all = host_memory(NULL, bytes + 1);
    opencl_check(clGetDeviceInfo(cl->device, CL_DEVICE_EXTENSIONS, bytes, all, NULL), "clGetDeviceInfo");
    all[bytes] = 0;
    if (strstr(all, extension) == NULL) {
        fail("the kernels need %s, and this device does not have it", extension);
    }
    free(all);
}

/* Builds the kernels of a file. */
static inline void opencl_build(struct opencl* cl, const char* path, const char* options)
{
    size_t length;
    char* text = host_file(path, (size_t)1 << 28, &length);
    const char* texts[] = {text};
    cl_int code;
    /* Kernels hold the program that they are of. */
    if (cl->program != NULL) {
        clReleaseProgram(cl->program);
    }
    cl->program = clCreateProgramWithSource(cl->context, 1, texts, &length, &code);
    opencl_check(code, "clCreateProgramWithSource");
    free(text);
    code = clBuildProgram(cl->program, 1, &cl->device, options, NULL, NULL);
    if (code == CL_BUILD_PROGRAM_FAILURE) {
        size_t bytes = 0;
        clGetProgramBuildInfo(cl->program, cl->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
        char* log = host_memory(NULL, bytes + 1);
        memset(log, 0, bytes + 1);
        clGetProgramBuildInfo(cl->program, cl->device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL);
        fail("%s does not build:\n%s", path, log);
    }
    opencl_check(code, "clBuildProgram");
}

static inline cl_kernel opencl_kernel(const struct opencl* cl, const char* name)
{
    cl_int code;
    cl_kernel kernel = clCreateKernel(cl->program, name, &code);
    opencl_check(code, name);
    return kernel;
}

/* Memory of the device, for what is called so. */
static inline cl_mem opencl_memory(const struct opencl* cl, const char* name, cl_mem_flags flags, size_t bytes)
{
    cl_int code;
    /* OpenCL has no memory of no bytes. */
    cl_mem memory = clCreateBuffer(cl->context, flags, bytes > 0 ? bytes : 1, NULL, &code);
    if (code != CL_SUCCESS) {
        fail("%zu bytes of the device's memory for %s: %s (%d)", bytes, name, opencl_error(code), (int)code);
    }
    return memory;
}

/* A part of such memory, from an offset on, for what is called so. */
static inline cl_mem opencl_part(cl_mem whole, const char* name, size_t offset, size_t bytes)
{
    cl_int code;
    cl_buffer_region region = {offset, bytes};
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code != CL_SUCCESS) {
        fail("%zu bytes of the device's memory for %s: %s (%d)", bytes, name, opencl_error(code), (int)code);
    }
    return part;
}

static inline void opencl_write(const struct opencl* cl, cl_mem memory, const void* data, size_t bytes)
{
    if (bytes > 0) {
        cl_int code = clEnqueueWriteBuffer(cl->queue, memory, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
        opencl_check(code, "clEnqueueWriteBuffer");
    }
}

static inline void opencl_read(const struct opencl* cl, cl_mem memory, void* data, size_t bytes)
{
    if (bytes > 0) {
        cl_int code = clEnqueueReadBuffer(cl->queue, memory, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
        opencl_check(code, "clEnqueueReadBuffer");
    }
}

/* Sets a kernel's first arguments, its arrays. */
static inline void opencl_arrays(cl_kernel kernel, cl_uint count, const cl_mem* memory)
{
    for (cl_uint k = 0; k < count; k++) {
        opencl_check(clSetKernelArg(kernel, k, sizeof memory[k], &memory[k]), "clSetKernelArg");
    }
}

/* Sets one that is passed by value. */
static inline void opencl_scalar(cl_kernel kernel, cl_uint index, const void* value, size_t bytes)
{
    opencl_check(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

/* The first of these work-groups that a GPU, and the kernel on it, has room for; the last one always fits. On other
 * devices another; NULL if they may choose. */
static inline const size_t* opencl_group(
    const struct opencl* cl, cl_kernel kernel, const size_t* other, size_t count, const size_t groups[][3])
{
    if (!(opencl_type(cl->device) & CL_DEVICE_TYPE_GPU)) {
        return other;
    }
    size_t room = 1;
    size_t sides[16] = {1, 1, 1};
    clGetDeviceInfo(cl->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sides, sides, NULL);
    clGetKernelWorkGroupInfo(kernel, cl->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof room, &room, NULL);
    size_t k = 0;
    while (k + 1 < count
        && (groups[k][0] * groups[k][1] * groups[k][2] > room || groups[k][0] > sides[0] || groups[k][1] > sides[1]
            || groups[k][2] > sides[2])) {
        k++;
    }
    return groups[k];
}

/* Starts a kernel on so many work-items, in groups of so many; NULL where any groups will do. */
static inline void opencl_launch(struct opencl* cl, cl_kernel kernel, const size_t* items, const size_t* group)
{
    if (cl->count == cl->room) {
        cl->room = 2 * cl->room + 16;
        cl->started = host_memory(cl->started, cl->room * sizeof *cl->started);
    }
    struct opencl_started* started = &cl->started[cl->count++];
    *started = (struct opencl_started){.kernel = "a kernel"};
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof started->kernel, started->kernel, NULL);
    cl_int code = clEnqueueNDRangeKernel(cl->queue, kernel, 3, NULL, items, group, 0, NULL, &started->event);
    opencl_check(code, started->kernel);
}

static inline int opencl_order(const void* a, const void* b)
{
    double x = *(const double*)a;
    double y = *(const double*)b;
    return (x > y) - (x < y);
}

static inline double opencl_median(double* times, size_t count)
{
    qsort(times, count, sizeof *times, opencl_order);
    return (times[(count - 1) / 2] + times[count / 2]) / 2;
}

/* The time of a launch that is over, in ms. */
static inline double opencl_time(cl_event event)
{
    cl_ulong start = 0;
    cl_ulong end = 0;
    const char* doing = "clGetEventProfilingInfo";
    opencl_check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), doing);
    opencl_check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), doing);
    return end > start ? (double)(end - start) * 1e-6 : 0;
}

/* Waits for what was started since the last report, so many runs of the same kernels, and prints the median
 * time of each kernel and of all together. */
static inline void opencl_report(struct opencl* cl, const char* title, size_t runs)
{
    opencl_check(clFinish(cl->queue), "clFinish");
    const size_t kernels = cl->count / runs;
    double* times = host_memory(NULL, runs * sizeof *times);
    double* totals = host_memory(NULL, runs * sizeof *totals);
    memset(totals, 0, runs * sizeof *totals);
    printf("%s:\n", title);
    for (size_t k = 0; k < kernels; k++) {
        for (size_t r = 0; r < runs; r++) {
            struct opencl_started* started = &cl->started[r * kernels + k];
            times[r] = opencl_time(started->event);
            totals[r] += times[r];
            clReleaseEvent(started->event);
        }
        printf("%12.4f ms  %s\n", opencl_median(times, runs), cl->started[k].kernel);
    }
    printf("%12.4f ms  together\n", opencl_median(totals, runs));
    free(times);
    free(totals);
    cl->count = 0;
}

static inline void opencl_close(struct opencl* cl)
{
    free(cl->started);
    /* Where nothing is launched, nothing was built. */
    if (cl->program != NULL) {
        clReleaseProgram(cl->program);
    }
    clReleaseCommandQueue(cl->queue);
    clReleaseContext(cl->context);
}

#endif
