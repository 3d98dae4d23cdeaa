# SPDX-License-Identifier: Apache-2.0
"""Expressions such as "a * x + y", and their translation to kernel code.

The text is parsed as Python. Only arithmetic on names and numbers is accepted, and each operation
has the dtype that numpy gives it. Only the names in the text reach a kernel, with a prefix.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nexus import _checks
from nexus.algorithms._dtypes import C_TYPES, unsigned_code

_LONGEST = 10_000  # characters

# Name in expressions: numpy's function, which determines the dtype, and the portable language's.
_FLOAT_FUNCTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "sqrt": (np.sqrt, "nexus_sqrt"),
    "exp": (np.exp, "nexus_exp"),
    "exp2": (np.exp2, "nexus_exp2"),
    "log": (np.log, "nexus_log"),
    "log2": (np.log2, "nexus_log2"),
    "log10": (np.log10, "nexus_log10"),
    "sin": (np.sin, "nexus_sin"),
    "cos": (np.cos, "nexus_cos"),
    "tan": (np.tan, "nexus_tan"),
    "arcsin": (np.arcsin, "nexus_asin"),
    "arccos": (np.arccos, "nexus_acos"),
    "arctan": (np.arctan, "nexus_atan"),
    "arctan2": (np.arctan2, "nexus_atan2"),
    "sinh": (np.sinh, "nexus_sinh"),
    "cosh": (np.cosh, "nexus_cosh"),
    "tanh": (np.tanh, "nexus_tanh"),
    "floor": (np.floor, "nexus_floor"),
    "ceil": (np.ceil, "nexus_ceil"),
    "trunc": (np.trunc, "nexus_trunc"),
    "hypot": (np.hypot, "nexus_hypot"),
    "copysign": (np.copysign, "nexus_copysign"),
    "fmod": (np.fmod, "nexus_fmod"),
    "erf": (np.exp, "nexus_erf"),
    "erfc": (np.exp, "nexus_erfc"),
}
_OTHER_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.absolute,
    "min": np.minimum,
    "max": np.maximum,
    "where": np.where,
    "isnan": np.isnan,
}
FUNCTIONS = (*_FLOAT_FUNCTIONS, *_OTHER_FUNCTIONS, *C_TYPES)

_ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[..., Any], Callable[..., Any]]] = {
    ast.Add: ("+", np.add, operator.add),
    ast.Sub: ("-", np.subtract, operator.sub),
    ast.Mult: ("*", np.multiply, operator.mul),
    ast.Div: ("/", np.true_divide, operator.truediv),
    ast.FloorDiv: ("floor_divide", np.floor_divide, operator.floordiv),
    ast.Mod: ("remainder", np.remainder, operator.mod),
    ast.BitAnd: ("&", np.bitwise_and, operator.and_),
    ast.BitOr: ("|", np.bitwise_or, operator.or_),
    ast.BitXor: ("^", np.bitwise_xor, operator.xor),
    ast.LShift: ("left_shift", np.left_shift, operator.lshift),
    ast.RShift: ("right_shift", np.right_shift, operator.rshift),
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


class Value:
    """A part of an expression in a kernel.

    Attributes:
        code: the text in the kernel; empty for a constant.
        sample: an array of one element of the dtype; a Python number if the value takes the dtype
            of the other operand.
        name: the argument's name, if the value is just an argument that is a Python int; else None.
    """

    __slots__ = ("code", "name", "sample")

    def __init__(self, code: str, sample: Any, name: str | None = None) -> None:
        self.code = code
        self.sample = sample
        self.name = name

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the result by itself."""
        found: np.dtype[Any] = np.asarray(self.sample).dtype
        return found


def sample_of(dtype: np.dtype[Any]) -> Any:
    """Returns the sample of a value of that dtype."""
    return np.ones(1, dtype)


class Expression:
    """A parsed text. Immutable.

    Attributes:
        text: the text.
        inputs: the names that it reads, in order.
        outputs: the names that it assigns; empty for a text without '='.
    """

    def __init__(self, parameter: str, text: object, *, assigns: bool) -> None:
        text = text_of(parameter, text)
        self.text = text
        self._parameter = parameter
        try:
            tree = ast.parse("\n".join(line.strip() for line in text.splitlines()))
        except (SyntaxError, RecursionError, MemoryError) as error:
            reason = error.msg if isinstance(error, SyntaxError) else "it is nested too deeply"
            raise self.error(f"it is not an expression ({reason})") from None
        self.statements: list[tuple[str | None, ast.expr]] = []
        inputs: dict[str, None] = {}
        outputs: dict[str, None] = {}
        for each in tree.body:
            target, value = self._statement(each, assigns)
            calls = [node for node in ast.walk(value) if isinstance(node, ast.Call)]
            for call in calls:
                self._check_call(call)
            functions = {id(call.func) for call in calls}
            names = [
                node
                for node in ast.walk(value)
                if isinstance(node, ast.Name) and id(node) not in functions
            ]
            for name in sorted(names, key=lambda node: (node.lineno, node.col_offset)):
                if name.id not in outputs:
                    inputs[name.id] = None
            if target is not None:
                outputs[target] = None
            self.statements.append((target, value))
        if not self.statements or (not assigns and len(self.statements) > 1):
            raise self.error("it has to be one expression" if not assigns else "it assigns nothing")
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        for used in (*inputs, *outputs):
            if not used.isascii():
                raise self.error(f"the name {used!r} has non-ASCII letters")
            if used in FUNCTIONS:
                raise self.error(f"{used!r} is a function; choose another name")

    def key(self) -> str:
        """Returns a text that is equal for equal expressions."""
        return ast.unparse(self.statements[0][1])

    def compile(self, values: Mapping[str, Value]) -> Compiled:
        """Returns the code for inputs of these kinds."""
        try:
            return Compiled(self, values)
        except RecursionError:
            raise self.error("it is nested too deeply") from None

    def _statement(self, node: ast.stmt, assigns: bool) -> tuple[str | None, ast.expr]:
        if not assigns and isinstance(node, ast.Expr):
            return None, node.value
        if assigns and isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                return target.id, node.value
        wanted = "of the form 'z = a * x + y'" if assigns else "an expression such as 'a + b'"
        raise self.error(f"it has to be {wanted}")

    def _check_call(self, node: ast.Call) -> None:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise self.error("call functions as in 'sqrt(x)'")
        if node.func.id not in FUNCTIONS:
            raise self.error(
                f"there is no function {node.func.id!r}{_checks.near(node.func.id, FUNCTIONS)} "
                f"There are {', '.join(FUNCTIONS)}"
            )

    def error(self, why: str) -> ValueError:
        """Returns the error for an expression that is not accepted."""
        return ValueError(f"{self._parameter} is {_checks.shown(self.text)}: {why.rstrip('.')}.")


class Compiled:
    """The code of an expression for inputs of some dtypes.

    Attributes:
        values: the value of each statement.
        limits: the integer dtypes in which each Python int is used, by its name.
    """

    def __init__(self, expression: Expression, values: Mapping[str, Value]) -> None:
        self._expression = expression
        self._names = dict(values)
        self.limits: dict[str, list[str]] = {}
        self.values: list[Value] = []
        for number, (target, node) in enumerate(expression.statements):
            value = self._value(node)
            self.values.append(value)
            if target is not None:
                self._names[target] = Value(f"t{number}", sample_of(value.dtype))

    def cast(self, value: Value, dtype: np.dtype[Any]) -> str:
        """Returns the code of the value in a dtype."""
        if dtype.name not in C_TYPES:
            raise self.error(f"its result is {dtype.name}; there are {', '.join(C_TYPES)}")
        if isinstance(value.sample, np.ndarray):
            if value.dtype == dtype:
                return value.code
            if dtype == np.bool_:
                return f"({value.code} != 0)"
            return f"(({C_TYPES[dtype.name]}){value.code})"
        if value.code:
            if value.name and dtype.kind in "iu":
                self.limits.setdefault(value.name, []).append(dtype.name)
            if dtype == np.bool_:
                return f"({value.code} != 0)"
            return f"(({C_TYPES[dtype.name]}){value.code})"
        return self.constant(value.sample, dtype)

    def constant(self, number: Any, dtype: np.dtype[Any]) -> str:
        """Returns the code of a number."""
        if dtype == np.bool_:
            return "1" if number else "0"
        if dtype.kind == "f":
            try:
                number = float(number)
            except OverflowError:
                number = np.inf
            if number != number or number in (np.inf, -np.inf):
                raise self.error(f"{number} is not a constant of {dtype.name}")
            text = repr(float(dtype.type(number)))
            if dtype == np.float32:
                with np.errstate(over="ignore"):
                    if np.isinf(np.float32(number)):
                        raise self.error(f"{number} is beyond {dtype.name}")
                return f"({text}f)"
            return f"({text})"
        number, limits = int(number), np.iinfo(dtype)
        if not limits.min <= number <= limits.max:
            raise self.error(f"{number} is beyond {dtype.name}")
        if abs(number) < 2**31:
            return f"(({C_TYPES[dtype.name]})({number}))"
        return f"(({C_TYPES[dtype.name]})({unsigned_code(number % 2**64)}))"

    # ---- Nodes ----

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Name():
                return self._names[node.id]
            case ast.Constant():
                return self._number(node)
            case ast.BinOp():
                return self._binary(node)
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare():
                return self._comparison(node)
            case ast.BoolOp():
                return self._logic(node)
            case ast.IfExp():
                return self._chosen(node, *map(self._value, (node.test, node.body, node.orelse)))
            case ast.Call():
                return self._call(node)
        raise self.error(f"{ast.unparse(node)!r} is not arithmetic on names and numbers")

    def _number(self, node: Any) -> Value:
        if type(node.value) not in (bool, int, float):
            raise self.error(f"{ast.unparse(node)!r} is not a number")
        if isinstance(node.value, int) and node.value.bit_length() > 64:
            raise self.error(f"{_checks.shown(node.value)} has more than 64 bits")
        return Value("", node.value)

    def _binary(self, node: Any) -> Value:
        left = self._value(node.left)
        if isinstance(node.op, ast.Pow):
            return self._power(node, left)
        if type(node.op) not in _ARITHMETIC:
            raise self.error(f"{ast.unparse(node)!r} has an operator for matrices")
        right = self._value(node.right)
        symbol, function, fold = _ARITHMETIC[type(node.op)]
        if not isinstance(left.sample, np.ndarray) and not isinstance(right.sample, np.ndarray):
            return self._weak(node, symbol, function, fold, left, right)
        sample = self._sampled(node, function, left, right)
        return Value(self._operation(symbol, sample.dtype, left, right), sample)

    def _weak(
        self, node: Any, symbol: str, function: Any, fold: Any, left: Value, right: Value
    ) -> Value:
        """Returns an operation on Python numbers, whose result is a Python number too."""
        if not left.code and not right.code:
            try:
                if symbol == "left_shift" and right.sample > 64:
                    raise OverflowError("it is too large")
                made = fold(left.sample, right.sample)
            except (ArithmeticError, TypeError, ValueError) as error:
                raise self.error(f"{ast.unparse(node)!r} has no value ({error})") from None
            return Value("", made)
        real = symbol == "/" or isinstance(left.sample, float) or isinstance(right.sample, float)
        if not real:
            return Value(self._operation(symbol, np.dtype(np.int64), left, right), 1)
        if len(symbol) > 1 or symbol in "&|^":
            raise self.error(f"{ast.unparse(node)!r} takes numbers of Python: compute it before")
        a, b = (
            f"((nxa_real){each.code or self.constant(each.sample, np.dtype(np.float64))})"
            for each in (left, right)
        )
        return Value(f"({a} {symbol} {b})", 1.0)

    def _operation(self, symbol: str, dtype: np.dtype[Any], left: Value, right: Value) -> str:
        a, b, name = self.cast(left, dtype), self.cast(right, dtype), dtype.name
        if len(symbol) > 1:
            if name == "float64" or name == "bool":
                raise self.error(
                    f"{symbol} does not support {name}; it supports float32 and integers"
                )
            return f"nxa_{symbol}_{name}({a}, {b})"
        if dtype == np.bool_:
            return f"({a} {'|' if symbol == '+' else '&' if symbol == '*' else symbol} {b})"
        if dtype.kind == "f" or symbol in "&|^":
            return (
                f"({a} {symbol} {b})"
                if dtype.itemsize >= 4
                else (f"(({C_TYPES[name]})({a} {symbol} {b}))")
            )
        wide = "nexus_uint64" if dtype.itemsize == 8 else "nexus_uint32"
        return f"(({C_TYPES[name]})(({wide}){a} {symbol} ({wide}){b}))"

    def _power(self, node: Any, base: Value) -> Value:
        right = self._value(node.right)
        exponent = right.sample
        if not right.code and not isinstance(exponent, np.ndarray) and exponent in range(1, 9):
            if base.dtype == np.bool_ and isinstance(base.sample, np.ndarray):
                base = Value(self.cast(base, np.dtype(np.int8)), sample_of(np.dtype(np.int8)))
            made = base
            for _ in range(int(exponent) - 1):
                made = self._product(node, made, base)
                if len(made.code) > _LONGEST:
                    raise self.error("its nested powers are too long")
            if isinstance(exponent, float) and made.dtype.kind != "f":
                raise self.error(f"{ast.unparse(node)!r}: give an int as the exponent of integers")
            return made
        sample = self._sampled(node, np.power, base, right)
        if sample.dtype != np.float32:
            raise self.error(
                f"{ast.unparse(node)!r} is {sample.dtype.name}: powers need float32, or "
                "exponents from 1 to 8"
            )
        a, b = self.cast(base, sample.dtype), self.cast(right, sample.dtype)
        return Value(f"nexus_pow({a}, {b})", sample)

    def _product(self, node: Any, left: Value, right: Value) -> Value:
        if not isinstance(left.sample, np.ndarray) and not isinstance(right.sample, np.ndarray):
            return self._weak(node, "*", np.multiply, operator.mul, left, right)
        sample = self._sampled(node, np.multiply, left, right)
        return Value(self._operation("*", sample.dtype, left, right), sample)

    def _unary(self, node: Any) -> Value:
        value = self._value(node.operand)
        if isinstance(node.op, ast.Not):
            return Value(f"(!{self.cast(value, np.dtype(np.bool_))})", sample_of(np.dtype(bool)))
        if isinstance(node.op, ast.UAdd):
            return value
        if not isinstance(value.sample, np.ndarray):
            if value.code:
                zero = Value("", 0)
                if isinstance(node.op, ast.USub):
                    return self._weak(node, "-", np.subtract, operator.sub, zero, value)
                raise self.error(
                    f"{ast.unparse(node)!r} takes numbers of Python: compute it before"
                )
            if isinstance(node.op, ast.Invert) and isinstance(value.sample, float):
                raise self.error(f"{ast.unparse(node)!r} has no value")
            minus = isinstance(node.op, ast.USub)
            return Value("", -value.sample if minus else ~int(value.sample))
        if isinstance(node.op, ast.Invert):
            sample = self._sampled(node, np.invert, value)
            if sample.dtype == np.bool_:
                return Value(f"(!{value.code})", sample)
            return Value(f"(({C_TYPES[sample.dtype.name]})~{value.code})", sample)
        sample = self._sampled(node, np.negative, value)
        name, code = sample.dtype.name, value.code
        if sample.dtype.kind == "f":
            return Value(f"(-{code})", sample)
        wide = "nexus_uint64" if sample.dtype.itemsize == 8 else "nexus_uint32"
        return Value(f"(({C_TYPES[name]})(0 - ({wide}){code}))", sample)

    def _comparison(self, node: Any) -> Value:
        code, left = [], self._value(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            if type(op) not in _COMPARISONS:
                raise self.error(f"{ast.unparse(node)!r} is not arithmetic on names and numbers")
            right = self._value(comparator)
            dtype = self._common(node, left, right)
            symbol = _COMPARISONS[type(op)]
            code.append(f"({self.cast(left, dtype)} {symbol} {self.cast(right, dtype)})")
            left = right
        return Value(f"({' && '.join(code)})", sample_of(np.dtype(bool)))

    def _logic(self, node: Any) -> Value:
        symbol = " && " if isinstance(node.op, ast.And) else " || "
        parts = [self.cast(self._value(each), np.dtype(bool)) for each in node.values]
        return Value(f"({symbol.join(parts)})", sample_of(np.dtype(bool)))

    def _chosen(self, node: Any, test: Value, yes: Value, no: Value) -> Value:
        dtype = self._common(node, yes, no)
        condition = self.cast(test, np.dtype(bool))
        return Value(
            f"({condition} ? {self.cast(yes, dtype)} : {self.cast(no, dtype)})", sample_of(dtype)
        )

    def _call(self, node: Any) -> Value:
        name = node.func.id
        values = [self._value(each) for each in node.args]
        if name in C_TYPES:
            self._count(node, values, 1)
            dtype = np.dtype(name)
            return Value(self.cast(values[0], dtype), sample_of(dtype))
        if name in _FLOAT_FUNCTIONS:
            function, code = _FLOAT_FUNCTIONS[name]
            self._count(node, values, getattr(function, "nin", 1))
            sample = self._sampled(node, function, *values)
            if sample.dtype != np.float32:
                raise self.error(
                    f"{ast.unparse(node)!r} is {sample.dtype.name}, and {name} is of float32: "
                    f"write {name}(float32(...))"
                )
            return Value(
                f"{code}({', '.join(self.cast(each, sample.dtype) for each in values)})", sample
            )
        if name == "where":
            self._count(node, values, 3)
            return self._chosen(node, *values)
        self._count(node, values, 1 if name in ("abs", "isnan") else 2)
        if name == "isnan":
            dtype = values[0].dtype
            code = self.cast(values[0], dtype)
            text = f"({code} != {code})" if dtype.kind == "f" else "0"
            if dtype == np.float32:
                text = f"(nexus_isnan({code}) != 0)"
            return Value(text, sample_of(np.dtype(bool)))
        sample = self._sampled(node, _OTHER_FUNCTIONS[name], *values)
        function_name = {"abs": "absolute", "min": "minimum", "max": "maximum"}[name]
        arguments = ", ".join(self.cast(each, sample.dtype) for each in values)
        if sample.dtype == np.bool_:
            symbol = {"abs": "", "min": " & ", "max": " | "}[name]
            return Value(f"({symbol.join(self.cast(each, sample.dtype) for each in values)})",
                         sample)  # fmt: skip
        return Value(f"nxa_{function_name}_{sample.dtype.name}({arguments})", sample)

    # ---- Helpers ----

    def _count(self, node: Any, values: list[Value], count: int) -> None:
        if len(values) != count or any(isinstance(each, ast.Starred) for each in node.args):
            raise self.error(
                f"{ast.unparse(node)!r} has {len(values)} arguments instead of {count}"
            )

    def _common(self, node: Any, left: Value, right: Value) -> np.dtype[Any]:
        """Returns the common dtype of two values."""
        if isinstance(left.sample, np.ndarray) or isinstance(right.sample, np.ndarray):
            made = self._sampled(node, lambda a, b: np.where([True], a, b), left, right)
            found: np.dtype[Any] = made.dtype
            return found
        weak = isinstance(left.sample, float) or isinstance(right.sample, float)
        if isinstance(left.sample, bool) and isinstance(right.sample, bool):
            return np.dtype(bool)
        return np.dtype(np.float64 if weak else np.int64)

    def _sampled(self, node: Any, function: Any, *values: Value) -> Any:
        """Returns the sample of numpy's result. The size of ints is checked where they are cast."""
        samples = [
            each.sample if isinstance(each.sample, (np.ndarray, bool, float)) else 1
            for each in values
        ]
        try:
            with np.errstate(all="ignore"):
                made = np.atleast_1d(function(*samples))
        except TypeError:
            kinds = " and ".join(str(each.dtype) for each in values)
            raise self.error(f"{ast.unparse(node)!r} does not support {kinds}") from None
        if made.dtype.name not in C_TYPES:
            raise self.error(
                f"{ast.unparse(node)!r} is {made.dtype.name}; write float32(...) around it"
            )
        return np.ones(1, made.dtype)

    def error(self, why: str) -> ValueError:
        """Returns the error for an expression that is not accepted."""
        return self._expression.error(why)


def text_of(parameter: str, value: object) -> str:
    """Returns an expression's text, which must be a str that is not empty or too long."""
    if not isinstance(value, str):
        raise _checks.wrong_type(parameter, "a str such as 'a + b'", value)
    if not value.strip():
        raise _checks.wrong_value(parameter, value, "it is empty; give an expression")
    if len(value) > _LONGEST or "\0" in value:
        raise _checks.wrong_value(
            parameter, value, f"it has more than {_LONGEST} characters, or a NUL character"
        )
    return _checks.unicode(parameter, value)
