# Runs in every interpreter of tests/fs/test_power_cut.py, over a separate image. The test puts a
# line before this that sets `whole`: if true, all steps run with power. Otherwise the power of
# interpreter i is cut at write i // 2, of which half arrives for odd i.
import os
import vfs


class Cut(VRAMBlockDevice):
    count = 0  # writes and erasures so far
    last = 0 if whole else threadIdx // 2 + 1

    def off(self):
        self.count += 1
        return self.last and self.count >= self.last

    def writeblocks(self, block, data, offset=0):
        if not self.off():
            return super().writeblocks(block, data, offset)
        if self.count == self.last and threadIdx & 1:
            super().writeblocks(block, memoryview(data)[: len(data) // 2], offset)
        return -5

    def ioctl(self, request, argument):
        if request == 6 and self.off():
            return -5
        return super().ioctl(request, argument)


def write(name, mode, text):
    f = open(name, mode)
    yield
    f.write(text)
    f.close()
    yield


def steps():
    yield from write("/c/a", "w", "new" * 700)
    yield from write("/c/b", "w", "second" * 200)
    os.rename("/c/a", "/c/d/moved")
    yield
    os.remove("/c/keep")
    yield
    os.mkdir("/c/e")
    yield
    yield from write("/c/d/moved", "a", "more" * 300)
    yield from write("/c/e/small", "w", "x")
    os.rename("/c/e/small", "/c/b")
    yield


vfs.umount("/")
device = Cut()
vfs.mount(vfs.VfsLfs2(device), "/c")
try:
    for step in steps():
        if whole:
            print(device.count)
except OSError as error:
    if error.errno != 5:
        raise
if not whole:
    vfs.umount("/c")
    device.ioctl(2, 0)  # the device holds the image until its interpreter ends, or until this
    vfs.mount(VRAMBlockDevice(), "/c")

    def show(path):
        for name, kind, *_ in sorted(os.ilistdir(path)):
            if kind == 0x4000:
                print(path + name + "/")
                show(path + name + "/")
            else:
                with open(path + name) as f:
                    text = f.read()
                print(path + name, len(text), text[:3], text[-3:])

    show("/c/")
