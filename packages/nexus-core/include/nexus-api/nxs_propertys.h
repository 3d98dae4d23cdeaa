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
  NP_Type = 1, /* str. The kind of object within its class, such as "cpu" or "gpu" for a device. */
  NP_Value = 2, /* int. The 64-bit value of an event, or the value that a command signals or waits for. */
  NP_ID = 3, /* int. The object's number, unique while the object lives. */
  NP_Description = 4, /* str. A one-sentence description of the object, for people. */
  NP_Count = 5, /* int. The number of units. */
  NP_Size = 6, /* int. For a runtime, the number of devices; for a schedule, the number of commands; for a buffer, memory or cache, the size in bytes. */
  NP_Rank = 7, /* int. The number of dimensions. */
  NP_Shape = 8, /* int_vec. The length of each dimension, outermost first. */
  NP_SubUnits = 9, /* str_vec. The names of the units one level below. */
  NP_SubUnitType = 10, /* str. The type of the units one level below. */
  NP_Keys = 11, /* int_vec. The numbers of the properties that the object has. */
  NP_Vendor = 12, /* str. The company that makes the device, as the device itself reports it. */
  NP_Architecture = 13, /* str. The architecture as the vendor's compiler names it, such as "znver4" or "sm_90". */
  NP_Version = 14, /* str. The version of the backend or of the device's driver. */
  NP_MajorVersion = 15, /* int. The first number of Version. */
  NP_MinorVersion = 16, /* int. The second number of Version. */
  NP_CoreSubsystem = 17, /* obj_vec. The compute units and their hierarchy. */
  NP_MemorySubsystem = 18, /* obj_vec. The memories and caches; its MemoryTypes lists them. */
  NP_Limits = 19, /* obj_vec. The largest sizes that the device accepts. */
  NP_Features = 20, /* str. The instruction set features, separated by commas; within KernelModel, a list of them. */
  NP_GlobalMemorySize = 21, /* int. The size of the device's main memory. Unit: B. */
  NP_CoreMemorySize = 22, /* int. The size of the local memory that belongs to one core. Unit: B. */
  NP_CoreRegisterSize = 23, /* int. The size of the register file of one core. Unit: B. */
  NP_SIMDSize = 24, /* int. The number of 32-bit lanes that one instruction processes. */
  NP_CoreClockRate = 25, /* int. The highest clock of the cores. Unit: MHz. */
  NP_MemoryClockRate = 26, /* int. The highest clock of the memory. Unit: MHz. */
  NP_MemoryBusWidth = 27, /* int. The width of the bus to memory. Unit: bit. */
  NP_MaxThreadsPerBlock = 28, /* int. The largest number of work items in one group. */
  NP_TimeStamp = 29, /* int. The time on the device's clock when the work completed. Unit: ns. */
  NP_ElapsedTime = 30, /* flt. The duration of the last timed run. Unit: ms. */
  NP_MaxThreadsPerThreadgroup = 31, /* int. The largest number of work items in one group, under Metal's name. */
  NP_MaxThreadgroupsPerCore = 32, /* int. The largest number of groups that one core runs at the same time. */
  NP_MaxThreadgroupMemorySize = 33, /* int. The largest local memory of one group. Unit: B. */
  NP_Location = 34, /* str. Where the device sits, such as a PCI address or a socket. */
  NP_MaxTransferRate = 35, /* int. The highest rate of copies between host and device. Unit: B/s. */
  NP_UnifiedMemory = 36, /* int. 1 if the host and the device share memory, else 0. */
  NP_MaxBufferSize = 37, /* int. The size of the largest buffer that can be created. Unit: B. */
  NP_DataTypes = 38, /* str_vec. The data types that kernels on the device can use. */
  NP_ClockModes = 39, /* str_vec. The clock modes that can be chosen. */
  NP_BaseClock = 40, /* int. The clock that the device sustains. Unit: MHz. */
  NP_PowerModes = 41, /* str_vec. The power modes that can be chosen. */
  NP_MaxPower = 42, /* flt. The highest power that the device draws. Unit: W. */
  NP_CoreUtilization = 43, /* int. The percentage of the cores in use at the time of the query; for a GPU, the percentage of a recent interval during which kernels ran. Unit: %. */
  NP_MemoryUtilization = 44, /* int. The percentage of the memory in use at the time of the query. Unit: %. */
  NP_DataType = 45, /* str. The element type of a buffer or a fill command, or the type of the factors of a peak rate, such as "float32". */
  NP_Status = 46, /* str. The state of the object: "Submitted", "Running", "Complete", "Error" or "Canceled". */
  NP_Arguments = 47, /* int_vec. The IDs of the buffers bound to the command, in order; 0 for a scalar. */
  NP_MemoryTypes = 48, /* obj_vec. Within MemorySubsystem: each memory and cache, in the order Global, L2, L1, Local, L3, L4, Registers, then others by name. The list begins with Global and L2 even if only their names are known. */
  NP_SupportedMemoryTypes = 49, /* str_vec. Within MemorySubsystem: the names of the MemoryTypes that have any known value, in the same order. */
  NP_Capabilities = 50, /* int. The backend's capability bits. */
  NP_BufferOffsetAlignment = 51, /* int. The alignment that the offset of a slice must have for use as a kernel argument. Unit: B. */
  NP_CoreCount = 52, /* int. The number of cores that run work items independently. */
  NP_ThreadCount = 53, /* int. The number of hardware threads. */
  NP_CacheLineSize = 54, /* int. The size of a cache line. Unit: B. */
  NP_MaxArguments = 55, /* int. The largest number of arguments of a kernel. */
  NP_ArgumentNames = 56, /* str_vec. The names of the arguments, in order, if the kernel describes itself. */
  NP_ArgumentTypes = 57, /* str_vec. The data types of the arguments, in order, if the kernel describes itself. */
  NP_ArgumentKinds = 58, /* str_vec. The kind of each argument, in order, if the kernel describes itself: "buffer", "scalar" or "local". */
  NP_GroupSize = 59, /* int_vec. The number of work items in a group, in x, y and z. */
  NP_GridSize = 60, /* int_vec. The requested number of work items, in x, y and z. */
  NP_GroupCount = 61, /* int_vec. The number of launched groups, in x, y and z. */
  NP_Priority = 62, /* int. The stream's priority; lower numbers run first. */
  NP_LastTicket = 63, /* int. The ticket of the newest work submitted. */
  NP_Path = 64, /* str. The file that the library was loaded from. */
  NP_Convention = 65, /* str. How the backend calls the kernel, such as "range" or "plain-c". */
  NP_Compiler = 66, /* str. The compiler of source for the device, determined without starting it; the text in brackets changes whenever the compiler changes. */
  NP_KernelNames = 67, /* str_vec. The names of the kernels, in alphabetical order. */
  NP_LocalMemorySize = 68, /* int. The local memory that the kernel itself declares for each group, without local memory passed as arguments. Unit: B. */
  NP_RequiredGroupSize = 69, /* int_vec. The group size in x, y and z that the kernel was written for; absent if it runs with any. */
  NP_Languages = 70, /* str_vec. The languages in which programs for the device can be written. */
  NP_Aliases = 71, /* str_vec. Other names by which the device file can be looked up. */
  NP_DeviceNames = 72, /* str_vec. The values that devices of this kind report for Name, if they differ from the Name in the file. */
  NP_ReleaseYear = 73, /* int. The year in which the device was first sold. */
  NP_FabricationProcess = 74, /* str. The manufacturing process of the chip, as its maker names it. */
  NP_TransistorCount = 75, /* int. The number of transistors in the device. */
  NP_DieSize = 76, /* flt. The area of the die, or the total area of all dies. Unit: mm2. */
  NP_KernelModel = 77, /* obj. How kernels are compiled for the device: LLVM's target, triple, processor and features, and the programming models. */
  NP_SpecializedHardware = 78, /* obj. Units for matrices, ray tracing and video. */
  NP_PeakRates = 79, /* obj_vec. The peak rates of arithmetic, with an entry for each data type and the units that compute it. */
  NP_Power = 80, /* obj. The power and temperature limits. */
  NP_PCIExpress = 81, /* obj. The device's PCI Express interface. */
  NP_MultiDeviceLinks = 82, /* obj_vec. The links to other devices. */
  NP_Variants = 83, /* obj_vec. The products of the architecture that the device file describes. */
  NP_Sources = 84, /* obj_vec. The documents that the values of the device file were taken from. */
  NP_Extensions = 85, /* obj. Vendor-specific values, in an object for each vendor. */
  NP_Family = 86, /* int. The family number that the maker assigns to its processors, such as the family in CPUID. */
  NP_Model = 87, /* int. The model number within the family; for an Arm processor, its part number. */
  NP_Stepping = 88, /* int. The revision of the model. */
  NP_UUID = 89, /* str. The device's unique identifier, in hexadecimal. */
  NP_DriverVersion = 90, /* str. The version of the driver. */
  NP_ComputeCapability = 91, /* str. NVIDIA's compute capability, such as "9.0". */
  NP_ParentUnits = 92, /* obj_vec. The units that contain the cores, outermost first. */
  NP_Units = 93, /* obj_vec. The units that a core is made of, or the kinds of cores if there are several. */
  NP_TotalCount = 94, /* int. The number of units of this kind in the device. */
  NP_ThreadsPerCore = 95, /* int. The hardware threads of one core. */
  NP_SIMDSizes = 96, /* int_vec. All values of SIMDSize that can be selected. */
  NP_MaxClock = 97, /* flt. The highest clock of the cores. Unit: MHz. */
  NP_SocketCount = 98, /* int. The number of packages that contain the cores. */
  NP_NumaNodeCount = 99, /* int. The number of NUMA nodes that contain the device's memory. */
  NP_NumaNode = 100, /* int. The NUMA node of the host that is nearest to the device. */
  NP_UsableThreadCount = 101, /* int. The number of hardware threads that this process may use at the same time. */
  NP_ProcessorTimeLimit = 102, /* flt. The CPU quota of the process's container: the processor time that it may use per second, in hardware threads. */
  NP_MatrixExtensions = 103, /* str_vec. The instruction set extensions that multiply matrices, such as "amx-int8" or "sme". */
  NP_VectorExtensions = 104, /* str_vec. The instruction set extensions that work on vectors, such as "avx2" or "sve". */
  NP_Kind = 105, /* str. The kind of memory: "cache", "scratchpad", "registers" or "memory". */
  NP_MaxSize = 106, /* int. The largest size of one such memory, if the size can be configured. Unit: B. */
  NP_TotalSize = 107, /* int. The total size of all memories of that name in the device. Unit: B. */
  NP_SharedBy = 108, /* str. The unit that contains one such memory. */
  NP_ThreadsSharing = 109, /* int. The number of hardware threads that share one such memory. */
  NP_LineSize = 110, /* int. The size of a cache line. Unit: B. */
  NP_Ways = 111, /* int. The associativity of a cache. */
  NP_Banks = 112, /* int. The number of banks. */
  NP_Latency = 113, /* int. The minimum latency of a load, in cycles of the core's clock. Unit: cycle. */
  NP_BytesPerClock = 114, /* int. The bytes that one core (for "Global", the whole device) can load per cycle. Unit: B/cycle. */
  NP_Technology = 115, /* str. The kind of memory chips, such as "HBM3" or "DDR5". */
  NP_Channels = 116, /* int. The number of memory channels. */
  NP_BusWidth = 117, /* int. The width of the bus. Unit: bit. */
  NP_ClockRate = 118, /* flt. The clock of the memory. Unit: MHz. */
  NP_TransferRate = 119, /* flt. The transfer rate of one line of the bus, in millions of transfers per second. Unit: MT/s. */
  NP_Bandwidth = 120, /* int. The highest rate of reads and writes together; for a link or PCI Express, of both directions together. Unit: B/s. */
  NP_ECC = 121, /* int. 1 if memory errors are corrected, else 0. */
  NP_MemoryBandwidth = 122, /* int. The highest bandwidth of the main memory. Unit: B/s. */
  NP_PageSize = 123, /* int. The size of a page of memory. Unit: B. */
  NP_MemoryLimit = 124, /* int. The memory that the process's container may use. Unit: B. */
  NP_MaxGroupSize = 125, /* int_vec. The largest number of work items in a group, in x, y and z. */
  NP_MaxGridSize = 126, /* int_vec. The largest number of groups in a launch, in x, y and z. */
  NP_MaxThreadsPerCore = 127, /* int. The largest number of work items on one core at the same time. */
  NP_MaxSubgroupsPerCore = 128, /* int. The largest number of warps or waves on one core at the same time. */
  NP_MaxRegistersPerThread = 129, /* int. The largest number of 32-bit registers for a work item. */
  NP_MaxRegistersPerBlock = 130, /* int. The largest number of 32-bit registers for a group. */
  NP_MaxArgumentSize = 131, /* int. The largest total size of a kernel's arguments. Unit: B. */
  NP_MaxConstantMemorySize = 132, /* int. The largest constant memory. Unit: B. */
  NP_MaxPrivateMemorySize = 133, /* int. The largest amount of memory outside registers for a work item. Unit: B. */
  NP_MaxClusterSize = 134, /* int. The largest number of groups that can share their local memories. */
  NP_LLVMTarget = 135, /* str. The architecture, as LLVM names it. */
  NP_Triple = 136, /* str. LLVM's target triple. */
  NP_Processor = 137, /* str. The processor name that compilers accept for -mcpu or -march. */
  NP_Models = 138, /* obj_vec. The programming models that support the device, with versions. */
  NP_Matrix = 139, /* obj. Units that multiply matrices. */
  NP_RayTracing = 140, /* obj. Units for ray tracing. */
  NP_VideoEncode = 141, /* obj. Units that encode video. */
  NP_VideoDecode = 142, /* obj. Units that decode video. */
  NP_NeuralEngine = 143, /* obj. A unit for neural networks beside the cores. */
  NP_Generation = 144, /* int. The generation of a unit or link, as its maker numbers it. */
  NP_PerCore = 145, /* int. The number of such units in one core. */
  NP_Codecs = 146, /* str_vec. The supported video formats. */
  NP_Rate = 147, /* flt. Operations per second; a multiply-add counts as two. Unit: 1/s. */
  NP_OperationsPerClock = 148, /* flt. Operations of one core per cycle; a multiply-add counts as two. Unit: 1/cycle. */
  NP_Clock = 149, /* flt. The clock frequency for which the rate is given. Unit: MHz. */
  NP_Unit = 150, /* str. The kind of unit: "vector", "matrix" or "sparse matrix". */
  NP_MinPower = 151, /* flt. The lowest power limit that can be set. Unit: W. */
  NP_MaxTemperature = 152, /* flt. The highest operating temperature. Unit: Cel. */
  NP_Lanes = 153, /* int. The number of PCI Express lanes. */
  NP_PCIAddress = 154, /* str. The device's address on the PCI bus, such as "0000:65:00.0". */
  NP_PCIVendorID = 155, /* int. The PCI vendor ID. */
  NP_PCIDeviceID = 156, /* int. The PCI device ID. */
  NP_PreferredGroupMultiple = 157, /* int. Group sizes should be a multiple of this number of work items. */
  NP_CopyEngineCount = 158, /* int. The number of copies between host and device that can run at the same time as kernels. */
  NP_ConcurrentKernels = 159, /* int. 1 if kernels of several streams run at the same time, else 0. */
  NP_CooperativeLaunch = 160, /* int. 1 if all groups of a launch can wait for each other, else 0. */
  NP_TimeStampResolution = 161, /* flt. The resolution of the clock of TimeStamp. Unit: ns. */
  NP_BufferAlignment = 162, /* int. The alignment of the memory of new buffers. Unit: B. */
  NP_GlobalMemoryFree = 163, /* int. The free main memory at the time of the query. Unit: B. */
  NP_GlobalMemoryUsed = 164, /* int. The main memory in use at the time of the query. Unit: B. */
  NP_CurrentClock = 165, /* int. The clock of the cores at the time of the query; for a CPU, the highest of them. Unit: MHz. */
  NP_CurrentMemoryClock = 166, /* int. The clock of the memory at the time of the query. Unit: MHz. */
  NP_Temperature = 167, /* flt. The temperature at the time of the query; the highest if there are several sensors. Unit: Cel. */
  NP_PowerDraw = 168, /* flt. The power that the device draws at the time of the query. Unit: W. */
  NP_PowerLimit = 169, /* flt. The power limit that is set. Unit: W. */
  NP_FanSpeed = 170, /* int. The fan speed at the time of the query, as a percentage of its highest speed. Unit: %. */
  NP_Offset = 171, /* int. The offset of a slice in the buffer that it was taken from, or of another library's memory in the object that its handle names. Unit: B. */
  NP_Step = 172, /* int. The amount that a signal or wait command adds to its value with each run. */
  NP_RunCount = 173, /* int. The number of times that the schedule was submitted. */
  NP_RegistersPerThread = 174, /* int. The number of 32-bit registers that each work item of the kernel uses. */
  NP_PrivateMemorySize = 175, /* int. The memory outside registers that each work item uses. Unit: B. */
  NP_Format = 176, /* str. The format of the code that the library was loaded from, such as "elf" or "cubin". */
  NP_Target = 177, /* str. The processor that the code was compiled for, if the code states it. */
  NP_DefaultThreadgroupMemorySize = 178, /* int. The local memory that a group can have unless its launch requests more. Unit: B. */
  NP_ReservedThreadgroupMemorySize = 179, /* int. The local memory of a core that is reserved for each group, in addition to the group's own. Unit: B. */
  NP_ClusterLaunch = 180, /* int. 1 if groups of a launch can form clusters that share their local memories, else 0. */
  NP_MemoryPools = 181, /* int. 1 if memory can be allocated and freed in stream order, else 0. */
  NP_ManagedMemory = 182, /* int. 1 if there is memory that moves between host and device as they use it, else 0. */
  NP_ConcurrentManagedAccess = 183, /* int. 1 if host and device can use managed memory at the same time, else 0. */
  NP_PageableMemoryAccess = 184, /* int. 1 if kernels can access all host memory directly, else 0. */
  NP_UnifiedAddressing = 185, /* int. 1 if an address means the same memory on the host and on the device, else 0. */
  NP_KernelTimeLimit = 186, /* int. 1 if the system stops kernels that run too long, else 0. */
  NP_ComputeMode = 187, /* str. The processes that may use the device: "Default" for all, "ExclusiveProcess" for one at a time, "Prohibited" for none. */
  NP_MIGMode = 188, /* int. 1 if the device is an instance of a partitioned GPU (NVIDIA's MIG), else 0. */
  NP_CurrentLinkGeneration = 189, /* int. The PCI Express generation at which the link runs at the time of the query. */
  NP_CurrentLinkWidth = 190, /* int. The number of PCI Express lanes that the link uses at the time of the query. */
  NP_CorrectedMemoryErrors = 191, /* int. The number of memory errors corrected since the driver was loaded. */
  NP_UncorrectedMemoryErrors = 192, /* int. The number of memory errors that could not be corrected since the driver was loaded. */
  NP_MemoryBusUtilization = 193, /* int. The percentage of a recent interval during which the memory was read or written. Unit: %. */
  NP_NativeHandle = 194, /* int. The driver's own handle of the object: an address, a number or a pointer. The object keeps ownership. */
  NP_DLPackDevice = 195, /* int_vec. DLPack's type and number for the device, or for the location of the buffer's memory. The data pointer of a DLPack array there is the buffer's NativeHandle. */
  NP_MemoryUsed = 196, /* int. The total size of this process's live buffers on the device. Unit: B. */
  NP_MemoryPeak = 197, /* int. The highest value of MemoryUsed since the process began or the peak was reset. Unit: B. */
  NP_MemoryReserved = 198, /* int. The memory that the backend has obtained from the driver for buffers, including memory that it keeps for new ones. Unit: B. */
  NP_ProgrammaticLaunch = 199, /* int. 1 if a kernel can begin before the previous kernel has ended, and wait for it itself, else 0. */
  NP_RequiredClusterSize = 200, /* int_vec. The number of groups in a cluster, in x, y and z, that the kernel was written for; absent if it runs with any. */
  NP_ConstantMemorySize = 201, /* int. The constant memory that the kernel itself declares. Unit: B. */
  NP_ReleaseThreshold = 202, /* int. The memory that the backend may hold for buffers before it returns unused memory to the driver; absent by default, when the backend keeps all memory. Unit: B. */
  NP_Replay = 203, /* str. Who replays the command: "native" (the backend) or "host" (Nexus, between two parts that the backend replays). A command that runs another schedule is "native" if all of that schedule is. */
  NP_Predecessors = 204, /* int_vec. The indices of the schedule's commands that the command follows, from 0 on. */
  NP_ScratchSize = 205, /* int. The device memory that the schedule's scratch buffers share, without nested schedules. The first run, or prepare, allocates it. Unit: B. */
  NXS_PROPERTY_CNT = 206,
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
  X(Aliases, 71, str_vec) \
  X(DeviceNames, 72, str_vec) \
  X(ReleaseYear, 73, int) \
  X(FabricationProcess, 74, str) \
  X(TransistorCount, 75, int) \
  X(DieSize, 76, flt) \
  X(KernelModel, 77, obj) \
  X(SpecializedHardware, 78, obj) \
  X(PeakRates, 79, obj_vec) \
  X(Power, 80, obj) \
  X(PCIExpress, 81, obj) \
  X(MultiDeviceLinks, 82, obj_vec) \
  X(Variants, 83, obj_vec) \
  X(Sources, 84, obj_vec) \
  X(Extensions, 85, obj) \
  X(Family, 86, int) \
  X(Model, 87, int) \
  X(Stepping, 88, int) \
  X(UUID, 89, str) \
  X(DriverVersion, 90, str) \
  X(ComputeCapability, 91, str) \
  X(ParentUnits, 92, obj_vec) \
  X(Units, 93, obj_vec) \
  X(TotalCount, 94, int) \
  X(ThreadsPerCore, 95, int) \
  X(SIMDSizes, 96, int_vec) \
  X(MaxClock, 97, flt) \
  X(SocketCount, 98, int) \
  X(NumaNodeCount, 99, int) \
  X(NumaNode, 100, int) \
  X(UsableThreadCount, 101, int) \
  X(ProcessorTimeLimit, 102, flt) \
  X(MatrixExtensions, 103, str_vec) \
  X(VectorExtensions, 104, str_vec) \
  X(Kind, 105, str) \
  X(MaxSize, 106, int) \
  X(TotalSize, 107, int) \
  X(SharedBy, 108, str) \
  X(ThreadsSharing, 109, int) \
  X(LineSize, 110, int) \
  X(Ways, 111, int) \
  X(Banks, 112, int) \
  X(Latency, 113, int) \
  X(BytesPerClock, 114, int) \
  X(Technology, 115, str) \
  X(Channels, 116, int) \
  X(BusWidth, 117, int) \
  X(ClockRate, 118, flt) \
  X(TransferRate, 119, flt) \
  X(Bandwidth, 120, int) \
  X(ECC, 121, int) \
  X(MemoryBandwidth, 122, int) \
  X(PageSize, 123, int) \
  X(MemoryLimit, 124, int) \
  X(MaxGroupSize, 125, int_vec) \
  X(MaxGridSize, 126, int_vec) \
  X(MaxThreadsPerCore, 127, int) \
  X(MaxSubgroupsPerCore, 128, int) \
  X(MaxRegistersPerThread, 129, int) \
  X(MaxRegistersPerBlock, 130, int) \
  X(MaxArgumentSize, 131, int) \
  X(MaxConstantMemorySize, 132, int) \
  X(MaxPrivateMemorySize, 133, int) \
  X(MaxClusterSize, 134, int) \
  X(LLVMTarget, 135, str) \
  X(Triple, 136, str) \
  X(Processor, 137, str) \
  X(Models, 138, obj_vec) \
  X(Matrix, 139, obj) \
  X(RayTracing, 140, obj) \
  X(VideoEncode, 141, obj) \
  X(VideoDecode, 142, obj) \
  X(NeuralEngine, 143, obj) \
  X(Generation, 144, int) \
  X(PerCore, 145, int) \
  X(Codecs, 146, str_vec) \
  X(Rate, 147, flt) \
  X(OperationsPerClock, 148, flt) \
  X(Clock, 149, flt) \
  X(Unit, 150, str) \
  X(MinPower, 151, flt) \
  X(MaxTemperature, 152, flt) \
  X(Lanes, 153, int) \
  X(PCIAddress, 154, str) \
  X(PCIVendorID, 155, int) \
  X(PCIDeviceID, 156, int) \
  X(PreferredGroupMultiple, 157, int) \
  X(CopyEngineCount, 158, int) \
  X(ConcurrentKernels, 159, int) \
  X(CooperativeLaunch, 160, int) \
  X(TimeStampResolution, 161, flt) \
  X(BufferAlignment, 162, int) \
  X(GlobalMemoryFree, 163, int) \
  X(GlobalMemoryUsed, 164, int) \
  X(CurrentClock, 165, int) \
  X(CurrentMemoryClock, 166, int) \
  X(Temperature, 167, flt) \
  X(PowerDraw, 168, flt) \
  X(PowerLimit, 169, flt) \
  X(FanSpeed, 170, int) \
  X(Offset, 171, int) \
  X(Step, 172, int) \
  X(RunCount, 173, int) \
  X(RegistersPerThread, 174, int) \
  X(PrivateMemorySize, 175, int) \
  X(Format, 176, str) \
  X(Target, 177, str) \
  X(DefaultThreadgroupMemorySize, 178, int) \
  X(ReservedThreadgroupMemorySize, 179, int) \
  X(ClusterLaunch, 180, int) \
  X(MemoryPools, 181, int) \
  X(ManagedMemory, 182, int) \
  X(ConcurrentManagedAccess, 183, int) \
  X(PageableMemoryAccess, 184, int) \
  X(UnifiedAddressing, 185, int) \
  X(KernelTimeLimit, 186, int) \
  X(ComputeMode, 187, str) \
  X(MIGMode, 188, int) \
  X(CurrentLinkGeneration, 189, int) \
  X(CurrentLinkWidth, 190, int) \
  X(CorrectedMemoryErrors, 191, int) \
  X(UncorrectedMemoryErrors, 192, int) \
  X(MemoryBusUtilization, 193, int) \
  X(NativeHandle, 194, int) \
  X(DLPackDevice, 195, int_vec) \
  X(MemoryUsed, 196, int) \
  X(MemoryPeak, 197, int) \
  X(MemoryReserved, 198, int) \
  X(ProgrammaticLaunch, 199, int) \
  X(RequiredClusterSize, 200, int_vec) \
  X(ConstantMemorySize, 201, int) \
  X(ReleaseThreshold, 202, int) \
  X(Replay, 203, str) \
  X(Predecessors, 204, int_vec) \
  X(ScratchSize, 205, int) \
  /* end */

#endif /* NEXUS_API_NXS_PROPERTYS_H_ */
