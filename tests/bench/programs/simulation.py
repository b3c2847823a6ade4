# Tasks with priorities share a processor; a task that waits gets more urgent.
import heapq


class Task:
    def __init__(self, number, urgent, work):
        self.number = number
        self.urgent = urgent
        self.work = work
        self.ended = 0

    def __lt__(self, other):
        return (self.urgent, self.number) < (other.urgent, other.number)


n = threadIdx % 64 + 3
tasks = [Task(k, n * (k + 5) % 17, n * (k + 2) % 7 + 1) for k in range(10)]
ready = tasks[:4]
heapq.heapify(ready)
later = tasks[4:]
time = switches = 0
while ready:
    task = heapq.heappop(ready)
    ran = min(2 + task.urgent % 2, task.work)
    time += ran
    task.work -= ran
    switches += 1
    if later and time % 3:
        heapq.heappush(ready, later.pop())
    if task.work:
        task.urgent += 3
        heapq.heappush(ready, task)
    else:
        task.ended = time
    if not ready and later:
        ready.append(later.pop())
print(time, switches, [task.ended for task in tasks])
