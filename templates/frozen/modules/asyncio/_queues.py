# Queues of tasks.
from . import core


class QueueEmpty(Exception):
    pass


class QueueFull(Exception):
    pass


class QueueShutDown(Exception):
    pass


class Queue:
    def __init__(self, maxsize=0):
        self._maxsize = maxsize
        self._getting = core.TaskQueue()
        self._putting = core.TaskQueue()
        self._joining = core.TaskQueue()
        self._unfinished = 0
        self._closed = False
        self._init(maxsize)

    def _init(self, maxsize):
        self._queue = []

    def _get(self):
        return self._queue.pop(0)

    def _put(self, item):
        self._queue.append(item)

    @property
    def maxsize(self):
        return self._maxsize

    def qsize(self):
        return len(self._queue)

    def empty(self):
        return not self._queue

    def full(self):
        return 0 < self._maxsize <= len(self._queue)

    def _wake(self, waiting):
        if waiting.peek():
            core._task_queue.push(waiting.pop())

    async def put(self, item):
        while self.full() and not self._closed:
            await _Waiting(self._putting)
        return self.put_nowait(item)

    def put_nowait(self, item):
        if self._closed:
            raise QueueShutDown
        if self.full():
            raise QueueFull
        self._put(item)
        self._unfinished += 1
        self._wake(self._getting)

    async def get(self):
        while not self._queue and not self._closed:
            await _Waiting(self._getting)
        return self.get_nowait()

    def get_nowait(self):
        if not self._queue:
            raise QueueShutDown if self._closed else QueueEmpty
        item = self._get()
        self._wake(self._putting)
        return item

    def task_done(self):
        if self._unfinished <= 0:
            raise ValueError("task_done() called too many times")
        self._unfinished -= 1
        if not self._unfinished:
            while self._joining.peek():
                self._wake(self._joining)

    async def join(self):
        while self._unfinished:
            await _Waiting(self._joining)

    def shutdown(self, immediate=False):
        self._closed = True
        if immediate:
            while self._queue:
                self._get()
                self.task_done()
        for waiting in (self._getting, self._putting):
            while waiting.peek():
                self._wake(waiting)


class _Waiting:
    # Waits in a TaskQueue until another task moves the current one to the run queue.
    def __init__(self, queue):
        self.queue = queue

    def __iter__(self):
        return self

    def __next__(self):
        queue = self.queue
        if queue is None:
            raise StopIteration
        self.queue = None
        queue.push(core.cur_task)
        core.cur_task.data = queue

    __await__ = __iter__


class PriorityQueue(Queue):
    def _put(self, item):
        from heapq import heappush

        heappush(self._queue, item)

    def _get(self):
        from heapq import heappop

        return heappop(self._queue)


class LifoQueue(Queue):
    def _get(self):
        return self._queue.pop()
