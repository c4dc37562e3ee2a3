"""Executors of the runs of a sweep: worker processes, a Dask cluster, or this process.

All follow `concurrent.futures`: `submit` takes a batch of tasks and returns a future for their rows.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import murmura
from murmura.core.errors import RunError, ScenarioError
from murmura.core.extras import needs
from murmura.lab.sweeps.jobs import JobQuestion, do_job
from murmura.lab.sweeps.request import Execution

Row = dict[str, Any]
MOST_DEATHS = 3
"""How often a run may kill its worker before it counts as failed; workers also die for other reasons."""

CONNECT_SECONDS, CLOSE_SECONDS = 10.0, 5.0
MOST_STARTS = 20
"""How often a worker may be killed while it starts."""


class Executor(Protocol):
    """Runs tasks."""

    workers: int
    """The number of batches that run at the same time."""
    capacity: int
    """The number of batches to keep submitted."""
    batch: int
    """The greatest number of tasks in a batch."""
    is_elsewhere: bool
    """Whether runs take place in other processes than this one."""

    def submit(self, tasks: list[Row]) -> Future[list[Row]]: ...

    def close(self) -> None:
        """Stop at once, without waiting for runs in progress."""


def make_executor(question: JobQuestion, execution: Execution) -> Executor:
    """The executor that is asked for; threads times workers never exceed the cores."""
    from murmura.compute.machine import available_cores

    workers = execution.workers
    if execution.scheduler is not None:
        return ExecutorDask(question, execution.scheduler)
    cores = available_cores()
    if workers == 0:
        return ExecutorInline(question)
    most = max(1, cores // question.threads)
    if workers is not None and workers > most:
        execution.announce(
            f"{most} workers instead of {workers}: {cores} cores, {question.threads} threads each"
        )
    return ExecutorProcesses(question, min(workers or most, most))


class ExecutorInline:
    """Executes runs in this process, one after the other, with the measures registered in it."""

    workers = capacity = 1
    is_elsewhere = False

    def __init__(self, question: JobQuestion) -> None:
        self._question, self.batch = question.data(), question.batch

    def submit(self, tasks: list[Row]) -> Future[list[Row]]:
        done: Future[list[Row]] = Future()
        done.set_result(do_job(self._question, tasks))
        return done

    def close(self) -> None:
        pass


class ExecutorProcesses:
    """Executes runs in worker processes, each served by a thread of this one. They end with this process."""

    is_elsewhere = True

    def __init__(self, question: JobQuestion, workers: int) -> None:
        self.workers, self.batch = workers, question.batch
        self.capacity = workers + min(workers, 8)  # a few in advance, so that no worker waits for the writer
        self._question = question
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="murmura-worker")
        self._mine = threading.local()
        self._processes: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, tasks: list[Row]) -> Future[list[Row]]:
        return self._pool.submit(self._serve, tasks)

    @property
    def process_ids(self) -> list[int]:
        with self._lock:
            return [process.pid for process in self._processes]

    def close(self) -> None:
        with self._lock:
            self._closed = True
            processes = list(self._processes)
        for process in processes:
            process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for process in processes:
            process.wait()
            for pipe in (process.stdin, process.stdout):
                _close(pipe)

    def _serve(self, tasks: list[Row]) -> list[Row]:
        for _ in range(MOST_DEATHS):
            process = self._worker()
            rows: list[Row] | None = _exchange(process, tasks)
            if rows is not None:
                return rows
            code = self._reap(process)
            if len(tasks) > 1:  # one of them may be the reason, and must not take the others with it
                return [row for task in tasks for row in self._serve([task])]
        error = f"its worker process died {MOST_DEATHS} times, last with exit code {code}; out of memory?"
        return [task | {"error": error} for task in tasks]

    def _worker(self) -> subprocess.Popen[str]:
        """The worker process of this thread, started if necessary."""
        process: subprocess.Popen[str] | None = getattr(self._mine, "process", None)
        for _ in range(MOST_STARTS):
            if process is not None:
                break
            process = self._started()
            if _exchange(process, self._question.data()) is None:
                code = self._reap(process)
                process = None
                if code > 0:  # it exited by itself: the next one would too
                    break
        if process is None:
            raise RunError(f"a worker process could not start (exit code {code}); the cause is above")
        self._mine.process = process
        return process

    def _started(self) -> subprocess.Popen[str]:
        root = str(Path(murmura.__file__).parents[1])
        code = f"import sys; sys.path.append({root!r}); from murmura.lab.sweeps.worker import main; main()"
        one = dict.fromkeys(
            ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(self._question.threads)
        )
        with self._lock:
            if self._closed:
                raise RunError("the sweep was stopped")
            # In their own session, so that Ctrl-C at the terminal reaches only this process.
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                env=os.environ | one,
                start_new_session=True,
            )
            self._processes.add(process)
        return process

    def _reap(self, process: subprocess.Popen[str]) -> int:
        try:
            code = process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        with self._lock:
            self._processes.discard(process)
            self._mine.process = None
            if self._closed:
                raise RunError("the sweep was stopped")
        for pipe in (process.stdin, process.stdout):
            _close(pipe)
        return code


def _exchange(process: subprocess.Popen[str], message: Any) -> Any:
    """Send a line and wait for the answer; None if the process is dead."""
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except (BrokenPipeError, ValueError):
        return None
    if not line.endswith("\n"):
        return None
    return json.loads(line)


def _close(pipe: Any) -> None:
    with suppress(OSError):  # the pipe has no reader any more
        pipe.close()


class ExecutorDask:
    """Executes runs on a Dask cluster. Its workers need Murmura, and the files of --rules at the same paths."""

    is_elsewhere = True

    def __init__(self, question: JobQuestion, scheduler: str) -> None:
        with needs("dask"):
            import distributed
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # it logs tracebacks when a cluster is lost
        where = {"scheduler_file": scheduler} if Path(scheduler).is_file() else {"address": scheduler}
        try:
            self._client = distributed.Client(**where, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ScenarioError(
                f"no Dask scheduler answers at {scheduler!r} ({reason}); start one with `dask scheduler` and pass "
                "its address, for example tcp://127.0.0.1:8786, or its scheduler file"
            ) from None
        self._scheduler = scheduler
        # Sent once: a task's result goes from worker to worker, and is computed anew where the worker that had it died.
        self._question = self._client.submit(dict, question.data(), pure=False)
        self._submitted: set[Any] = set()
        self.workers, self.batch = max(1, sum(self._client.nthreads().values())), question.batch
        self.capacity = max(16, 2 * self.workers)

    def submit(self, tasks: list[Row]) -> Future[list[Row]]:
        result: Future[list[Row]] = Future()

        def pass_on(done: Any) -> None:
            self._submitted.discard(done)
            try:
                result.set_result(done.result())
            except (Exception, asyncio.CancelledError) as error:
                result.set_exception(self._gone() if self._is_gone(error) else error)

        try:
            submitted = self._client.submit(do_job, self._question, tasks, pure=False)
            self._submitted.add(submitted)
            submitted.add_done_callback(pass_on)
        except Exception as error:
            raise (self._gone() if self._is_gone(error) else error) from None
        return result

    def _is_gone(self, error: BaseException) -> bool:
        """Whether a run was lost with its cluster."""
        return isinstance(error, CancelledError | asyncio.CancelledError) or self._client.status != "running"

    def _gone(self) -> RunError:
        return RunError(
            f"the Dask scheduler at {self._scheduler} is gone. The finished runs are saved: restart it and its "
            "workers, and repeat the command"
        )

    def close(self) -> None:
        with suppress(Exception):  # a lost cluster cannot cancel anything
            self._client.cancel(list(self._submitted))
        with suppress(Exception):
            self._client.close(timeout=CLOSE_SECONDS)
