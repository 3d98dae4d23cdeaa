// SPDX-License-Identifier: Apache-2.0
//
// The layer `validate`: work that uses the same memory.
#include "validating.hpp"

using namespace validating;

TEST(kernels_that_do_not_say_what_they_write_are_information_only) {
  Bench bench(0);
  bench.record();
  bench.run(bench.stream);
  bench.t->CreateSchedule(bench.device, &bench.schedule);
  bench.record();
  bench.run(bench.other);
  CHECK_SILENT();
  CHECK_EQUAL(std::string("NXV-0303-possible-hazard"), only(noted));
}

TEST(work_without_order_on_the_same_memory_is_told) {
  checkEachIsTold({
      {"NXV-0301-hazard",
       [](Bench &b) {
         b.fill(b.stream, b.range());
         b.fill(b.other, b.range(512, 4));
       }},
      {"NXV-0301-hazard",
       [](Bench &b) {
         b.t->SignalEvent(b.event, b.stream, &b.ticket);
         b.fill(b.stream, b.range());
         b.t->WaitEvent(b.event, b.other, &b.ticket);
         b.fill(b.other, b.range());
       }},
      {"NXV-0301-hazard",
       [](Bench &b) {
         b.record();
         b.run(b.stream);
         char host[64];
         b.t->CopyBuffer(b.buffer, 0, host, 64, b.other, &b.ticket);
       }},
      {"NXV-0302-host-memory",
       [](Bench &b) {
         char host[64];
         b.t->CopyBuffer(b.buffer, 0, host, 64, b.stream, &b.ticket);
         b.t->WriteBuffer(b.buffer, 0, host + 60, 4, b.stream, &b.ticket);
       }},
  });
}

TEST(work_in_order_or_on_other_memory_is_no_hazard) {
  checkNoneIsTold({
      [](Bench &b) {  // on other bytes
        b.fill(b.stream, b.range(0, 512));
        b.fill(b.other, b.range(512, 512));
      },
      [](Bench &b) {  // in one stream
        b.fill(b.stream, b.range());
        b.fill(b.stream, b.range());
      },
      [](Bench &b) {  // after a wait of the host
        b.fill(b.stream, b.range());
        b.query(b.stream, b.ticket);
        b.fill(b.other, b.range());
      },
      [](Bench &b) {  // after work that waited for it
        b.fill(b.stream, b.range());
        b.t->SignalEvent(b.event, b.stream, &b.ticket);
        b.t->WaitEvent(b.event, b.other, &b.ticket);
        b.query(b.other, b.ticket);
        nxs_id third = 0;
        b.t->CreateStream(b.device, 0, &third);
        b.fill(third, b.range());
      },
      [](Bench &b) {  // a kernel that reads, and a copy
        answers.declaration = "const float *";
        const nxs_string name{"read", 4};
        b.t->GetKernel(b.library, &name, &b.kernel);
        b.record();
        b.run(b.stream);
        char host[64];
        b.t->CopyBuffer(b.buffer, 0, host, 64, b.other, &b.ticket);
      },
      [](Bench &b) {  // runs of one schedule
        b.record();
        b.run(b.stream);
        b.run(b.other);
      },
      [](Bench &b) {  // other memory of the host
        char host[64];
        b.t->CopyBuffer(b.buffer, 0, host, 32, b.stream, &b.ticket);
        b.t->WriteBuffer(b.buffer, 0, host + 32, 32, b.stream, &b.ticket);
      },
  });
}
