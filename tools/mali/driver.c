/* Builds an OpenCL C file for the first device there is, and runs nothing. The compiler prints what it
 * counts; here only mistakes are printed. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libclc takes unaligned vectors apart into scalars. The GPU has loads and stores of vectors that are
 * aligned to their elements. */
static const char *prelude =
   "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
   "#define LOAD(T, N, S) static inline __attribute__((overloadable)) T##N mali_vload##N(size_t i, const S T *p) \\\n"
   "   { typedef T##N u __attribute__((aligned(sizeof(T)))); return *(const S u *)(p + N * i); }\n"
   "#define STORE(T, N, S) static inline __attribute__((overloadable)) void mali_vstore##N(T##N v, size_t i, S T *p) \\\n"
   "   { typedef T##N u __attribute__((aligned(sizeof(T)))); *(S u *)(p + N * i) = v; }\n"
   "#define BOTH(T, N, S) LOAD(T, N, S) STORE(T, N, S)\n"
   "#define SPACES(T, N) BOTH(T, N, global) BOTH(T, N, local) BOTH(T, N, private) LOAD(T, N, constant)\n"
   "#define WIDTHS(T) SPACES(T, 2) SPACES(T, 4) SPACES(T, 8) SPACES(T, 16)\n"
   "WIDTHS(char) WIDTHS(uchar) WIDTHS(short) WIDTHS(ushort) WIDTHS(int) WIDTHS(uint) WIDTHS(float) WIDTHS(half)\n"
   "#define vload2 mali_vload2\n#define vload4 mali_vload4\n#define vload8 mali_vload8\n#define vload16 mali_vload16\n"
   "#define vstore2 mali_vstore2\n#define vstore4 mali_vstore4\n#define vstore8 mali_vstore8\n#define vstore16 mali_vstore16\n"
   "#line 1\n";

static void fail(const char *what, cl_int code)
{
   fprintf(stderr, "%s: %d\n", what, code);
   exit(1);
}

static char *contents(const char *path)
{
   FILE *file = fopen(path, "rb");
   if (!file || fseek(file, 0, SEEK_END)) {
      perror(path);
      exit(1);
   }
   size_t length = ftell(file);
   rewind(file);
   char *text = calloc(1, length + 1);
   if (!text || fread(text, 1, length, file) != length)
      fail(path, 0);
   fclose(file);
   return text;
}

int main(int argc, char **argv)
{
   if (argc < 2) {
      fprintf(stderr, "usage: %s FILE.cl [OPTIONS]\n", argv[0]);
      return 2;
   }
   const char *texts[2] = {prelude, contents(argv[1])};
   char options[8192] = "";
   for (int i = 2; i < argc; i++)
      snprintf(options + strlen(options), sizeof(options) - strlen(options), "%s ", argv[i]);

   cl_platform_id platform;
   cl_device_id device;
   cl_int error = clGetPlatformIDs(1, &platform, NULL);
   if (error)
      fail("no OpenCL platform", error);
   error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
   if (error)
      fail("no OpenCL device", error);
   cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
   if (!context)
      fail("clCreateContext", error);
   cl_program program = clCreateProgramWithSource(context, 2, texts, NULL, &error);
   if (!program)
      fail("clCreateProgramWithSource", error);
   error = clBuildProgram(program, 1, &device, options, NULL, NULL);
   size_t length = 0;
   clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length);
   char *log = calloc(1, length + 1);
   clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, length, log, NULL);
   if (error) {
      fprintf(stderr, "%s\n", log);
      fail("clBuildProgram", error);
   }
   return 0;
}
