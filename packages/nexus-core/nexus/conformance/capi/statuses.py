# SPDX-License-Identifier: Apache-2.0
"""Names the test that shows each status of each function.

tests/conformance/test_statuses.py of the repository checks that no status that nxs_functions.def
names is left out.
"""

from __future__ import annotations

_IDS = "capi/test_ids.py::test_an_id_that_is_none_is_refused"
_RANGES = "capi/memory/test_copies.py::test_a_range_outside_the_buffer_is_refused"
_PARTS = "capi/memory/test_copies.py::test_a_range_of_a_struct_outside_the_buffer_is_refused"
_OVERLAP = "capi/memory/test_copies.py::test_parts_that_overlap_are_refused"
_RANGE_IDS = "capi/test_ids.py::test_a_range_of_no_buffer_is_refused"
_FILL_IDS = "capi/test_ids.py::test_a_range_to_fill_or_map_of_no_buffer_is_refused"
_IN_FLIGHT = "capi/schedules/test_schedules.py::test_recording_while_a_run_is_in_flight_is_refused"
_NO_SIGNAL = "capi/test_events.py::test_an_event_that_was_never_signalled_is_refused"
_TWO_DEVICES = "capi/test_ids.py::test_objects_of_two_devices_are_refused"
_NO_TICKET = "capi/test_streams.py::test_a_ticket_that_was_never_given_is_refused"
_NO_CONDITION = "capi/schedules/test_conditions.py::test_what_is_no_condition_is_refused"
_NO_KERNEL_COMMAND = (
    "capi/test_commands.py::test_a_command_that_runs_no_kernel_has_no_arguments_and_no_size"
)
_LANGUAGE = (
    "capi/test_compile.py::test_a_language_that_there_is_not_is_refused_with_those_that_there_are"
)

# Of every function that has such a parameter.
ID = _IDS
PROPERTY = "capi/test_properties.py::test_a_property_that_is_none_is_refused"
NULL = "capi/test_pointers.py::test_a_null_pointer_is_refused"
STRUCT_SIZE = "capi/test_pointers.py::test_a_struct_that_is_too_small_is_refused"
STRING = "capi/test_pointers.py::test_a_string_of_null_with_a_size_is_refused"

# Of one function.
SHOWN: dict[str, dict[str, str]] = {
    "GetDevice": {
        "NXS_InvalidDevice": "capi/test_properties.py::test_the_runtime_counts_its_devices",
    },
    "CreateBuffer": {
        "NXS_InvalidBufferSize":
            "capi/memory/test_buffers.py::test_a_buffer_of_no_bytes_is_refused",
        "NXS_MemObjectAllocationFailure":
            "capi/memory/test_buffers.py::test_a_size_that_overflows_with_its_bookkeeping_is_refused",
        "NXS_NotSupported":
            "capi/memory/test_buffers.py::test_a_setting_that_nobody_knows_is_refused",
        "NXS_InvalidHostPtr":
            "capi/memory/test_buffers.py::test_maintain_without_memory_is_refused",
    },
    "CreateBufferFromHandle": {
        "NXS_InvalidBufferSize":
            "capi/memory/test_foreign.py::test_a_buffer_from_a_handle_has_at_least_one_byte",
        "NXS_InvalidHostPtr": "capi/memory/test_foreign.py::test_no_memory_has_the_handle_0",
    },
    "ExportBuffer": {
        "NXS_InvalidOperation":
            "capi/memory/test_shared_memory.py::test_a_buffer_that_is_not_shareable_is_not_exported",
    },
    "ImportBuffer": {
        "NXS_InvalidValue":
            "capi/memory/test_shared_memory.py::test_bytes_that_are_no_handle_are_refused",
        "NXS_InvalidOperation":
            "capi/memory/test_shared_memory.py::test_memory_of_a_process_that_ended_is_refused",
    },
    "ExportEvent": {
        "NXS_InvalidOperation":
            "capi/test_shared_events.py::test_an_event_that_is_not_shareable_is_not_exported",
    },
    "ImportEvent": {
        "NXS_InvalidValue": "capi/test_shared_events.py::test_bytes_that_are_no_event_are_refused",
        "NXS_InvalidOperation":
            "capi/test_shared_events.py::test_an_event_that_was_released_is_gone",
    },
    "CopyBuffer": {
        "NXS_InvalidValue": _RANGES,
        "NXS_InvalidHostPtr": "capi/memory/test_copies.py::test_no_host_memory_is_refused",
    },
    "WriteBuffer": {
        "NXS_InvalidValue": _RANGES,
        "NXS_InvalidHostPtr": "capi/memory/test_copies.py::test_no_host_memory_is_refused",
    },
    "TransferBuffer": {
        "NXS_InvalidBuffer": _RANGE_IDS,
        "NXS_InvalidValue": _PARTS,
        "NXS_MemCopyOverlap": _OVERLAP,
    },
    "FillBuffer": {
        "NXS_InvalidBuffer": _FILL_IDS,
        "NXS_InvalidValue": "capi/memory/test_copies.py::test_a_pattern_of_another_size_is_refused",
    },
    "MapBuffer": {
        "NXS_InvalidBuffer": _FILL_IDS,
        "NXS_InvalidValue": "capi/memory/test_maps.py::test_a_range_outside_is_not_mapped",
    },
    "UnmapBuffer": {"NXS_InvalidValue": "capi/memory/test_maps.py::test_a_mapping_ends_once"},
    "CreateLibrary": {
        "NXS_InvalidBinary": "capi/test_libraries.py::test_bytes_that_are_no_library_are_refused",
    },
    "CreateLibraryFromFile": {
        "NXS_InvalidBinary": "capi/test_libraries.py::test_a_file_that_is_no_library_is_refused",
        "NXS_InvalidValue": "capi/test_libraries.py::test_a_file_that_is_not_there_is_refused",
    },
    "GetKernel": {
        "NXS_InvalidKernelName":
            "capi/test_libraries.py::test_a_kernel_that_is_not_there_is_refused",
    },
    "GetGlobal": {
        "NXS_InvalidValue":
            "capi/test_libraries.py::test_a_variable_that_is_not_there_is_refused",
    },
    "GetKernelArgument": {
        "NXS_InvalidArgIndex":
            "capi/test_libraries.py::test_an_argument_that_there_is_not_is_not_described",
        "NXS_KernelArgInfoNotAvailable":
            "capi/test_capabilities.py::test_a_function_is_refused_where_its_bit_is_not",
    },
    "DescribeCompile": {
        "NXS_NotSupported": _LANGUAGE,
        "NXS_InvalidValue":
            "capi/test_pointers.py::test_a_string_of_a_program_that_is_null_with_a_size_is_refused",
    },
    "CompileProgram": {
        "NXS_NotSupported": _LANGUAGE,
        "NXS_CompileProgramFailure":
            "capi/test_compile.py::test_a_mistake_is_told_with_name_and_line",
        "NXS_InvalidCompilerOptions":
            "capi/test_compile.py::test_an_option_that_there_is_not_is_refused",
        "NXS_InvalidValue": "capi/test_compile.py::test_a_target_that_there_is_not_is_refused",
    },
    "CreateStream": {
        "NXS_InvalidValue": "capi/test_streams.py::test_a_priority_that_there_is_not_is_refused",
    },
    "QueryStream": {"NXS_InvalidValue": _NO_TICKET},
    "WaitStream": {"NXS_InvalidValue": _NO_TICKET},
    "CreateEvent": {
        "NXS_InvalidValue":
            "capi/test_shared_events.py::test_an_event_with_a_clock_is_not_shareable",
        "NXS_NotSupported":
            "capi/test_events.py::test_a_setting_of_events_that_nobody_knows_is_refused",
    },
    "WaitEvent": {"NXS_InvalidOperation": _NO_SIGNAL},
    "QueryEvent": {"NXS_InvalidOperation": _NO_SIGNAL},
    "SynchronizeEvent": {"NXS_InvalidOperation": _NO_SIGNAL},
    "GetElapsedTime": {
        "NXS_ProfilingInfoNotAvailable":
            "capi/test_events.py::test_the_time_of_an_event_without_timing_is_refused",
        "NXS_InvalidOperation":
            "capi/test_events.py::test_the_time_of_a_signal_that_has_not_happened_is_refused",
    },
    "PrepareSchedule": {
        "NXS_InvalidCommand":
            "capi/schedules/test_schedules.py::test_prepare_refuses_a_command_that_is_not_finalized",
    },
    "RunSchedule": {
        "NXS_InvalidCommand":
            "capi/schedules/test_schedules.py::test_a_run_with_a_command_that_is_not_finalized_is_refused",
        "NXS_NotSupported":
            "capi/schedules/test_schedules.py::test_a_setting_of_runs_works_or_is_refused",
    },
    "CreateCommand": {
        "NXS_InvalidDevice":
            "capi/test_ids.py::test_a_schedule_cant_hold_another_devices_kernel",
        "NXS_InvalidOperation": _IN_FLIGHT,
    },
    "SetCommandArgument": {
        "NXS_InvalidArgIndex":
            "capi/test_commands.py::test_an_argument_beyond_the_last_is_refused",
        "NXS_InvalidArgSize": "capi/test_commands.py::test_a_scalar_of_the_wrong_size_is_refused",
        "NXS_InvalidArgValue":
            "capi/test_commands.py::test_an_argument_of_the_wrong_kind_is_refused",
        "NXS_InvalidBuffer": "capi/test_ids.py::test_an_argument_that_is_no_buffer_is_refused",
        "NXS_InvalidOperation": _NO_KERNEL_COMMAND,
    },
    "FinalizeCommand": {
        "NXS_InvalidKernelArgs":
            "capi/test_commands.py::test_a_command_that_lacks_an_argument_is_refused",
        "NXS_InvalidWorkGroupSize":
            "capi/test_commands.py::test_one_more_than_the_largest_group_is_refused",
        "NXS_InvalidGlobalWorkSize":
            "capi/test_launch_options.py"
            "::test_a_cooperative_launch_of_more_than_run_at_once_is_refused",
        "NXS_OutOfResources":
            "capi/test_commands.py::test_more_local_memory_than_there_is_is_refused",
        "NXS_InvalidOperation": _NO_KERNEL_COMMAND,
        "NXS_NotSupported":
            "capi/test_launch_options.py::test_a_flag_that_nobody_knows_is_refused",
    },
    "GetKernelOccupancy": {
        "NXS_InvalidWorkGroupSize":
            "capi/test_launch_options.py::test_the_occupancy_of_a_group_that_can_t_be_is_refused",
        "NXS_OutOfResources":
            "capi/test_launch_options.py::test_the_occupancy_of_too_much_local_memory_is_refused",
        "NXS_NotSupported":
            "capi/test_launch_options.py::test_clusters_that_the_device_lacks_are_refused",
    },
    "CreateCopyCommand": {
        "NXS_InvalidBuffer": _RANGE_IDS,
        "NXS_InvalidValue": _PARTS,
        "NXS_MemCopyOverlap": _OVERLAP,
        "NXS_InvalidDevice": _TWO_DEVICES,
        "NXS_InvalidOperation": _IN_FLIGHT,
    },
    "CreateFillCommand": {
        "NXS_InvalidBuffer": _FILL_IDS,
        "NXS_InvalidValue": "capi/memory/test_copies.py::test_a_pattern_of_another_size_is_refused",
        "NXS_InvalidDevice": _TWO_DEVICES,
        "NXS_InvalidOperation": _IN_FLIGHT,
    },
    "CreateScheduleCommand": {
        "NXS_InvalidOperation":
            "capi/schedules/test_schedules.py::test_a_circle_of_schedules_is_refused",
    },
    "SetCommandPredecessors": {
        "NXS_InvalidValue":
            "capi/schedules/test_branches.py::test_what_is_no_earlier_command_of_the_schedule_is_refused",
        "NXS_InvalidOperation": "capi/schedules/test_branches.py::test_it_is_refused_during_a_run",
    },
    "CreateConditionCommand": {
        "NXS_InvalidBuffer": _NO_CONDITION,
        "NXS_InvalidValue": _NO_CONDITION,
        "NXS_InvalidOperation":
            "capi/schedules/test_conditions.py::test_a_circle_of_bodies_is_refused",
    },
    "BeginCapture": {
        "NXS_InvalidOperation":
            "capi/schedules/test_capture.py::test_a_second_capture_and_a_second_end_are_refused",
    },
    "EndCapture": {
        "NXS_InvalidOperation":
            "capi/schedules/test_capture.py::test_a_second_capture_and_a_second_end_are_refused",
        "NXS_NotSupported":
            "api/schedules/test_capture.py::test_work_that_allocates_is_refused",
    },
    "CopyRows": {
        "NXS_InvalidBuffer": _RANGE_IDS,
        "NXS_InvalidValue": "capi/memory/test_rows.py::test_rows_that_do_not_fit_are_refused",
        "NXS_MemCopyOverlap": "capi/memory/test_rows.py::test_ranges_that_overlap_are_refused",
    },
    "LinkProgram": {
        "NXS_LinkProgramFailure":
            "capi/test_linking.py::test_a_kernel_that_two_pieces_have_is_refused",
        "NXS_InvalidBinary": "capi/test_linking.py::test_what_is_no_code_is_refused",
        "NXS_InvalidValue": "capi/test_linking.py::test_no_piece_is_refused",
    },
}  # fmt: skip

_DRIVER = "only the driver can run out of what it needs; no call brings that about on every device"

# Statuses that no test can cause, and why. "*" is every function.
NOT_SHOWN: dict[tuple[str, str], str] = {
    ("*", "NXS_OutOfHostMemory"): "a process that has no memory left can't run a test either",
    ("*", "NXS_InternalError"): "it says that the plug-in itself has a mistake",
    ("*", "NXS_DeviceLost"): "a test can't break a device; failing_kernel shows late failure",
    ("MapBuffer", "NXS_MapFailure"): _DRIVER,
    ("MapBuffer", "NXS_NotSupported"): "the backend knows which memory the host can't share",
    **{(name, "NXS_OutOfResources"): _DRIVER for name in
       ("CreateLibrary", "CreateLibraryFromFile", "CreateStream", "CreateEvent", "ExportBuffer",
        "ImportBuffer", "ExportEvent", "ImportEvent")},
    ("CreateStreamFromHandle", "NXS_InvalidValue"): "drivers take any number for a stream's",
    ("CompileProgram", "NXS_CompilerNotAvailable"): "where there is no compiler, nothing compiles",
    ("CreateConditionCommand", "NXS_NotSupported"): "the backend knows what it can't run in one",
    ("CompileProgram", "NXS_Cancelled"): "the core's own tests interrupt a compilation",
    ("DescribeCompile", "NXS_CompilerNotAvailable"): "where there is no compiler, nothing compiles",
    ("DescribeCompile", "NXS_InvalidCompilerOptions"):
        "whether a flag is one is known when the compiler has seen it",
    ("LinkProgram", "NXS_LinkerNotAvailable"): "where there is no linker, nothing is linked",
    ("LinkProgram", "NXS_InvalidCompilerOptions"): "a backend's flags are its linker's own",
    **{(name, f"NXS_Invalid{kind}"): f"it has no {kind.lower()}"
       for name in ("CreateCopyCommand", "CreateFillCommand") for kind in ("Stream", "Kernel")},
}  # fmt: skip
