set pagination off
set confirm off
set print address off
break Show
run
up
echo == slices\n
print plain
print binary
print empty
print long_slice
echo == statuses\n
print ok
print corruption
print no_space
print bare
echo == internal keys\n
tamis-internal-key internal
tamis-internal-key too_short
print parsed
print lookup
echo == tables and blocks\n
print meta
print parts
echo == end\n
