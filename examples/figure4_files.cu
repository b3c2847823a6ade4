// Figure 4 of the paper: two threads share a file system in one buffer of global memory.
#include "check.h"

__global__
void init_kernel(char *mem, int per_thread_mem, int *status) {
    status[threadIdx.x] = gpusnek_init(&mem[threadIdx.x * per_thread_mem], per_thread_mem);
}

__global__
void fs_kernel(char *fs_buf, int fs_size) {
    gpusnek_new_int("threadId", threadIdx.x);
    gpusnek_bind_memory("fs_buf", fs_buf, fs_size, 'B');
    gpusnek_do_str(R"(
import vfs

# Definition of VRAMBlockDevice omitted for brevity
bdev = VRAMBlockDevice(
    block_size=128,
    buffer=fs_buf,
)

if threadIdx == 0:
    vfs.VfsLfs2.mkfs(bdev)
    vfs.mount(bdev, '/vfs')
    message = 'THE FILESYSTEM LIVES ON THE GPU'
    with open('/vfs/myfile.txt', 'w') as f:
        f.write(message)

syncthreads() # Is a barrier

if threadIdx == 1:
    vfs.mount(bdev, '/vfs')
    with open('/vfs/myfile.txt', 'r') as f:
        print(f.read()) # Prints the message
)");
}

int main() {
    constexpr int threads = 2;
    constexpr int per_thread_mem = 64 * 1024;
    constexpr int fs_size = 64 * 1024;
    char *mem;
    char *fs_buf = shared_with_host<char>(fs_size);
    int *status = shared_with_host<int>(threads);
    check(gpusnek_host_setup(threads, 16384), "gpusnek_host_setup");
    check(cudaMalloc(&mem, threads * per_thread_mem), "memory for the interpreters");
    check(cudaMemset(fs_buf, 0, fs_size), "the buffer");
    GPUSNEK_LAUNCH(init_kernel, 1, threads, mem, per_thread_mem, status);
    finish("init_kernel");
    expect(status[0] == GPUSNEK_OK && status[1] == GPUSNEK_OK, "an interpreter did not start");
    GPUSNEK_LAUNCH(fs_kernel, 1, threads, fs_buf, fs_size);
    finish("fs_kernel");
    // The image persists after the kernel; littlefs2 stores its name in its first blocks.
    expect(std::memcmp(fs_buf + 8, "littlefs", 8) == 0, "the image");
    return 0;
}
