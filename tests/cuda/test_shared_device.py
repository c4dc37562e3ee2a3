"""Cooperation of GPU threads, with real host threads in their place: counts, and reports to items."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from murmura.compute.cuda.index_text import SCAN_TEXT
from murmura.compute.cuda.records import records_text
from murmura.compute.cuda.reports_text import REPORTS_TEXT
from murmura.compute.gpu.fields import record_type
from murmura.compute.gpu.grid import SCAN_BLOCK, SCAN_THREADS
from murmura.compute.gpu.reports import FINENESS
from tests.cuda.host import HOST_HEADER, compiled

BLOCK = """
#include <pthread.h>
#define threadIdx (*(const Place*)&mine)
#define __syncthreads() pthread_barrier_wait(&together)
#define __shared__ static
#define THREAD ((int)(blockIdx.x * blockDim.x + threadIdx.x))
typedef struct { int x, y, z, w; } int4;
static inline int4 make_int4(int x, int y, int z, int w) { return (int4){x, y, z, w}; }
static _Thread_local unsigned mine;
static pthread_barrier_t together;
"""
LAUNCH = """
typedef struct { unsigned number; const Arguments* a; void (*kernel)(const Arguments); } Job;
static void* work(void* given) {
    const Job* job = given;
    mine = job->number;
    job->kernel(*job->a);
    return 0;
}
static void launch(void (*kernel)(const Arguments), const Arguments* a, unsigned blocks) {
    pthread_t threads[THREADS];
    Job jobs[THREADS];
    blockDim.x = THREADS;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
        pthread_barrier_init(&together, 0, THREADS);
        for (unsigned t = 0; t < THREADS; t++) {
            jobs[t] = (Job){t, a, kernel};
            pthread_create(&threads[t], 0, work, &jobs[t]);
        }
        for (unsigned t = 0; t < THREADS; t++) pthread_join(threads[t], 0);
        pthread_barrier_destroy(&together);
    }
}
void scan(const Arguments* a) {
    launch(add_up, a, a->sizes.scan_blocks);
    launch(shift_blocks, a, a->sizes.scan_blocks);
}
"""


@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_prefix_sums_of_counts(blocks: int):
    sizes = f"#define THREADS {SCAN_THREADS}\n"
    kernels = (records_text() + SCAN_TEXT).replace('extern "C" ', "")
    text = HOST_HEADER + BLOCK + sizes + kernels + LAUNCH
    library = ctypes.CDLL(str(compiled(text)))
    counts = np.random.default_rng(blocks).integers(0, 9, blocks * SCAN_BLOCK).astype(np.int32)
    start, sums = np.full_like(counts, -7), np.full(blocks, -7, np.int32)
    expected = np.concatenate([[0], np.cumsum(counts)[:-1]])
    arguments = np.zeros((), record_type("Arguments"))
    for name, array in (("counts", counts), ("start", start), ("sums", sums)):
        arguments["index"][name] = array.ctypes.data
    arguments["sizes"]["scan_blocks"] = blocks
    library.scan(ctypes.c_void_p(arguments.ctypes.data))
    np.testing.assert_array_equal(start, expected)
    assert not counts.any(), "they are counted again in the next step"


WARP = """
#define WARPS
#define __activemask() 0xffffffffu
#define __ffs(word) __builtin_ffs(word)
#define __popc(word) __builtin_popcount(word)
static int said[32];
static int hear(int own, int lane) {
    pthread_barrier_wait(&together);
    said[mine] = own;
    pthread_barrier_wait(&together);
    return said[lane];
}
static int __reduce_add_sync(unsigned mask, int own) {
    unsigned sum = 0;
    hear(own, 0);
    for (int lane = 0; lane < 32; lane++) sum += said[lane];
    return (int)sum;
}
static unsigned __reduce_max_sync(unsigned mask, unsigned own) {
    unsigned most = 0;
    hear((int)own, 0);
    for (int lane = 0; lane < 32; lane++) most = (unsigned)said[lane] > most ? (unsigned)said[lane] : most;
    return most;
}
static unsigned __ballot_sync(unsigned mask, bool own) {
    unsigned word = 0;
    hear(own, 0);
    for (int lane = 0; lane < 32; lane++) word |= (unsigned)said[lane] << lane;
    return word;
}
"""
TELL = """
static unsigned long long told[3];
static const float* values;
static const int* ids;
static void tell(const Arguments a) {
    count_report(&told[0], values[mine] > 0.0f);
    total_report(&told[1], values[mine]);
    best_report(&told[2], values[mine], ids[mine]);
}
void tell_all(const float* given, const int* names, float* found) {
    Arguments a;
    values = given, ids = names;
    told[0] = told[1] = told[2] = 0;
    launch(tell, &a, 1);
    found[0] = (float)told[0], found[1] = total_of(told[1]);
    found[2] = best_score(told[2]), found[3] = best_id(told[2]);
}
"""


@pytest.mark.parametrize("scale", [1.0, 1e-3, 3e7])
@pytest.mark.parametrize("alone", [False, True])
def test_a_warp_reports_what_its_threads_would_report_one_by_one(scale: float, alone: bool):
    text = (
        HOST_HEADER
        + BLOCK
        + WARP
        + "#define THREADS 32\n#define NEAREST 8\n"
        + records_text()
        + REPORTS_TEXT
        + LAUNCH.split("void scan")[0]
    )
    library = ctypes.CDLL(str(compiled(text + TELL)))
    rng = np.random.default_rng(3)
    values = (rng.normal(0.0, scale, 32) * (np.arange(32) == 5 if alone else 1.0)).astype(np.float32)
    values[[3, 9]] = (
        np.abs(values).max() if not alone else 0.0
    )  # of two equal ones the one with the lower id wins
    ids = rng.permutation(1000)[:32].astype(np.int32)
    found = np.zeros(4, np.float32)
    library.tell_all(*(ctypes.c_void_p(array.ctypes.data) for array in (values, ids, found)))
    exact = np.rint(values.astype(np.float64) * FINENESS).sum() / FINENESS
    best = values.max() if values.max() > 0.0 else 0.0
    who = ids[values == best].min() if best > 0.0 else -1
    assert found.tolist() == [np.count_nonzero(values > 0.0), np.float32(exact), best, who]
