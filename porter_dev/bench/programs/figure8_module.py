NUM_ROWS = 256
NUM_COLS = numThreads
tid = threadIdx
total = 0.0
for row in range(NUM_ROWS):
    total += data[row * NUM_COLS + tid]
data[tid] = total
