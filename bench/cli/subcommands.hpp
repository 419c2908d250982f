// The subcommands' options, as typed.
#pragma once

#include <CLI/CLI.hpp>

#include "commands/accuracy/accuracy.hpp"
#include "commands/check/check.hpp"
#include "commands/compare/compare.hpp"
#include "commands/gallery/gallery.hpp"
#include "commands/kernel/kernel_command.hpp"
#include "commands/list/list.hpp"
#include "commands/report/report.hpp"
#include "commands/stream/stream.hpp"
#include "commands/tune/tune.hpp"
#include "measure/options.hpp"

namespace bench {

struct Arguments {
  ListArguments list;
  RunArguments run;
  CompareArguments compare;
  GalleryArguments gallery;
  CheckArguments check;
  TuneArguments tune;
  AccuracyArguments accuracy;
  StartupArguments startup;
  StreamArguments stream;
  KernelArguments kernel;
  ReportArguments report;
  bool wide = false;  ///< Of any of them.
};

/// Adds every subcommand; parsing fills in `arguments`, which must outlive the app.
void add_subcommands(CLI::App& app, Arguments& arguments);

}  // namespace bench
