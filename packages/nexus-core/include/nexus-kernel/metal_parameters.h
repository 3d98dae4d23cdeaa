/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parameters of a kernel in Metal: each with the number of its place, buffers and scalars apart
 * from local memory. Not for use in kernels.
 *
 *   pointers NEXUS_GLOBAL and NEXUS_CONSTANT  [[buffer(i)]]
 *   scalars                                   constant T & [[buffer(i)]], counted with them
 *   pointers NEXUS_LOCAL                      [[threadgroup(i)]]
 *   the work items asked for                  constant int * [[buffer(i)]], i after the last
 */
#ifndef NEXUS_KERNEL_METAL_PARAMETERS_H_
#define NEXUS_KERNEL_METAL_PARAMETERS_H_

#define NXK_PARAMETERS(...)                                                   \
  NXK_RESCAN(NXK_NUMBER_FROM_SECOND(__VA_ARGS__, ~, ~))                       \
  const metal::uint3 nxk_at_global [[thread_position_in_grid]],               \
      const metal::uint3 nxk_at_local [[thread_position_in_threadgroup]],     \
      const metal::uint3 nxk_at_group [[threadgroup_position_in_grid]],       \
      NXK_UNUSED const metal::uint3 nxk_of_group [[threads_per_threadgroup]], \
      const metal::uint3 nxk_of_groups [[threadgroups_per_grid]]

/* NXK_NUMBER(buffers so far, local memory so far, parameter, more..., ~, ~): a parameter at each
 * scan of the text, since a macro does not expand within itself. */
#define NXK_NUMBER_FROM_SECOND(skipped, ...) NXK_NUMBER(0, 0, __VA_ARGS__)
#define NXK_NUMBER(b, t, p, ...) NXK_PASTE(NXK_NUMBER_, NXK_PLACE(p))(b, t, p, __VA_ARGS__)
#define NXK_NUMBER_nxk_buffer(b, t, p, ...) \
  NXK_BUFFER_PARAMETER(b, NXK_UNPACK p) NXK_NUMBER_LATER(NXK_NEXT(b), t, __VA_ARGS__)
#define NXK_NUMBER_nxk_scalar(b, t, p, ...) \
  NXK_SCALAR_PARAMETER(b, NXK_UNPACK p) NXK_NUMBER_LATER(NXK_NEXT(b), t, __VA_ARGS__)
#define NXK_NUMBER_nxk_local(b, t, p, ...) \
  NXK_LOCAL_PARAMETER(t, NXK_UNPACK p) NXK_NUMBER_LATER(b, NXK_NEXT(t), __VA_ARGS__)
#define NXK_NUMBER_nxk_array(b, t, p, ...) NXK_NUMBER_LATER(b, t, __VA_ARGS__)
#define NXK_NUMBER_nxk_end(b, t, p, ...) constant int *nxk_asked [[buffer(b)]],
#define NXK_BUFFER_PARAMETER(...) NXK_BUFFER_PARAMETER_(__VA_ARGS__)
#define NXK_BUFFER_PARAMETER_(b, type, name) type name [[buffer(b)]],
#define NXK_SCALAR_PARAMETER(...) NXK_SCALAR_PARAMETER_(__VA_ARGS__)
#define NXK_SCALAR_PARAMETER_(b, type, name) constant type &name [[buffer(b)]],
#define NXK_LOCAL_PARAMETER(...) NXK_LOCAL_PARAMETER_(__VA_ARGS__)
#define NXK_LOCAL_PARAMETER_(t, type, name) type name [[threadgroup(t)]],

/* What a parameter is, by the first word of its type. */
#define NXK_PLACE(p) NXK_PASTE(NXK_PLACE_, NXK_SHAPE(p))(p)
#define NXK_PLACE_0(p) nxk_end
#define NXK_PLACE_2(p) NXK_PLACE_OF p
#define NXK_PLACE_3(p) nxk_array
#define NXK_PLACE_OF(type, name) NXK_SECOND(NXK_SPACE_##type, nxk_scalar)
#define NXK_SPACE_device ~, nxk_buffer,
#define NXK_SPACE_constant ~, nxk_buffer,
#define NXK_SPACE_threadgroup ~, nxk_local,

/* 85 scans: more than a kernel has parameters. */
#define NXK_NUMBER_LATER NXK_NUMBER_AGAIN NXK_NOTHING(~)()
#define NXK_NUMBER_AGAIN() NXK_NUMBER
#define NXK_RESCAN(...) NXK_RESCAN_1(NXK_RESCAN_1(NXK_RESCAN_1(NXK_RESCAN_1(__VA_ARGS__))))
#define NXK_RESCAN_1(...) NXK_RESCAN_2(NXK_RESCAN_2(NXK_RESCAN_2(NXK_RESCAN_2(__VA_ARGS__))))
#define NXK_RESCAN_2(...) NXK_RESCAN_3(NXK_RESCAN_3(NXK_RESCAN_3(NXK_RESCAN_3(__VA_ARGS__))))
#define NXK_RESCAN_3(...) __VA_ARGS__

#define NXK_NEXT(i) NXK_PASTE(NXK_NEXT_, i)
#define NXK_NEXT_0 1
#define NXK_NEXT_1 2
#define NXK_NEXT_2 3
#define NXK_NEXT_3 4
#define NXK_NEXT_4 5
#define NXK_NEXT_5 6
#define NXK_NEXT_6 7
#define NXK_NEXT_7 8
#define NXK_NEXT_8 9
#define NXK_NEXT_9 10
#define NXK_NEXT_10 11
#define NXK_NEXT_11 12
#define NXK_NEXT_12 13
#define NXK_NEXT_13 14
#define NXK_NEXT_14 15
#define NXK_NEXT_15 16
#define NXK_NEXT_16 17
#define NXK_NEXT_17 18
#define NXK_NEXT_18 19
#define NXK_NEXT_19 20
#define NXK_NEXT_20 21
#define NXK_NEXT_21 22
#define NXK_NEXT_22 23
#define NXK_NEXT_23 24
#define NXK_NEXT_24 25
#define NXK_NEXT_25 26
#define NXK_NEXT_26 27
#define NXK_NEXT_27 28
#define NXK_NEXT_28 29
#define NXK_NEXT_29 30
/* Metal has 31 buffers, and the last is for the hidden one. */
#define NXK_NEXT_30 more_than_30_buffers_and_scalars_in_metal

#endif /* NEXUS_KERNEL_METAL_PARAMETERS_H_ */
