# A stream's `write` empties the list that is being printed to it, between a comma and the next item.
import io


class Stream(io.IOBase):
    def write(self, data):
        if bytes(data) == b", ":
            items.clear()
        return len(data)


items = [1, 2, 3]
print(items, file=Stream())
