# SPDX-License-Identifier: Apache-2.0
# Generated from schema/properties.json by `nox -s gen`. Do not edit.
"""The keys of the properties that objects answer."""

from enum import IntEnum


class Property(IntEnum):
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
    """The number of devices of a runtime, the bytes of a buffer, the number of commands of a schedule."""
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
    """The instruction set features, separated by commas."""
    GlobalMemorySize = 21
    """The size of the device's main memory."""
    CoreMemorySize = 22
    """The size of the memory that belongs to one core."""
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
    """The part of the cores in use, at the time of asking."""
    MemoryUtilization = 44
    """The part of the memory in use, at the time of asking."""
    DataType = 45
    """The type of the elements, such as 'float32'."""
    Status = 46
    """What the object is doing: 'Submitted', 'Running', 'Complete', 'Error' or 'Canceled'."""
    Arguments = 47
    """The IDs of the buffers bound to the command, in order, 0 for a scalar."""
    MemoryTypes = 48
    """Within MemorySubsystem: each memory and cache, smallest first."""
    SupportedMemoryTypes = 49
    """Within MemorySubsystem: the names of its MemoryTypes."""
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
    """What compiles source for the device, with its version, told without starting it; changes when the compiler does."""
    KernelNames = 67
    """The names of the kernels, in alphabetical order."""
    LocalMemorySize = 68
    """The local memory of one group that the kernel declares itself, without that of its arguments."""
    RequiredGroupSize = 69
    """The group size in x, y and z that the kernel was written for; absent where any will do."""
    Languages = 70
    """The languages that programs for the device can be written in."""


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

__all__ = [
    "Architecture",
    "ArgumentKinds",
    "ArgumentNames",
    "ArgumentTypes",
    "Arguments",
    "BaseClock",
    "BufferOffsetAlignment",
    "CacheLineSize",
    "Capabilities",
    "ClockModes",
    "Compiler",
    "Convention",
    "CoreClockRate",
    "CoreCount",
    "CoreMemorySize",
    "CoreRegisterSize",
    "CoreSubsystem",
    "CoreUtilization",
    "Count",
    "DataType",
    "DataTypes",
    "Description",
    "ElapsedTime",
    "Features",
    "GlobalMemorySize",
    "GridSize",
    "GroupCount",
    "GroupSize",
    "ID",
    "KernelNames",
    "Keys",
    "Languages",
    "LastTicket",
    "Limits",
    "LocalMemorySize",
    "Location",
    "MajorVersion",
    "MaxArguments",
    "MaxBufferSize",
    "MaxPower",
    "MaxThreadgroupMemorySize",
    "MaxThreadgroupsPerCore",
    "MaxThreadsPerBlock",
    "MaxThreadsPerThreadgroup",
    "MaxTransferRate",
    "MemoryBusWidth",
    "MemoryClockRate",
    "MemorySubsystem",
    "MemoryTypes",
    "MemoryUtilization",
    "MinorVersion",
    "Name",
    "Path",
    "PowerModes",
    "Priority",
    "Property",
    "Rank",
    "RequiredGroupSize",
    "SIMDSize",
    "Shape",
    "Size",
    "Status",
    "SubUnitType",
    "SubUnits",
    "SupportedMemoryTypes",
    "ThreadCount",
    "TimeStamp",
    "Type",
    "UnifiedMemory",
    "Value",
    "Vendor",
    "Version",
]
