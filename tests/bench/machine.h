// What a figure was measured on, since no other machine's says the same.
#pragma once

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

namespace tidemark::bench {

inline void PrintMachine() {
  std::ifstream cpu("/proc/cpuinfo");
  std::string model = "unknown processor";
  for (std::string line; std::getline(cpu, line);) {
    if (!line.starts_with("model name")) continue;
    model = line.substr(line.find(':') + 2);
    break;
  }
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  std::printf("%u cores of %s, load %.1f\n", std::thread::hardware_concurrency(), model.c_str(), load);
}

}  // namespace tidemark::bench
