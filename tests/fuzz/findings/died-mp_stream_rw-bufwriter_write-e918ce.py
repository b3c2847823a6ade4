# kind: died
# place: mp_stream_rw<bufwriter_write
# what: SIGABRT: AddressSanitizer: SEGV
v1=None
v1=__import__('io').BufferedWriter(None,0).write((b'\xff\xfe\x80'))
