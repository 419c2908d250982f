/// @file
/// Everything but the adoption of an application's own objects.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/device.hpp>
#include <bifold/device_values.hpp>
#include <bifold/error.hpp>
#include <bifold/event.hpp>
#include <bifold/gallery.hpp>
#include <bifold/half.hpp>
#include <bifold/lines.hpp>
#include <bifold/log.hpp>
#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/order.hpp>
#include <bifold/queue.hpp>
#include <bifold/reduce.hpp>
#include <bifold/reductions.hpp>
#include <bifold/reference.hpp>
#include <bifold/reference_v1.hpp>
#include <bifold/scan.hpp>
#include <bifold/struct.hpp>
#include <bifold/type.hpp>
#include <bifold/value.hpp>
#include <bifold/version.hpp>
#include <bifold/workspace.hpp>
