#include "opencl/program/library_images.hpp"

#include <bifold/error.hpp>
#include <utility>
#include <vector>

#include "core/base/log.hpp"
#include "core/kernel/architecture.hpp"
#include "core/kernel/image_check.hpp"
#include "core/kernel/kernel_source.hpp"
#include "opencl/driver/error.hpp"
#include "opencl/program/image_marks.hpp"
#include "opencl/program/path_probes.hpp"

namespace bifold::backend::opencl {
LibraryImages::LibraryImages(const backend::Device& planner, cl::Context context, cl::Device device)
    : planner_(planner),
      context_(std::move(context)),
      device_(std::move(device)),
      architecture_(static_cast<int>(core::ptx_architecture(planner.capabilities()))) {
  const Source source =
      core::kernel_source(planner_, core::image_check_spec(planner_.capabilities()));
  const auto twin = core::embedded_twin(core::embedded_key(source), architecture_);
  if (!twin) return;
  for (const core::EmbeddedForm form : core::embedded_forms) {
    if (!form_ && works(*twin, form)) form_ = form;
  }
}

std::shared_ptr<const Program> LibraryImages::find(const Source& source) const {
  if (!form_) return nullptr;
  const auto twin = core::embedded_twin(core::embedded_key(source), architecture_);
  if (!twin) return nullptr;
  if (*form_ == core::EmbeddedForm::ptx && !twin->any_architecture) return nullptr;
  try {
    auto program = load(*twin, *form_);
    if (program != nullptr) {
      core::log().debug("opencl: {} from the {} in the library", source.name, name_of(*form_));
    }
    return program;
  } catch (const Error& error) {
    if (error.category() == ErrorCategory::device_lost) throw;
    core::log().debug("opencl: the {} of {} in the library cannot be used: {}", name_of(*form_),
                      source.name, error.what());
  }
  return nullptr;
}

std::shared_ptr<const Program> LibraryImages::load(const core::EmbeddedTwin& twin,
                                                   core::EmbeddedForm form) const {
  std::vector<std::byte> image = core::embedded(twin.twin, form, architecture_);
  if (image.empty()) return nullptr;
  image = marked(std::move(image), form, twin.traits);
  auto program = Program::load(context_, device_, image, planner_.compile_options());
  // Some drivers take what they cannot use, and have no kernel then.
  static_cast<void>(program->kernel(program->only_entry()));
  return program;
}

bool LibraryImages::works(const core::EmbeddedTwin& twin, core::EmbeddedForm form) const {
  try {
    const auto program = load(twin, form);
    if (program == nullptr) return false;
    if (computes(*program)) return true;
    core::log().warn("opencl: {} of the library computes wrongly with this driver and is not used",
                     name_of(form));
  } catch (const Error& error) {
    core::log().debug("opencl: {} of the library is not used: {}", name_of(form), error.what());
  }
  return false;
}

bool LibraryImages::computes(const Program& program) const {
  constexpr std::uint32_t items = core::image_check_items;
  constexpr std::uint64_t first = 5;
  constexpr core::ImageCheckPlaces places{0x100000003U, 7};
  std::vector<std::uint64_t> words;
  for (std::uint64_t i = 0; i < first + items; ++i) words.push_back(i * i);

  cl_int code = CL_SUCCESS;
  const cl::Buffer input(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                         words.size() * sizeof words.front(), words.data(), &code);
  check(code, "clCreateBuffer", Step::allocate);
  cl::Kernel kernel = program.instantiate(program.only_entry());
  // A driver that heeds no marks takes a memory object for a number: the kernel would use a handle
  // as an address. A null pointer is an argument for the former alone.
  for (const cl_uint memory : {0U, 3U}) {
    check(kernel.setArg(memory, sizeof(cl_mem), nullptr), "clSetKernelArg");
  }
  check(kernel.setArg(0, input), "clSetKernelArg");
  check(kernel.setArg(1, first), "clSetKernelArg");
  check(kernel.setArg(2, places), "clSetKernelArg");
  const auto result = run_group(context_, device_, kernel, 3, items);
  for (std::uint64_t i = 0; i < items; ++i) {
    if (result[i] != core::image_check_result(i, first, places)) return false;
  }
  return true;
}

}  // namespace bifold::backend::opencl
