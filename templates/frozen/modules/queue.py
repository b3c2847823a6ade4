# Queues without threads: an operation that would wait raises Empty or Full.


class Empty(Exception):
    pass


class Full(Exception):
    pass


class ShutDown(Exception):
    pass


class Queue:
    def __init__(self, maxsize=0):
        self.maxsize = maxsize
        self.unfinished_tasks = 0
        self._closed = False
        # Items from the place on; the ones before it are taken.
        self.queue = []
        self._place = 0

    def qsize(self):
        return len(self.queue) - self._place

    def empty(self):
        return not self.qsize()

    def full(self):
        return 0 < self.maxsize <= self.qsize()

    def put(self, item, block=True, timeout=None):
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        if self._closed:
            raise ShutDown
        if self.full():
            raise Full
        self._put(item)
        self.unfinished_tasks += 1

    def get(self, block=True, timeout=None):
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        if self.empty():
            raise ShutDown if self._closed else Empty
        return self._get()

    def put_nowait(self, item):
        self.put(item, False)

    def get_nowait(self):
        return self.get(False)

    def task_done(self):
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1

    def join(self):
        pass

    def shutdown(self, immediate=False):
        self._closed = True
        if immediate:
            self.queue = []
            self._place = 0

    def _put(self, item):
        self.queue.append(item)

    def _get(self):
        place = self._place
        item = self.queue[place]
        self.queue[place] = None
        place += 1
        if place > 16 and 2 * place > len(self.queue):
            del self.queue[:place]
            place = 0
        self._place = place
        return item


class LifoQueue(Queue):
    def _get(self):
        return self.queue.pop()


class PriorityQueue(Queue):
    def _put(self, item):
        from uheapq import heappush

        heappush(self.queue, item)

    def _get(self):
        from uheapq import heappop

        return heappop(self.queue)


SimpleQueue = Queue
