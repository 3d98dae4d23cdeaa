/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from schema/properties.json by `nox -s gen`. Do not edit. */
/* clang-format off */
#ifndef NEXUS_API_NXS_PROPERTYS_H_
#define NEXUS_API_NXS_PROPERTYS_H_

#include <stdint.h>

/* The key of a property. Numbers from NXS_PROPERTY_VENDOR_FIRST up are a vendor's own,
   given by the host's intern_property. */
typedef int32_t nxs_property;

enum {
  NP_Name = 0, /* str. The object's name. */
  NP_Type = 1, /* str. The kind of thing within its class, such as "cpu" or "gpu" for a device. */
  NP_Value = 2, /* int. The 64-bit value of an event, or the value that a command signals or waits for. */
  NP_ID = 3, /* int. The object's number, unique while the object lives. */
  NP_Description = 4, /* str. One sentence about the object for people. */
  NP_Count = 5, /* int. How many units there are. */
  NP_Size = 6, /* int. The number of devices of a runtime, the bytes of a buffer, the number of commands of a schedule. */
  NP_Rank = 7, /* int. The number of dimensions. */
  NP_Shape = 8, /* int_vec. The length of each dimension, outermost first. */
  NP_SubUnits = 9, /* str_vec. The names of the units one level below. */
  NP_SubUnitType = 10, /* str. The type of the units one level below. */
  NP_Keys = 11, /* int_vec. The numbers of the properties that the object answers. */
  NP_Vendor = 12, /* str. The company that makes the device, as the device itself answers it. */
  NP_Architecture = 13, /* str. The architecture in the vendor's compiler's words, such as "znver4" or "sm_90". */
  NP_Version = 14, /* str. The version of the backend or of the device's driver. */
  NP_MajorVersion = 15, /* int. The first number of Version. */
  NP_MinorVersion = 16, /* int. The second number of Version. */
  NP_CoreSubsystem = 17, /* obj_vec. The compute units and their hierarchy. */
  NP_MemorySubsystem = 18, /* obj_vec. The memories and caches; its MemoryTypes lists them. */
  NP_Limits = 19, /* obj_vec. The largest sizes that the device accepts. */
  NP_Features = 20, /* str. The instruction set features, separated by commas. */
  NP_GlobalMemorySize = 21, /* int. The size of the device's main memory. Unit: B. */
  NP_CoreMemorySize = 22, /* int. The size of the memory that belongs to one core. Unit: B. */
  NP_CoreRegisterSize = 23, /* int. The size of the register file of one core. Unit: B. */
  NP_SIMDSize = 24, /* int. How many 32-bit lanes one instruction works on. */
  NP_CoreClockRate = 25, /* int. The highest clock of the cores. Unit: MHz. */
  NP_MemoryClockRate = 26, /* int. The highest clock of the memory. Unit: MHz. */
  NP_MemoryBusWidth = 27, /* int. The width of the bus to memory. Unit: bit. */
  NP_MaxThreadsPerBlock = 28, /* int. The largest number of work items of one group. */
  NP_TimeStamp = 29, /* int. The device's clock when the work completed. Unit: ns. */
  NP_ElapsedTime = 30, /* flt. How long the last timed run took. Unit: ms. */
  NP_MaxThreadsPerThreadgroup = 31, /* int. The largest number of work items of one group, in Metal's words. */
  NP_MaxThreadgroupsPerCore = 32, /* int. How many groups one core runs at the same time. */
  NP_MaxThreadgroupMemorySize = 33, /* int. The largest local memory of one group. Unit: B. */
  NP_Location = 34, /* str. Where the device sits, such as a PCI address or a socket. */
  NP_MaxTransferRate = 35, /* int. The highest rate of copies between host and device. Unit: B/s. */
  NP_UnifiedMemory = 36, /* int. 1 where the host and the device share memory, else 0. */
  NP_MaxBufferSize = 37, /* int. The largest buffer that can be made. Unit: B. */
  NP_DataTypes = 38, /* str_vec. The data types that kernels on the device can use. */
  NP_ClockModes = 39, /* str_vec. The clock modes that can be chosen. */
  NP_BaseClock = 40, /* int. The clock that the device sustains. Unit: MHz. */
  NP_PowerModes = 41, /* str_vec. The power modes that can be chosen. */
  NP_MaxPower = 42, /* flt. The highest power that the device draws. Unit: W. */
  NP_CoreUtilization = 43, /* int. The part of the cores in use, at the time of asking. Unit: %. */
  NP_MemoryUtilization = 44, /* int. The part of the memory in use, at the time of asking. Unit: %. */
  NP_DataType = 45, /* str. The type of the elements, such as "float32". */
  NP_Status = 46, /* str. What the object is doing: "Submitted", "Running", "Complete", "Error" or "Canceled". */
  NP_Arguments = 47, /* int_vec. The IDs of the buffers bound to the command, in order, 0 for a scalar. */
  NP_MemoryTypes = 48, /* obj_vec. Within MemorySubsystem: each memory and cache, smallest first. */
  NP_SupportedMemoryTypes = 49, /* str_vec. Within MemorySubsystem: the names of its MemoryTypes. */
  NP_Capabilities = 50, /* int. The backend's capability bits. */
  NP_BufferOffsetAlignment = 51, /* int. The alignment that a slice's offset needs to be an argument. Unit: B. */
  NP_CoreCount = 52, /* int. How many cores run work items independently. */
  NP_ThreadCount = 53, /* int. How many hardware threads there are. */
  NP_CacheLineSize = 54, /* int. The size of a cache line. Unit: B. */
  NP_MaxArguments = 55, /* int. The largest number of arguments of a kernel. */
  NP_ArgumentNames = 56, /* str_vec. The names of the arguments, in order, where the kernel describes itself. */
  NP_ArgumentTypes = 57, /* str_vec. The data types of the arguments, in order, where the kernel describes itself. */
  NP_ArgumentKinds = 58, /* str_vec. "buffer" or "scalar" or "local" for each argument, in order, where the kernel describes itself. */
  NP_GroupSize = 59, /* int_vec. The work items of a group in x, y and z. */
  NP_GridSize = 60, /* int_vec. The work items asked for in x, y and z. */
  NP_GroupCount = 61, /* int_vec. The groups launched in x, y and z. */
  NP_Priority = 62, /* int. The stream's priority; lower numbers run first. */
  NP_LastTicket = 63, /* int. The ticket of the newest work submitted. */
  NP_Path = 64, /* str. The file that the library was loaded from. */
  NP_Convention = 65, /* str. How the backend calls the kernel, such as "range" or "plain-c". */
  NP_Compiler = 66, /* str. What compiles source for the device, with its version, told without starting it; changes when the compiler does. */
  NP_KernelNames = 67, /* str_vec. The names of the kernels, in alphabetical order. */
  NP_LocalMemorySize = 68, /* int. The local memory of one group that the kernel declares itself, without that of its arguments. Unit: B. */
  NP_RequiredGroupSize = 69, /* int_vec. The group size in x, y and z that the kernel was written for; absent where any will do. */
  NP_Languages = 70, /* str_vec. The languages that programs for the device can be written in. */
  NXS_PROPERTY_CNT = 71,
  NXS_PROPERTY_VENDOR_FIRST = 65536,
  NXS_PROPERTY_INVALID = -1
};

/* X(name, number, type) for each property. */
#define NXS_FOR_EACH_PROPERTY(X) \
  X(Name, 0, str) \
  X(Type, 1, str) \
  X(Value, 2, int) \
  X(ID, 3, int) \
  X(Description, 4, str) \
  X(Count, 5, int) \
  X(Size, 6, int) \
  X(Rank, 7, int) \
  X(Shape, 8, int_vec) \
  X(SubUnits, 9, str_vec) \
  X(SubUnitType, 10, str) \
  X(Keys, 11, int_vec) \
  X(Vendor, 12, str) \
  X(Architecture, 13, str) \
  X(Version, 14, str) \
  X(MajorVersion, 15, int) \
  X(MinorVersion, 16, int) \
  X(CoreSubsystem, 17, obj_vec) \
  X(MemorySubsystem, 18, obj_vec) \
  X(Limits, 19, obj_vec) \
  X(Features, 20, str) \
  X(GlobalMemorySize, 21, int) \
  X(CoreMemorySize, 22, int) \
  X(CoreRegisterSize, 23, int) \
  X(SIMDSize, 24, int) \
  X(CoreClockRate, 25, int) \
  X(MemoryClockRate, 26, int) \
  X(MemoryBusWidth, 27, int) \
  X(MaxThreadsPerBlock, 28, int) \
  X(TimeStamp, 29, int) \
  X(ElapsedTime, 30, flt) \
  X(MaxThreadsPerThreadgroup, 31, int) \
  X(MaxThreadgroupsPerCore, 32, int) \
  X(MaxThreadgroupMemorySize, 33, int) \
  X(Location, 34, str) \
  X(MaxTransferRate, 35, int) \
  X(UnifiedMemory, 36, int) \
  X(MaxBufferSize, 37, int) \
  X(DataTypes, 38, str_vec) \
  X(ClockModes, 39, str_vec) \
  X(BaseClock, 40, int) \
  X(PowerModes, 41, str_vec) \
  X(MaxPower, 42, flt) \
  X(CoreUtilization, 43, int) \
  X(MemoryUtilization, 44, int) \
  X(DataType, 45, str) \
  X(Status, 46, str) \
  X(Arguments, 47, int_vec) \
  X(MemoryTypes, 48, obj_vec) \
  X(SupportedMemoryTypes, 49, str_vec) \
  X(Capabilities, 50, int) \
  X(BufferOffsetAlignment, 51, int) \
  X(CoreCount, 52, int) \
  X(ThreadCount, 53, int) \
  X(CacheLineSize, 54, int) \
  X(MaxArguments, 55, int) \
  X(ArgumentNames, 56, str_vec) \
  X(ArgumentTypes, 57, str_vec) \
  X(ArgumentKinds, 58, str_vec) \
  X(GroupSize, 59, int_vec) \
  X(GridSize, 60, int_vec) \
  X(GroupCount, 61, int_vec) \
  X(Priority, 62, int) \
  X(LastTicket, 63, int) \
  X(Path, 64, str) \
  X(Convention, 65, str) \
  X(Compiler, 66, str) \
  X(KernelNames, 67, str_vec) \
  X(LocalMemorySize, 68, int) \
  X(RequiredGroupSize, 69, int_vec) \
  X(Languages, 70, str_vec) \
  /* end */

#endif /* NEXUS_API_NXS_PROPERTYS_H_ */
