# kind: died
# place: mp_pairheap_delete<task_queue_remove
# what: SIGABRT: AddressSanitizer: global-buffer-overflow
v7=None
v7=__import__('_asyncio').TaskQueue().remove(None)
