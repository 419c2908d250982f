# What the CUDA backend is compiled with: headers only, as libcuda and NVRTC are opened at run time.
find_path(BIFOLD_CUDA_INCLUDE_DIR nvrtc.h
  HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES include
  DOC "Folder of cuda.h and nvrtc.h")
if(BIFOLD_CUDA_INCLUDE_DIR AND EXISTS "${BIFOLD_CUDA_INCLUDE_DIR}/cuda.h")
  target_include_directories(bifold_objects SYSTEM PRIVATE ${BIFOLD_CUDA_INCLUDE_DIR})
else()
  set(missing "cuda.h and nvrtc.h were not found; set CUDA_HOME")
endif()
