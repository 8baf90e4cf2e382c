// The life of one trainer process: it takes a Start from the program, opens the event stream and the device,
// trains as the program's commands say, and reports how it ended. A second thread receives commands; when the
// program is gone it ends the process at once.
//
// Every exception of LibTorch ends here, as a sentence for the program.
#pragma once

#include "profiler/capture/transport/channel.h"

namespace tidemark::training {

// Returns the process's exit code: 0 after a Stop, 1 when the run failed.
int RunTrainerProcess(transport::Channel channel);

}  // namespace tidemark::training
