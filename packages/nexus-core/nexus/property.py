# SPDX-License-Identifier: Apache-2.0
# Generated from schema/properties.json by `nox -s gen`. Do not edit.
"""The keys of the properties that objects answer."""

from nexus._property_key import PropertyKey as _PropertyKey


class Property(_PropertyKey):
    """The keys of the properties that objects answer."""

    Name = 0
    """The object's name."""
    Type = 1
    """The kind of object within its class, such as 'cpu' or 'gpu' for a device."""
    Value = 2
    """The 64-bit value of an event, or the value that a command signals or waits for."""
    ID = 3
    """The object's number, unique while the object lives."""
    Description = 4
    """A one-sentence description of the object, for people."""
    Count = 5
    """The number of units."""
    Size = 6
    """For a runtime, the number of devices; for a schedule, the number of commands; for a buffer, memory or cache, the size in bytes."""
    Rank = 7
    """The number of dimensions."""
    Shape = 8
    """The length of each dimension, outermost first."""
    SubUnits = 9
    """The names of the units one level below."""
    SubUnitType = 10
    """The type of the units one level below."""
    Keys = 11
    """The numbers of the properties that the object has."""
    Vendor = 12
    """The company that makes the device, as the device itself reports it."""
    Architecture = 13
    """The architecture as the vendor's compiler names it, such as 'znver4' or 'sm_90'."""
    Version = 14
    """The version of the backend or of the device's driver."""
    MajorVersion = 15
    """The first number of Version."""
    MinorVersion = 16
    """The second number of Version."""
    CoreSubsystem = 17
    """The compute units and their hierarchy."""
    MemorySubsystem = 18
    """The memories and caches; its MemoryTypes lists them."""
    Limits = 19
    """The largest sizes that the device accepts."""
    Features = 20
    """The instruction set features, separated by commas; within KernelModel, a list of them."""
    GlobalMemorySize = 21
    """The size of the device's main memory."""
    CoreMemorySize = 22
    """The size of the local memory that belongs to one core."""
    CoreRegisterSize = 23
    """The size of the register file of one core."""
    SIMDSize = 24
    """The number of 32-bit lanes that one instruction processes."""
    CoreClockRate = 25
    """The highest clock of the cores."""
    MemoryClockRate = 26
    """The highest clock of the memory."""
    MemoryBusWidth = 27
    """The width of the bus to memory."""
    MaxThreadsPerBlock = 28
    """The largest number of work items in one group."""
    TimeStamp = 29
    """The time on the device's clock when the work completed."""
    ElapsedTime = 30
    """The duration of the last timed run."""
    MaxThreadsPerThreadgroup = 31
    """The largest number of work items in one group, under Metal's name."""
    MaxThreadgroupsPerCore = 32
    """The largest number of groups that one core runs at the same time."""
    MaxThreadgroupMemorySize = 33
    """The largest local memory of one group."""
    Location = 34
    """Where the device sits, such as a PCI address or a socket."""
    MaxTransferRate = 35
    """The highest rate of copies between host and device."""
    UnifiedMemory = 36
    """1 if the host and the device share memory, else 0."""
    MaxBufferSize = 37
    """The size of the largest buffer that can be created."""
    DataTypes = 38
    """The data types that kernels on the device can use."""
    ClockModes = 39
    """The clock modes that can be chosen."""
    BaseClock = 40
    """The clock that the device sustains."""
    PowerModes = 41
    """The power modes that can be chosen."""
    MaxPower = 42
    """The highest power that the device draws."""
    CoreUtilization = 43
    """The percentage of the cores in use at the time of the query; for a GPU, the percentage of a recent interval during which kernels ran."""
    MemoryUtilization = 44
    """The percentage of the memory in use at the time of the query."""
    DataType = 45
    """The element type of a buffer or a fill command, or the type of the factors of a peak rate, such as 'float32'."""
    Status = 46
    """The state of the object: 'Submitted', 'Running', 'Complete', 'Error' or 'Canceled'."""
    Arguments = 47
    """The IDs of the buffers bound to the command, in order; 0 for a scalar."""
    MemoryTypes = 48
    """Within MemorySubsystem: each memory and cache, in the order Global, L2, L1, Local, L3, L4, Registers, then others by name. The list begins with Global and L2 even if only their names are known."""
    SupportedMemoryTypes = 49
    """Within MemorySubsystem: the names of the MemoryTypes that have any known value, in the same order."""
    Capabilities = 50
    """The backend's capability bits."""
    BufferOffsetAlignment = 51
    """The alignment that the offset of a slice must have for use as a kernel argument."""
    CoreCount = 52
    """The number of cores that run work items independently."""
    ThreadCount = 53
    """The number of hardware threads."""
    CacheLineSize = 54
    """The size of a cache line."""
    MaxArguments = 55
    """The largest number of arguments of a kernel."""
    ArgumentNames = 56
    """The names of the arguments, in order, if the kernel describes itself."""
    ArgumentTypes = 57
    """The data types of the arguments, in order, if the kernel describes itself."""
    ArgumentKinds = 58
    """The kind of each argument, in order, if the kernel describes itself: 'buffer', 'scalar' or 'local'."""
    GroupSize = 59
    """The number of work items in a group, in x, y and z."""
    GridSize = 60
    """The requested number of work items, in x, y and z."""
    GroupCount = 61
    """The number of launched groups, in x, y and z."""
    Priority = 62
    """The stream's priority; lower numbers run first."""
    LastTicket = 63
    """The ticket of the newest work submitted."""
    Path = 64
    """The file that the library was loaded from."""
    Convention = 65
    """How the backend calls the kernel, such as 'range' or 'plain-c'."""
    Compiler = 66
    """The compiler of source for the device, determined without starting it; the text in brackets changes whenever the compiler changes."""
    KernelNames = 67
    """The names of the kernels, in alphabetical order."""
    LocalMemorySize = 68
    """The local memory that the kernel itself declares for each group, without local memory passed as arguments."""
    RequiredGroupSize = 69
    """The group size in x, y and z that the kernel was written for; absent if it runs with any."""
    Languages = 70
    """The languages in which programs for the device can be written."""
    Aliases = 71
    """Other names by which the device file can be looked up."""
    DeviceNames = 72
    """The values that devices of this kind report for Name, if they differ from the Name in the file."""
    ReleaseYear = 73
    """The year in which the device was first sold."""
    FabricationProcess = 74
    """The manufacturing process of the chip, as its maker names it."""
    TransistorCount = 75
    """The number of transistors in the device."""
    DieSize = 76
    """The area of the die, or the total area of all dies."""
    KernelModel = 77
    """How kernels are compiled for the device: LLVM's target, triple, processor and features, and the programming models."""
    SpecializedHardware = 78
    """Units for matrices, ray tracing and video."""
    PeakRates = 79
    """The peak rates of arithmetic, with an entry for each data type and the units that compute it."""
    Power = 80
    """The power and temperature limits."""
    PCIExpress = 81
    """The device's PCI Express interface."""
    MultiDeviceLinks = 82
    """The links to other devices."""
    Variants = 83
    """The products of the architecture that the device file describes."""
    Sources = 84
    """The documents that the values of the device file were taken from."""
    Extensions = 85
    """Vendor-specific values, in an object for each vendor."""
    Family = 86
    """The family number that the maker assigns to its processors, such as the family in CPUID."""
    Model = 87
    """The model number within the family; for an Arm processor, its part number."""
    Stepping = 88
    """The revision of the model."""
    UUID = 89
    """The device's unique identifier, in hexadecimal."""
    DriverVersion = 90
    """The version of the driver."""
    ComputeCapability = 91
    """NVIDIA's compute capability, such as '9.0'."""
    ParentUnits = 92
    """The units that contain the cores, outermost first."""
    Units = 93
    """The units that a core is made of, or the kinds of cores if there are several."""
    TotalCount = 94
    """The number of units of this kind in the device."""
    ThreadsPerCore = 95
    """The hardware threads of one core."""
    SIMDSizes = 96
    """All values of SIMDSize that can be selected."""
    MaxClock = 97
    """The highest clock of the cores."""
    SocketCount = 98
    """The number of packages that contain the cores."""
    NumaNodeCount = 99
    """The number of NUMA nodes that contain the device's memory."""
    NumaNode = 100
    """The NUMA node of the host that is nearest to the device."""
    UsableThreadCount = 101
    """The number of hardware threads that this process may use at the same time."""
    ProcessorTimeLimit = 102
    """The CPU quota of the process's container: the processor time that it may use per second, in hardware threads."""
    MatrixExtensions = 103
    """The instruction set extensions that multiply matrices, such as 'amx-int8' or 'sme'."""
    VectorExtensions = 104
    """The instruction set extensions that work on vectors, such as 'avx2' or 'sve'."""
    Kind = 105
    """The kind of memory: 'cache', 'scratchpad', 'registers' or 'memory'."""
    MaxSize = 106
    """The largest size of one such memory, if the size can be configured."""
    TotalSize = 107
    """The total size of all memories of that name in the device."""
    SharedBy = 108
    """The unit that contains one such memory."""
    ThreadsSharing = 109
    """The number of hardware threads that share one such memory."""
    LineSize = 110
    """The size of a cache line."""
    Ways = 111
    """The associativity of a cache."""
    Banks = 112
    """The number of banks."""
    Latency = 113
    """The minimum latency of a load, in cycles of the core's clock."""
    BytesPerClock = 114
    """The bytes that one core (for 'Global', the whole device) can load per cycle."""
    Technology = 115
    """The kind of memory chips, such as 'HBM3' or 'DDR5'."""
    Channels = 116
    """The number of memory channels."""
    BusWidth = 117
    """The width of the bus."""
    ClockRate = 118
    """The clock of the memory."""
    TransferRate = 119
    """The transfer rate of one line of the bus, in millions of transfers per second."""
    Bandwidth = 120
    """The highest rate of reads and writes together; for a link or PCI Express, of both directions together."""
    ECC = 121
    """1 if memory errors are corrected, else 0."""
    MemoryBandwidth = 122
    """The highest bandwidth of the main memory."""
    PageSize = 123
    """The size of a page of memory."""
    MemoryLimit = 124
    """The memory that the process's container may use."""
    MaxGroupSize = 125
    """The largest number of work items in a group, in x, y and z."""
    MaxGridSize = 126
    """The largest number of groups in a launch, in x, y and z."""
    MaxThreadsPerCore = 127
    """The largest number of work items on one core at the same time."""
    MaxSubgroupsPerCore = 128
    """The largest number of warps or waves on one core at the same time."""
    MaxRegistersPerThread = 129
    """The largest number of 32-bit registers for a work item."""
    MaxRegistersPerBlock = 130
    """The largest number of 32-bit registers for a group."""
    MaxArgumentSize = 131
    """The largest total size of a kernel's arguments."""
    MaxConstantMemorySize = 132
    """The largest constant memory."""
    MaxPrivateMemorySize = 133
    """The largest amount of memory outside registers for a work item."""
    MaxClusterSize = 134
    """The largest number of groups that can share their local memories."""
    LLVMTarget = 135
    """The architecture, as LLVM names it."""
    Triple = 136
    """LLVM's target triple."""
    Processor = 137
    """The processor name that compilers accept for -mcpu or -march."""
    Models = 138
    """The programming models that support the device, with versions."""
    Matrix = 139
    """Units that multiply matrices."""
    RayTracing = 140
    """Units for ray tracing."""
    VideoEncode = 141
    """Units that encode video."""
    VideoDecode = 142
    """Units that decode video."""
    NeuralEngine = 143
    """A unit for neural networks beside the cores."""
    Generation = 144
    """The generation of a unit or link, as its maker numbers it."""
    PerCore = 145
    """The number of such units in one core."""
    Codecs = 146
    """The supported video formats."""
    Rate = 147
    """Operations per second; a multiply-add counts as two."""
    OperationsPerClock = 148
    """Operations of one core per cycle; a multiply-add counts as two."""
    Clock = 149
    """The clock frequency for which the rate is given."""
    Unit = 150
    """The kind of unit: 'vector', 'matrix' or 'sparse matrix'."""
    MinPower = 151
    """The lowest power limit that can be set."""
    MaxTemperature = 152
    """The highest operating temperature."""
    Lanes = 153
    """The number of PCI Express lanes."""
    PCIAddress = 154
    """The device's address on the PCI bus, such as '0000:65:00.0'."""
    PCIVendorID = 155
    """The PCI vendor ID."""
    PCIDeviceID = 156
    """The PCI device ID."""
    PreferredGroupMultiple = 157
    """Group sizes should be a multiple of this number of work items."""
    CopyEngineCount = 158
    """The number of copies between host and device that can run at the same time as kernels."""
    ConcurrentKernels = 159
    """1 if kernels of several streams run at the same time, else 0."""
    CooperativeLaunch = 160
    """1 if all groups of a launch can wait for each other, else 0."""
    TimeStampResolution = 161
    """The resolution of the clock of TimeStamp."""
    BufferAlignment = 162
    """The alignment of the memory of new buffers."""
    GlobalMemoryFree = 163
    """The free main memory at the time of the query."""
    GlobalMemoryUsed = 164
    """The main memory in use at the time of the query."""
    CurrentClock = 165
    """The clock of the cores at the time of the query; for a CPU, the highest of them."""
    CurrentMemoryClock = 166
    """The clock of the memory at the time of the query."""
    Temperature = 167
    """The temperature at the time of the query; the highest if there are several sensors."""
    PowerDraw = 168
    """The power that the device draws at the time of the query."""
    PowerLimit = 169
    """The power limit that is set."""
    FanSpeed = 170
    """The fan speed at the time of the query, as a percentage of its highest speed."""
    Offset = 171
    """The offset of a slice in the buffer that it was taken from, or of another library's memory in the object that its handle names."""
    Step = 172
    """The amount that a signal or wait command adds to its value with each run."""
    RunCount = 173
    """The number of times that the schedule was submitted."""
    RegistersPerThread = 174
    """The number of 32-bit registers that each work item of the kernel uses."""
    PrivateMemorySize = 175
    """The memory outside registers that each work item uses."""
    Format = 176
    """The format of the code that the library was loaded from, such as 'elf' or 'cubin'."""
    Target = 177
    """The processor that the code was compiled for, if the code states it."""
    DefaultThreadgroupMemorySize = 178
    """The local memory that a group can have unless its launch requests more."""
    ReservedThreadgroupMemorySize = 179
    """The local memory of a core that is reserved for each group, in addition to the group's own."""
    ClusterLaunch = 180
    """1 if groups of a launch can form clusters that share their local memories, else 0."""
    MemoryPools = 181
    """1 if memory can be allocated and freed in stream order, else 0."""
    ManagedMemory = 182
    """1 if there is memory that moves between host and device as they use it, else 0."""
    ConcurrentManagedAccess = 183
    """1 if host and device can use managed memory at the same time, else 0."""
    PageableMemoryAccess = 184
    """1 if kernels can access all host memory directly, else 0."""
    UnifiedAddressing = 185
    """1 if an address means the same memory on the host and on the device, else 0."""
    KernelTimeLimit = 186
    """1 if the system stops kernels that run too long, else 0."""
    ComputeMode = 187
    """The processes that may use the device: 'Default' for all, 'ExclusiveProcess' for one at a time, 'Prohibited' for none."""
    MIGMode = 188
    """1 if the device is an instance of a partitioned GPU (NVIDIA's MIG), else 0."""
    CurrentLinkGeneration = 189
    """The PCI Express generation at which the link runs at the time of the query."""
    CurrentLinkWidth = 190
    """The number of PCI Express lanes that the link uses at the time of the query."""
    CorrectedMemoryErrors = 191
    """The number of memory errors corrected since the driver was loaded."""
    UncorrectedMemoryErrors = 192
    """The number of memory errors that could not be corrected since the driver was loaded."""
    MemoryBusUtilization = 193
    """The percentage of a recent interval during which the memory was read or written."""
    NativeHandle = 194
    """The driver's own handle of the object: an address, a number or a pointer. The object keeps ownership."""
    DLPackDevice = 195
    """DLPack's type and number for the device, or for the location of the buffer's memory. The data pointer of a DLPack array there is the buffer's NativeHandle."""
    MemoryUsed = 196
    """The total size of this process's live buffers on the device."""
    MemoryPeak = 197
    """The highest value of MemoryUsed since the process began or the peak was reset."""
    MemoryReserved = 198
    """The memory that the backend has obtained from the driver for buffers, including memory that it keeps for new ones."""
    ProgrammaticLaunch = 199
    """1 if a kernel can begin before the previous kernel has ended, and wait for it itself, else 0."""
    RequiredClusterSize = 200
    """The number of groups in a cluster, in x, y and z, that the kernel was written for; absent if it runs with any."""
    ConstantMemorySize = 201
    """The constant memory that the kernel itself declares."""
    ReleaseThreshold = 202
    """The memory that the backend may hold for buffers before it returns unused memory to the driver; absent by default, when the backend keeps all memory."""
    Replay = 203
    """Who replays the command: 'native' (the backend) or 'host' (Nexus, between two parts that the backend replays). A command that runs another schedule is 'native' if all of that schedule is."""
    Predecessors = 204
    """The indices of the schedule's commands that the command follows, from 0 on."""
    ScratchSize = 205
    """The device memory that the schedule's scratch buffers share, without nested schedules. The first run, or prepare, allocates it."""


Name = Property.Name
Type = Property.Type
Value = Property.Value
ID = Property.ID
Description = Property.Description
Count = Property.Count
Size = Property.Size
Rank = Property.Rank
Shape = Property.Shape
SubUnits = Property.SubUnits
SubUnitType = Property.SubUnitType
Keys = Property.Keys
Vendor = Property.Vendor
Architecture = Property.Architecture
Version = Property.Version
MajorVersion = Property.MajorVersion
MinorVersion = Property.MinorVersion
CoreSubsystem = Property.CoreSubsystem
MemorySubsystem = Property.MemorySubsystem
Limits = Property.Limits
Features = Property.Features
GlobalMemorySize = Property.GlobalMemorySize
CoreMemorySize = Property.CoreMemorySize
CoreRegisterSize = Property.CoreRegisterSize
SIMDSize = Property.SIMDSize
CoreClockRate = Property.CoreClockRate
MemoryClockRate = Property.MemoryClockRate
MemoryBusWidth = Property.MemoryBusWidth
MaxThreadsPerBlock = Property.MaxThreadsPerBlock
TimeStamp = Property.TimeStamp
ElapsedTime = Property.ElapsedTime
MaxThreadsPerThreadgroup = Property.MaxThreadsPerThreadgroup
MaxThreadgroupsPerCore = Property.MaxThreadgroupsPerCore
MaxThreadgroupMemorySize = Property.MaxThreadgroupMemorySize
Location = Property.Location
MaxTransferRate = Property.MaxTransferRate
UnifiedMemory = Property.UnifiedMemory
MaxBufferSize = Property.MaxBufferSize
DataTypes = Property.DataTypes
ClockModes = Property.ClockModes
BaseClock = Property.BaseClock
PowerModes = Property.PowerModes
MaxPower = Property.MaxPower
CoreUtilization = Property.CoreUtilization
MemoryUtilization = Property.MemoryUtilization
DataType = Property.DataType
Status = Property.Status
Arguments = Property.Arguments
MemoryTypes = Property.MemoryTypes
SupportedMemoryTypes = Property.SupportedMemoryTypes
Capabilities = Property.Capabilities
BufferOffsetAlignment = Property.BufferOffsetAlignment
CoreCount = Property.CoreCount
ThreadCount = Property.ThreadCount
CacheLineSize = Property.CacheLineSize
MaxArguments = Property.MaxArguments
ArgumentNames = Property.ArgumentNames
ArgumentTypes = Property.ArgumentTypes
ArgumentKinds = Property.ArgumentKinds
GroupSize = Property.GroupSize
GridSize = Property.GridSize
GroupCount = Property.GroupCount
Priority = Property.Priority
LastTicket = Property.LastTicket
Path = Property.Path
Convention = Property.Convention
Compiler = Property.Compiler
KernelNames = Property.KernelNames
LocalMemorySize = Property.LocalMemorySize
RequiredGroupSize = Property.RequiredGroupSize
Languages = Property.Languages
Aliases = Property.Aliases
DeviceNames = Property.DeviceNames
ReleaseYear = Property.ReleaseYear
FabricationProcess = Property.FabricationProcess
TransistorCount = Property.TransistorCount
DieSize = Property.DieSize
KernelModel = Property.KernelModel
SpecializedHardware = Property.SpecializedHardware
PeakRates = Property.PeakRates
Power = Property.Power
PCIExpress = Property.PCIExpress
MultiDeviceLinks = Property.MultiDeviceLinks
Variants = Property.Variants
Sources = Property.Sources
Extensions = Property.Extensions
Family = Property.Family
Model = Property.Model
Stepping = Property.Stepping
UUID = Property.UUID
DriverVersion = Property.DriverVersion
ComputeCapability = Property.ComputeCapability
ParentUnits = Property.ParentUnits
Units = Property.Units
TotalCount = Property.TotalCount
ThreadsPerCore = Property.ThreadsPerCore
SIMDSizes = Property.SIMDSizes
MaxClock = Property.MaxClock
SocketCount = Property.SocketCount
NumaNodeCount = Property.NumaNodeCount
NumaNode = Property.NumaNode
UsableThreadCount = Property.UsableThreadCount
ProcessorTimeLimit = Property.ProcessorTimeLimit
MatrixExtensions = Property.MatrixExtensions
VectorExtensions = Property.VectorExtensions
Kind = Property.Kind
MaxSize = Property.MaxSize
TotalSize = Property.TotalSize
SharedBy = Property.SharedBy
ThreadsSharing = Property.ThreadsSharing
LineSize = Property.LineSize
Ways = Property.Ways
Banks = Property.Banks
Latency = Property.Latency
BytesPerClock = Property.BytesPerClock
Technology = Property.Technology
Channels = Property.Channels
BusWidth = Property.BusWidth
ClockRate = Property.ClockRate
TransferRate = Property.TransferRate
Bandwidth = Property.Bandwidth
ECC = Property.ECC
MemoryBandwidth = Property.MemoryBandwidth
PageSize = Property.PageSize
MemoryLimit = Property.MemoryLimit
MaxGroupSize = Property.MaxGroupSize
MaxGridSize = Property.MaxGridSize
MaxThreadsPerCore = Property.MaxThreadsPerCore
MaxSubgroupsPerCore = Property.MaxSubgroupsPerCore
MaxRegistersPerThread = Property.MaxRegistersPerThread
MaxRegistersPerBlock = Property.MaxRegistersPerBlock
MaxArgumentSize = Property.MaxArgumentSize
MaxConstantMemorySize = Property.MaxConstantMemorySize
MaxPrivateMemorySize = Property.MaxPrivateMemorySize
MaxClusterSize = Property.MaxClusterSize
LLVMTarget = Property.LLVMTarget
Triple = Property.Triple
Processor = Property.Processor
Models = Property.Models
Matrix = Property.Matrix
RayTracing = Property.RayTracing
VideoEncode = Property.VideoEncode
VideoDecode = Property.VideoDecode
NeuralEngine = Property.NeuralEngine
Generation = Property.Generation
PerCore = Property.PerCore
Codecs = Property.Codecs
Rate = Property.Rate
OperationsPerClock = Property.OperationsPerClock
Clock = Property.Clock
Unit = Property.Unit
MinPower = Property.MinPower
MaxTemperature = Property.MaxTemperature
Lanes = Property.Lanes
PCIAddress = Property.PCIAddress
PCIVendorID = Property.PCIVendorID
PCIDeviceID = Property.PCIDeviceID
PreferredGroupMultiple = Property.PreferredGroupMultiple
CopyEngineCount = Property.CopyEngineCount
ConcurrentKernels = Property.ConcurrentKernels
CooperativeLaunch = Property.CooperativeLaunch
TimeStampResolution = Property.TimeStampResolution
BufferAlignment = Property.BufferAlignment
GlobalMemoryFree = Property.GlobalMemoryFree
GlobalMemoryUsed = Property.GlobalMemoryUsed
CurrentClock = Property.CurrentClock
CurrentMemoryClock = Property.CurrentMemoryClock
Temperature = Property.Temperature
PowerDraw = Property.PowerDraw
PowerLimit = Property.PowerLimit
FanSpeed = Property.FanSpeed
Offset = Property.Offset
Step = Property.Step
RunCount = Property.RunCount
RegistersPerThread = Property.RegistersPerThread
PrivateMemorySize = Property.PrivateMemorySize
Format = Property.Format
Target = Property.Target
DefaultThreadgroupMemorySize = Property.DefaultThreadgroupMemorySize
ReservedThreadgroupMemorySize = Property.ReservedThreadgroupMemorySize
ClusterLaunch = Property.ClusterLaunch
MemoryPools = Property.MemoryPools
ManagedMemory = Property.ManagedMemory
ConcurrentManagedAccess = Property.ConcurrentManagedAccess
PageableMemoryAccess = Property.PageableMemoryAccess
UnifiedAddressing = Property.UnifiedAddressing
KernelTimeLimit = Property.KernelTimeLimit
ComputeMode = Property.ComputeMode
MIGMode = Property.MIGMode
CurrentLinkGeneration = Property.CurrentLinkGeneration
CurrentLinkWidth = Property.CurrentLinkWidth
CorrectedMemoryErrors = Property.CorrectedMemoryErrors
UncorrectedMemoryErrors = Property.UncorrectedMemoryErrors
MemoryBusUtilization = Property.MemoryBusUtilization
NativeHandle = Property.NativeHandle
DLPackDevice = Property.DLPackDevice
MemoryUsed = Property.MemoryUsed
MemoryPeak = Property.MemoryPeak
MemoryReserved = Property.MemoryReserved
ProgrammaticLaunch = Property.ProgrammaticLaunch
RequiredClusterSize = Property.RequiredClusterSize
ConstantMemorySize = Property.ConstantMemorySize
ReleaseThreshold = Property.ReleaseThreshold
Replay = Property.Replay
Predecessors = Property.Predecessors
ScratchSize = Property.ScratchSize
