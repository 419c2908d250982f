// The driver's queue behind one of bifold's, for peers to enqueue in.
#pragma once

#include <bifold/queue.hpp>

#include "peers/peer.hpp"

namespace bench {

/// Where a peer computes that can share the device's queues.
PeerSide side_of(const bifold::Device& device);

/// A CUstream or a cl_command_queue; valid as long as the queue.
void* native_queue(const bifold::Queue& queue);

}  // namespace bench
