# Read by CMake as llama.cpp's project begins (scripts/build_llama.py): the library of its command-line tools, more
# than half of what there is to compile, is left out. llama-cpp-python asks for it and does not use it.
set(LLAMA_BUILD_COMMON OFF)
