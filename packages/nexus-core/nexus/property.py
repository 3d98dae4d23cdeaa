# SPDX-License-Identifier: Apache-2.0
# Generated from schema/properties.json by `nox -s gen`. Do not edit.
"""The keys of the properties that objects answer."""

from nexus._property_key import PropertyKey as _PropertyKey


class Property(_PropertyKey):
    """The keys of the properties that objects answer."""

    Name = 0
    """The object's name."""
    Type = 1
    """The kind of thing within its class, such as 'cpu' or 'gpu' for a device."""
    Value = 2
    """The 64-bit value of an event, or the value that a command signals or waits for."""
    ID = 3
    """The object's number, unique while the object lives."""
    Description = 4
    """One sentence about the object for people."""
    Count = 5
    """How many units there are."""
    Size = 6
    """The number of devices of a runtime, the bytes of a buffer, of one memory or of one cache, the number of commands of a schedule."""
    Rank = 7
    """The number of dimensions."""
    Shape = 8
    """The length of each dimension, outermost first."""
    SubUnits = 9
    """The names of the units one level below."""
    SubUnitType = 10
    """The type of the units one level below."""
    Keys = 11
    """The numbers of the properties that the object answers."""
    Vendor = 12
    """The company that makes the device, as the device itself answers it."""
    Architecture = 13
    """The architecture in the vendor's compiler's words, such as 'znver4' or 'sm_90'."""
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
    """The instruction set features, separated by commas; within KernelModel the same as a list."""
    GlobalMemorySize = 21
    """The size of the device's main memory."""
    CoreMemorySize = 22
    """The size of the local memory that belongs to one core."""
    CoreRegisterSize = 23
    """The size of the register file of one core."""
    SIMDSize = 24
    """How many 32-bit lanes one instruction works on."""
    CoreClockRate = 25
    """The highest clock of the cores."""
    MemoryClockRate = 26
    """The highest clock of the memory."""
    MemoryBusWidth = 27
    """The width of the bus to memory."""
    MaxThreadsPerBlock = 28
    """The largest number of work items of one group."""
    TimeStamp = 29
    """The device's clock when the work completed."""
    ElapsedTime = 30
    """How long the last timed run took."""
    MaxThreadsPerThreadgroup = 31
    """The largest number of work items of one group, in Metal's words."""
    MaxThreadgroupsPerCore = 32
    """How many groups one core runs at the same time."""
    MaxThreadgroupMemorySize = 33
    """The largest local memory of one group."""
    Location = 34
    """Where the device sits, such as a PCI address or a socket."""
    MaxTransferRate = 35
    """The highest rate of copies between host and device."""
    UnifiedMemory = 36
    """1 where the host and the device share memory, else 0."""
    MaxBufferSize = 37
    """The largest buffer that can be made."""
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
    """The part of the cores in use, at the time of asking; of a GPU the part of the last moments in which kernels ran."""
    MemoryUtilization = 44
    """The part of the memory in use, at the time of asking."""
    DataType = 45
    """The type of the elements of a buffer or of a fill command, or of the factors of a rate, such as 'float32'."""
    Status = 46
    """What the object is doing: 'Submitted', 'Running', 'Complete', 'Error' or 'Canceled'."""
    Arguments = 47
    """The IDs of the buffers bound to the command, in order, 0 for a scalar."""
    MemoryTypes = 48
    """Within MemorySubsystem: each memory and cache, in the order Global, L2, L1, Local, L3, L4, Registers, then others by name. A list begins with Global and L2 even where only their names are known."""
    SupportedMemoryTypes = 49
    """Within MemorySubsystem: the names of its MemoryTypes of which something is known, in their order."""
    Capabilities = 50
    """The backend's capability bits."""
    BufferOffsetAlignment = 51
    """The alignment that a slice's offset needs to be an argument."""
    CoreCount = 52
    """How many cores run work items independently."""
    ThreadCount = 53
    """How many hardware threads there are."""
    CacheLineSize = 54
    """The size of a cache line."""
    MaxArguments = 55
    """The largest number of arguments of a kernel."""
    ArgumentNames = 56
    """The names of the arguments, in order, where the kernel describes itself."""
    ArgumentTypes = 57
    """The data types of the arguments, in order, where the kernel describes itself."""
    ArgumentKinds = 58
    """'buffer' or 'scalar' or 'local' for each argument, in order, where the kernel describes itself."""
    GroupSize = 59
    """The work items of a group in x, y and z."""
    GridSize = 60
    """The work items asked for in x, y and z."""
    GroupCount = 61
    """The groups launched in x, y and z."""
    Priority = 62
    """The stream's priority; lower numbers run first."""
    LastTicket = 63
    """The ticket of the newest work submitted."""
    Path = 64
    """The file that the library was loaded from."""
    Convention = 65
    """How the backend calls the kernel, such as 'range' or 'plain-c'."""
    Compiler = 66
    """What compiles source for the device, told without starting it; the text in brackets changes when the compiler does."""
    KernelNames = 67
    """The names of the kernels, in alphabetical order."""
    LocalMemorySize = 68
    """The local memory of one group that the kernel declares itself, without that of its arguments."""
    RequiredGroupSize = 69
    """The group size in x, y and z that the kernel was written for; absent where any will do."""
    Languages = 70
    """The languages that programs for the device can be written in."""
    Aliases = 71
    """Other names that the device file can be looked up by."""
    DeviceNames = 72
    """What devices of this kind answer for Name, where that is another text."""
    ReleaseYear = 73
    """The year in which the device was first sold."""
    FabricationProcess = 74
    """The process that the chip is made in, in its maker's words."""
    TransistorCount = 75
    """How many transistors the device has."""
    DieSize = 76
    """The area of the die, or of all dies together."""
    KernelModel = 77
    """How kernels are compiled for the device: LLVM's target, triple, processor and features, and the programming models."""
    SpecializedHardware = 78
    """Units for matrices, ray tracing and video."""
    PeakRates = 79
    """The highest rates of arithmetic, an entry for each data type and the units that do it."""
    Power = 80
    """The limits of power and temperature."""
    PCIExpress = 81
    """The device's PCI Express interface."""
    MultiDeviceLinks = 82
    """The links to other devices."""
    Variants = 83
    """The products of the architecture that the device file describes."""
    Sources = 84
    """The documents in which the values of the device file were read."""
    Extensions = 85
    """A vendor's own facts, an object for each vendor."""
    Family = 86
    """The family number by which the maker tells its processors apart, such as CPUID's."""
    Model = 87
    """The model number within the family; of an Arm processor its part number."""
    Stepping = 88
    """The revision of the model."""
    UUID = 89
    """What tells this device from every other, in hexadecimal."""
    DriverVersion = 90
    """The version of the driver."""
    ComputeCapability = 91
    """NVIDIA's compute capability, such as '9.0'."""
    ParentUnits = 92
    """The units that the cores lie in, outermost first."""
    Units = 93
    """The units that a core is made of, or the kinds of cores where there are several."""
    TotalCount = 94
    """How many of a unit the device has."""
    ThreadsPerCore = 95
    """The hardware threads of one core."""
    SIMDSizes = 96
    """All values of SIMDSize that can be chosen."""
    MaxClock = 97
    """The highest clock of the cores."""
    SocketCount = 98
    """How many packages the cores lie in."""
    NumaNodeCount = 99
    """How many NUMA nodes the device's memory lies in."""
    NumaNode = 100
    """The NUMA node of the host that the device is nearest to."""
    UsableThreadCount = 101
    """How many hardware threads this process may use at the same time."""
    ProcessorTimeLimit = 102
    """The processor time that the process's container may take in a second, in hardware threads."""
    MatrixExtensions = 103
    """The instruction set extensions that multiply matrices, such as 'amx-int8' or 'sme'."""
    VectorExtensions = 104
    """The instruction set extensions that work on vectors, such as 'avx2' or 'sve'."""
    Kind = 105
    """'cache', 'scratchpad', 'registers' or 'memory'."""
    MaxSize = 106
    """The largest size of one memory, where it can be chosen."""
    TotalSize = 107
    """The size of all memories of that name in the device."""
    SharedBy = 108
    """The unit that has one of its own."""
    ThreadsSharing = 109
    """How many hardware threads share one."""
    LineSize = 110
    """The size of a cache line."""
    Ways = 111
    """The associativity of a cache."""
    Banks = 112
    """The number of banks."""
    Latency = 113
    """From a load to its value, at the least, in the core's clock."""
    BytesPerClock = 114
    """How much one core, or of 'Global' the device, can load in a cycle."""
    Technology = 115
    """The kind of memory chips, such as 'HBM3' or 'DDR5'."""
    Channels = 116
    """The number of memory channels."""
    BusWidth = 117
    """The width of the bus."""
    ClockRate = 118
    """The clock of the memory."""
    TransferRate = 119
    """Transfers on one line of the bus in a second, in millions."""
    Bandwidth = 120
    """The highest rate of reads and writes together; of a link or PCI Express, of both directions."""
    ECC = 121
    """1 where memory errors are corrected, else 0."""
    MemoryBandwidth = 122
    """The highest rate of the main memory."""
    PageSize = 123
    """The size of a page of memory."""
    MemoryLimit = 124
    """The memory that the process's container may take."""
    MaxGroupSize = 125
    """The most work items of a group in x, y and z."""
    MaxGridSize = 126
    """The most groups of a launch in x, y and z."""
    MaxThreadsPerCore = 127
    """The most work items on one core at the same time."""
    MaxSubgroupsPerCore = 128
    """The most warps or waves on one core at the same time."""
    MaxRegistersPerThread = 129
    """The most 32-bit registers of a work item."""
    MaxRegistersPerBlock = 130
    """The most 32-bit registers of a group."""
    MaxArgumentSize = 131
    """The most bytes of all arguments of a kernel together."""
    MaxConstantMemorySize = 132
    """The largest constant memory."""
    MaxPrivateMemorySize = 133
    """The most memory of a work item that is not in registers."""
    MaxClusterSize = 134
    """The most groups that share their local memories."""
    LLVMTarget = 135
    """The architecture in LLVM's words."""
    Triple = 136
    """LLVM's target triple."""
    Processor = 137
    """What compilers take for -mcpu or -march."""
    Models = 138
    """The programming models that reach the device, with versions."""
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
    """The generation of a unit or link, in its maker's count."""
    PerCore = 145
    """How many of a unit one core has."""
    Codecs = 146
    """The formats of video."""
    Rate = 147
    """Operations in a second; a multiplication with its addition is two."""
    OperationsPerClock = 148
    """Operations of one core in a cycle."""
    Clock = 149
    """The clock at which a rate is told."""
    Unit = 150
    """'vector', 'matrix' or 'sparse matrix'."""
    MinPower = 151
    """The lowest limit of power that can be set."""
    MaxTemperature = 152
    """The highest temperature at which the device works."""
    Lanes = 153
    """The lanes of PCI Express."""
    PCIAddress = 154
    """The device's place on the PCI bus, such as '0000:65:00.0'."""
    PCIVendorID = 155
    """The vendor's number on the PCI bus."""
    PCIDeviceID = 156
    """The device's number on the PCI bus."""
    PreferredGroupMultiple = 157
    """The number of work items of which group sizes should be a multiple."""
    CopyEngineCount = 158
    """How many copies between host and device run beside kernels."""
    ConcurrentKernels = 159
    """1 where kernels of several streams run at the same time, else 0."""
    CooperativeLaunch = 160
    """1 where all groups of a launch can wait for each other, else 0."""
    TimeStampResolution = 161
    """The step of the clock of TimeStamp."""
    BufferAlignment = 162
    """The alignment of the memory of new buffers."""
    GlobalMemoryFree = 163
    """The main memory that is free, at the time of asking."""
    GlobalMemoryUsed = 164
    """The main memory in use, at the time of asking."""
    CurrentClock = 165
    """The clock of the cores at the time of asking; of a CPU the highest among them."""
    CurrentMemoryClock = 166
    """The clock of the memory at the time of asking."""
    Temperature = 167
    """The temperature at the time of asking; the highest where there are several sensors."""
    PowerDraw = 168
    """The power that the device draws, at the time of asking."""
    PowerLimit = 169
    """The limit of power that is set."""
    FanSpeed = 170
    """The speed of the fan as a part of its highest, at the time of asking."""
    Offset = 171
    """Where a slice begins in the buffer that it was taken from; where memory of another library begins in the object that its handle names."""
    Step = 172
    """What a signal or wait command adds to its value with each run."""
    RunCount = 173
    """How often the schedule was submitted."""
    RegistersPerThread = 174
    """The 32-bit registers that a work item of the kernel takes."""
    PrivateMemorySize = 175
    """The memory of a work item that is not in registers."""
    Format = 176
    """The format of the code that the library was loaded from, such as 'elf' or 'cubin'."""
    Target = 177
    """The processor that the code was compiled for, where it says so."""
    DefaultThreadgroupMemorySize = 178
    """The local memory that a group can have where its launch does not ask for more."""
    ReservedThreadgroupMemorySize = 179
    """The local memory of a core that each group takes beside its own."""
    ClusterLaunch = 180
    """1 where groups of a launch can form clusters that share their local memories, else 0."""
    MemoryPools = 181
    """1 where memory can be taken and given back in the order of a stream, else 0."""
    ManagedMemory = 182
    """1 where there is memory that moves between host and device as they use it, else 0."""
    ConcurrentManagedAccess = 183
    """1 where host and device can use managed memory at the same time, else 0."""
    PageableMemoryAccess = 184
    """1 where kernels can use all memory of the host's as it is, else 0."""
    UnifiedAddressing = 185
    """1 where an address means the same memory on the host and on the device, else 0."""
    KernelTimeLimit = 186
    """1 where the system ends kernels that run too long, else 0."""
    ComputeMode = 187
    """Which processes may use the device: 'Default' for all, 'ExclusiveProcess' for one at a time, 'Prohibited' for none."""
    MIGMode = 188
    """1 where the device is an instance of a GPU that is divided (NVIDIA's MIG), else 0."""
    CurrentLinkGeneration = 189
    """The generation of PCI Express that the link runs at, at the time of asking."""
    CurrentLinkWidth = 190
    """The lanes of PCI Express that the link uses, at the time of asking."""
    CorrectedMemoryErrors = 191
    """How many memory errors were corrected since the driver was loaded."""
    UncorrectedMemoryErrors = 192
    """How many memory errors could not be corrected since the driver was loaded."""
    MemoryBusUtilization = 193
    """The part of the last moments in which the memory was read or written."""
    NativeHandle = 194
    """What the driver's own interface calls the object: an address, a number or a pointer. It stays the object's."""
    DLPackDevice = 195
    """What DLPack calls the device, or the place of the buffer's memory: a type and a number. The data pointer of its arrays is then the buffers' NativeHandle."""
    MemoryUsed = 196
    """The bytes of this process's buffers on the device that live."""
    MemoryPeak = 197
    """The most that MemoryUsed was since the process began or the peak was reset."""
    MemoryReserved = 198
    """The bytes that the backend has of the driver for buffers, those that it keeps for new ones included."""
    ProgrammaticLaunch = 199
    """1 where a kernel can begin before the one before it has ended, and wait for it itself, else 0."""
    RequiredClusterSize = 200
    """The groups of a cluster in x, y and z that the kernel was written for; absent where it runs with any."""
    ConstantMemorySize = 201
    """The constant memory of the kernel's own."""
    ReleaseThreshold = 202
    """How much memory the backend has of the driver for buffers before it gives back what none uses; absent where it keeps all, as it does until told."""
    Replay = 203
    """Who replays the command: 'native', the backend, or 'host', Nexus between two parts that the backend replays. A run of another schedule is 'native' if all of that is."""
    Predecessors = 204
    """The indices of the commands of the schedule that the command follows, from 0 on."""
    ScratchSize = 205
    """The memory of the device that the schedule's scratch buffers share, without those of nested schedules. The first run, or prepare, allocates it."""


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
