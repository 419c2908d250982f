// Calls on a CUDA queue, captured into a graph that is launched in their place.
#pragma once

#include <bifold/device.hpp>
#include <bifold/queue.hpp>
#include <functional>
#include <memory>

namespace bench {

/// Whether calls on the device's queues can be captured: CUDA's, with a driver that has graphs.
bool has_graphs(const bifold::Device& device);

/// Needs a device that has_graphs().
class CudaGraph {
 public:
  /// Has `record` enqueue on the queue while that is captured. Throws what it throws, and
  /// bifold::Error for what the driver refuses; the queue is usable afterwards.
  CudaGraph(const bifold::Queue& queue, const std::function<void()>& record);
  /// Its launches have ended.
  ~CudaGraph();
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  /// Enqueues what was captured, on the same queue, which has to be there still.
  void launch() const;

 private:
  struct Launchable;
  std::unique_ptr<Launchable> launchable_;
};

}  // namespace bench
