# What the OpenCL backend is compiled with: the ICD loader, and OpenCL's C++ bindings.
find_package(OpenCL QUIET)
find_path(BIFOLD_CLHPP_INCLUDE_DIR CL/opencl.hpp DOC "Folder of CL/opencl.hpp")
if(OpenCL_FOUND AND BIFOLD_CLHPP_INCLUDE_DIR)
  target_link_libraries(bifold_objects PRIVATE OpenCL::OpenCL)
  target_link_libraries(bifold PRIVATE OpenCL::OpenCL)
else()
  set(missing "the ICD loader or CL/opencl.hpp was not found")
endif()
