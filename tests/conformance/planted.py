# SPDX-License-Identifier: Apache-2.0
"""The mistakes in tests/plugins/nexus-planted, each with a test of the suite that finds it."""

from __future__ import annotations

from typing import NamedTuple


class Mistake(NamedTuple):
    """A mistake, and the test that fails with it."""

    says: str
    test: str


MISTAKES = {
    "copy_one_byte_short": Mistake(
        "a copy to the host leaves out the last byte",
        "capi/memory/test_copies.py::test_a_copy_to_the_host_takes_exactly_its_range[0-300]",
    ),
    "copy_from_the_start": Mistake(
        "a copy to the host begins at the start of the buffer",
        "capi/memory/test_copies.py::test_a_copy_to_the_host_takes_exactly_its_range[1-1]",
    ),
    "copy_cut_to_the_buffer": Mistake(
        "a copy beyond the buffer is cut, and no error",
        "capi/memory/test_copies.py::test_a_range_outside_the_buffer_is_refused[0-301-CopyBuffer]",
    ),
    "write_one_byte_off": Mistake(
        "a copy from the host comes one byte too far",
        "capi/memory/test_copies.py::test_a_copy_from_the_host_writes_exactly_its_range[0-1]",
    ),
    "transfer_to_the_start": Mistake(
        "a copy between buffers goes to the start of its destination",
        "capi/memory/test_copies.py::test_a_copy_between_buffers_moves_exactly_its_range[1-0-1-False]",
    ),
    "overlap_is_copied": Mistake(
        "a copy onto itself is passed over, and no error",
        "capi/memory/test_copies.py::test_parts_that_overlap_are_refused[0-0-4-TransferBuffer]",
    ),
    "fill_with_half_the_pattern": Mistake(
        "of a pattern of 16 bytes the first 8 are repeated",
        "capi/memory/test_copies.py::test_a_fill_repeats_its_pattern_through_the_range[0-1-16-False]",
    ),
    "fill_command_one_element_long": Mistake(
        "a fill command fills one element more",
        "capi/memory/test_copies.py::test_a_fill_repeats_its_pattern_through_the_range[0-1-1-True]",
    ),
    "initial_contents_lost": Mistake(
        "a buffer is made without the bytes that it should begin with",
        "capi/memory/test_buffers.py::test_a_buffer_holds_each_byte[3]",
    ),
    "maintained_memory_is_copied": Mistake(
        "the memory that a buffer should use in place is copied",
        "capi/memory/test_buffers.py::test_maintained_memory_is_the_buffer",
    ),
    "scalar_loses_its_upper_half": Mistake(
        "a scalar of 64 bits is truncated to 32",
        "capi/test_commands.py::test_each_bit_of_a_64_bit_scalar_arrives",
    ),
    "argument_begins_at_the_buffer": Mistake(
        "a part of a buffer as an argument begins at the buffer",
        "capi/schedules/test_schedules.py::test_a_run_uses_a_part_of_a_buffer",
    ),
    "rebinding_is_forgotten": Mistake(
        "an argument that is set after finalize is not taken",
        "capi/schedules/test_schedules.py::test_a_run_takes_the_arguments_of_its_submission",
    ),
    "last_group_is_not_launched": Mistake(
        "the last group of a launch is left out",
        "capi/test_commands.py::test_each_item_of_the_grid_runs_and_no_other[1000-8]",
    ),
    "grid_is_rounded_up": Mistake(
        "a kernel is told the launched size for the grid",
        "capi/test_commands.py::test_each_item_of_the_grid_runs_and_no_other[13-4]",
    ),
    "wait_returns_early": Mistake(
        "a wait returns at once and says completed",
        "capi/test_streams.py::test_a_wait_lasts_until_the_work_is_done",
    ),
    "query_says_completed": Mistake(
        "a query says completed of work that runs",
        "capi/test_events.py::test_an_event_is_not_set_before_the_work_before_it",
    ),
    "tickets_repeat": Mistake(
        "a ticket is given twice",
        "capi/test_streams.py::test_each_ticket_is_greater_than_the_one_before",
    ),
    "ticket_of_the_future_is_completed": Mistake(
        "a ticket that was never given is completed",
        "capi/test_streams.py::test_a_ticket_that_was_never_given_is_refused[1-QueryStream]",
    ),
    "stream_does_not_wait_for_the_event": Mistake(
        "a stream does not wait for an event",
        "capi/test_events.py::test_a_stream_waits_for_the_signal_of_another",
    ),
    "event_is_set_at_once": Mistake(
        "an event is set before the work before it is done",
        "capi/test_events.py::test_an_event_is_not_set_before_the_work_before_it",
    ),
    "elapsed_time_runs_backwards": Mistake(
        "the elapsed time has the wrong sign",
        "capi/test_events.py::test_the_time_from_an_event_to_itself_is_0_and_backwards_it_is_negative",
    ),
    "callback_comes_twice": Mistake(
        "a callback is called twice",
        "capi/test_callbacks.py::test_many_come_once_each_and_in_order",
    ),
    "callback_does_not_wait": Mistake(
        "a callback is called before the work before it is done",
        "capi/test_callbacks.py::test_it_comes_after_the_work_before_it",
    ),
    "late_failure_is_forgotten": Mistake(
        "work that failed late is completed",
        "capi/test_failure.py::test_a_failed_stream_refuses_new_work_with_its_cause[CopyBuffer]",
    ),
    "run_is_submitted_twice": Mistake(
        "a run is submitted twice",
        "capi/schedules/test_schedules.py::test_a_schedule_runs_many_times",
    ),
    "nested_schedule_runs_twice": Mistake(
        "a nested schedule runs twice",
        "api/schedules/test_nesting.py::test_a_nested_schedule_runs_in_its_place[in one piece]",
    ),
    "first_predecessor_is_forgotten": Mistake(
        "a command follows all but one of its predecessors",
        "api/schedules/test_branches.py::test_a_command_sees_what_it_follows[in one piece]",
    ),
    "released_buffer_lives_on": Mistake(
        "the id of a released buffer stays valid",
        "capi/test_ids.py::test_a_stale_id_is_refused[CopyBuffer]",
    ),
    "second_release_is_fine": Mistake(
        "a second release of an event is not an error",
        "capi/test_ids.py::test_a_stale_id_is_refused[ReleaseEvent]",
    ),
    "buffers_leave_memory": Mistake(
        "each buffer leaks memory",
        "capi/memory/test_memory.py::test_what_is_released_leaves_no_memory[buffer]",
    ),
    "streams_leave_memory": Mistake(
        "each stream leaks memory",
        "capi/memory/test_memory.py::test_what_is_released_leaves_no_memory[stream]",
    ),
    "unknown_kernel_is_an_invalid_value": Mistake(
        "an unknown kernel has the wrong status",
        "capi/test_libraries.py::test_a_kernel_that_is_not_there_is_refused",
    ),
    "errors_have_no_text": Mistake(
        "an error has no text",
        "capi/memory/test_buffers.py::test_a_buffer_above_the_largest_is_refused",
    ),
    "result_is_written_on_failure": Mistake(
        "a call that fails writes its result",
        "capi/test_ids.py::test_an_id_that_is_none_is_refused[CreateStream-device-foreign]",
    ),
    "size_is_rounded_up": Mistake(
        "the size of a buffer is that of its memory",
        "capi/test_properties.py::test_a_buffer_tells_its_size[1]",
    ),
    "a_key_without_a_value": Mistake(
        "a key is listed that is not answered",
        "capi/test_properties.py::test_each_property_has_the_type_of_the_catalogue[Device]",
    ),
    "managed_memory_is_only_claimed": Mistake(
        "a capability bit is claimed and its function refuses",
        "capi/memory/test_buffers.py::test_a_setting_works_or_is_refused[3]",
    ),
    "timing_is_not_claimed": Mistake(
        "a capability bit is not claimed and its function works",
        "capi/test_capabilities.py::test_a_function_is_refused_where_its_bit_is_not[GetElapsedTime]",
    ),
    "a_buffer_of_no_bytes": Mistake(
        "a buffer of no bytes can be made",
        "capi/memory/test_buffers.py::test_a_buffer_of_no_bytes_is_refused",
    ),
    "any_priority_will_do": Mistake(
        "a priority that there is not is taken",
        "capi/test_capabilities.py::test_priorities_are_there_where_they_are_claimed",
    ),
    "every_index_is_device_0": Mistake(
        "every index of a device is that of the first",
        "capi/test_properties.py::test_the_runtime_counts_its_devices",
    ),
    "unfinished_command_stays": Mistake(
        "a command that was never finalized stays in its schedule",
        "capi/test_commands.py::test_a_command_released_before_it_is_finalized_leaves_its_schedule",
    ),
    "missing_argument_is_fine": Mistake(
        "a command that lacks an argument can be finalized",
        "capi/test_commands.py::test_a_command_that_lacks_an_argument_is_refused[set_them0]",
    ),
}
"""By name, in the order of the plug-in's headers."""
