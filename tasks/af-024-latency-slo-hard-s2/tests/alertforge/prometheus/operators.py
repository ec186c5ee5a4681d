# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df
"""PromQL's operators on instant vectors: arithmetic, comparison, set and aggregation operators.

Binary operators follow `VectorBinop` and `VectorscalarBinop` of the Prometheus 3.5 engine: `on` or `ignoring` choose
the labels that must agree, `group_left` or `group_right` allow many series on that side and name labels to copy from
the other ("one") side. The metric name is ignored when matching and dropped from every computed value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeVar

from alertforge.prometheus import number
from alertforge.prometheus.number import Number, Scalar, exact
from alertforge.prometheus.series import METRIC_NAME, Labels

T = TypeVar("T")

Vector = Mapping[Labels, Number]  # an instant vector: one value per label set

ARITHMETIC: Final[Mapping[str, Callable[[Scalar, Scalar], Number]]] = {
    "+": number.add,
    "-": number.sub,
    "*": number.mul,
    "/": number.div,
    "%": number.mod,
}
COMPARISON: Final[Mapping[str, Callable[[Scalar, Scalar], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}


class QueryError(ValueError):
    """Prometheus would abort the query: ambiguous matching, or two results with one label set."""


def nameless(labels: Labels) -> Labels:
    """The label set without its metric name."""
    return labels.without((METRIC_NAME,))


def collect(pairs: Iterable[tuple[Labels, Number]]) -> Vector:
    """An instant vector from pairs; raises QueryError if a label set comes twice."""
    vector: dict[Labels, Number] = {}
    for labels, value in pairs:
        if labels in vector:
            raise QueryError(f"vector cannot contain metrics with the same labelset: {labels.as_dict()}")
        vector[labels] = value
    return vector


# Binary operators


@dataclass(frozen=True)
class Matching:
    """How two vectors are matched; the fields are PromQL's modifiers, None where one is not written."""

    on: tuple[str, ...] | None = None
    ignoring: tuple[str, ...] = ()
    group_left: tuple[str, ...] | None = None
    group_right: tuple[str, ...] | None = None

    def key(self, labels: Labels) -> Labels:
        """The part of a label set that must agree on both sides."""
        if self.on is not None:
            return labels.only(self.on)
        return labels.without((*self.ignoring, METRIC_NAME))

    def result(self, many: Labels, one: Labels, *, drop_name: bool) -> Labels:
        """The labels of a result from the labels of both sides."""
        labels = nameless(many) if drop_name else many
        include = self.group_left if self.group_left is not None else self.group_right
        if include is not None:
            return labels.with_({name: one.get(name) for name in include})
        return labels.only(self.on) if self.on is not None else labels.without(self.ignoring)

    @property
    def one_to_one(self) -> bool:
        """Whether each side may hold one series per key."""
        return self.group_left is None and self.group_right is None


def _matching(
    on: Sequence[str] | None,
    ignoring: Sequence[str] | None,
    group_left: Sequence[str] | None,
    group_right: Sequence[str] | None,
) -> Matching:
    if on is not None and ignoring is not None:
        raise ValueError("choose one of on, ignoring")
    if group_left is not None and group_right is not None:
        raise ValueError("choose one of group_left, group_right")
    return Matching(
        None if on is None else tuple(on),
        tuple(ignoring or ()),
        None if group_left is None else tuple(group_left),
        None if group_right is None else tuple(group_right),
    )


def arithmetic(
    left: Vector | Scalar,
    op: str,
    right: Vector | Scalar,
    *,
    on: Sequence[str] | None = None,
    ignoring: Sequence[str] | None = None,
    group_left: Sequence[str] | None = None,
    group_right: Sequence[str] | None = None,
) -> Vector:
    """`left op right` for `+ - * / %` with at least one vector; metric names are dropped.

    `group_left=()` is a bare `group_left`. Raises QueryError where Prometheus refuses the match, ValueError for an
    unknown operator or modifiers that exclude each other.
    """
    compute = _operator(ARITHMETIC, op)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        matching = _matching(on, ignoring, group_left, group_right)
        return _match(left, right, matching, lambda a, b: (compute(a, b), True), drop_name=True)
    if isinstance(left, Mapping):
        scalar = _scalar(right)
        return collect((nameless(labels), compute(value, scalar)) for labels, value in left.items())
    scalar, vector = _scalar(left), _vector(right)
    return collect((nameless(labels), compute(scalar, value)) for labels, value in vector.items())


def compare(
    left: Vector | Scalar,
    op: str,
    right: Vector | Scalar,
    *,
    return_bool: bool = False,
    on: Sequence[str] | None = None,
    ignoring: Sequence[str] | None = None,
    group_left: Sequence[str] | None = None,
    group_right: Sequence[str] | None = None,
) -> Vector:
    """`left op right` for `== != > < >= <=` with at least one vector.

    Without `return_bool` this is a filter: it keeps the vector's value (of two vectors: the left value) and its metric
    name. With it (PromQL's `bool`) the value is 0 or 1 and the name is dropped. Errors as in `arithmetic`.
    """
    holds = _operator(COMPARISON, op)

    def outcome(kept: Number, true: bool) -> tuple[Number, bool]:
        return (Fraction(int(true)), True) if return_bool else (kept, true)

    if isinstance(left, Mapping) and isinstance(right, Mapping):
        matching = _matching(on, ignoring, group_left, group_right)
        return _match(left, right, matching, lambda a, b: outcome(a, holds(a, b)), drop_name=return_bool)
    if isinstance(left, Mapping):
        vector, scalar = left, _scalar(right)
        judged = [(labels, outcome(value, holds(value, scalar))) for labels, value in vector.items()]
    else:
        vector, scalar = _vector(right), _scalar(left)
        judged = [(labels, outcome(value, holds(scalar, value))) for labels, value in vector.items()]
    return collect((nameless(labels) if return_bool else labels, value) for labels, (value, keep) in judged if keep)


def _match(
    left: Vector,
    right: Vector,
    matching: Matching,
    compute: Callable[[Number, Number], tuple[Number, bool]],
    *,
    drop_name: bool,
) -> Vector:
    if not left or not right:
        return {}
    swapped = matching.group_right is not None
    many_side, one_side = (right, left) if swapped else (left, right)
    ones: dict[Labels, tuple[Labels, Number]] = {}
    for labels, value in one_side.items():
        if ones.setdefault(matching.key(labels), (labels, value))[0] != labels:
            raise QueryError("many-to-many matching not allowed: matching labels must be unique on one side")
    pairs: list[tuple[Labels, Number]] = []
    seen: set[Labels] = set()
    for labels, value in many_side.items():
        key = matching.key(labels)
        if key not in ones:
            continue
        one_labels, one_value = ones[key]
        result, keep = compute(one_value, value) if swapped else compute(value, one_value)
        if not keep:
            continue
        if matching.one_to_one and key in seen:
            raise QueryError("many-to-one matching must be explicit (group_left/group_right)")
        seen.add(key)
        pairs.append((matching.result(labels, one_labels, drop_name=drop_name), result))
    return collect(pairs)


def and_(
    left: Vector, right: Vector, *, on: Sequence[str] | None = None, ignoring: Sequence[str] | None = None
) -> Vector:
    """The samples of `left` whose labels match some sample of `right`."""
    matching = _matching(on, ignoring, None, None)
    keys = {matching.key(labels) for labels in right}
    return {labels: value for labels, value in left.items() if matching.key(labels) in keys}


def or_(
    left: Vector, right: Vector, *, on: Sequence[str] | None = None, ignoring: Sequence[str] | None = None
) -> Vector:
    """All samples of `left`, then those of `right` whose labels match no sample of `left`."""
    matching = _matching(on, ignoring, None, None)
    keys = {matching.key(labels) for labels in left}
    added = ((labels, value) for labels, value in right.items() if matching.key(labels) not in keys)
    return collect([*left.items(), *added])


def unless(
    left: Vector, right: Vector, *, on: Sequence[str] | None = None, ignoring: Sequence[str] | None = None
) -> Vector:
    """The samples of `left` whose labels match no sample of `right`."""
    matching = _matching(on, ignoring, None, None)
    keys = {matching.key(labels) for labels in right}
    return {labels: value for labels, value in left.items() if matching.key(labels) not in keys}


def _operator(table: Mapping[str, T], op: str) -> T:
    if op not in table:
        raise ValueError(f"unknown operator {op!r}: one of {' '.join(table)}")
    return table[op]


def _scalar(side: Vector | Scalar) -> Number:
    if isinstance(side, Mapping):
        raise TypeError("expected a scalar, got a vector")
    return exact(side)


def _vector(side: Vector | Scalar) -> Vector:
    if not isinstance(side, Mapping):
        raise TypeError("at least one side must be a vector; scalars have alertforge.prometheus.number")
    return side


# Aggregation operators


def _groups(
    vector: Vector, by: Sequence[str] | None, without: Sequence[str] | None
) -> dict[Labels, list[tuple[Labels, Number]]]:
    if by is not None and without is not None:
        raise ValueError("choose one of by, without")
    groups: dict[Labels, list[tuple[Labels, Number]]] = {}
    for labels, value in vector.items():
        key = labels.without((*without, METRIC_NAME)) if without is not None else labels.only(by or ())
        groups.setdefault(key, []).append((labels, value))
    return groups


def _aggregate(
    vector: Vector,
    by: Sequence[str] | None,
    without: Sequence[str] | None,
    fold: Callable[[Sequence[Number]], Number],
) -> Vector:
    groups = _groups(vector, by, without)
    return {key: fold([value for _, value in members]) for key, members in groups.items()}


def sum_(vector: Vector, *, by: Sequence[str] | None = None, without: Sequence[str] | None = None) -> Vector:
    """`sum`: the total per group."""
    return _aggregate(vector, by, without, number.total)


def avg(vector: Vector, *, by: Sequence[str] | None = None, without: Sequence[str] | None = None) -> Vector:
    """`avg`: the mean per group."""
    return _aggregate(vector, by, without, number.mean)


def min_(vector: Vector, *, by: Sequence[str] | None = None, without: Sequence[str] | None = None) -> Vector:
    """`min`: the smallest value per group; NaN only if all are NaN."""
    return _aggregate(vector, by, without, number.smallest)


def max_(vector: Vector, *, by: Sequence[str] | None = None, without: Sequence[str] | None = None) -> Vector:
    """`max`: the largest value per group; NaN only if all are NaN."""
    return _aggregate(vector, by, without, number.largest)


def count(vector: Vector, *, by: Sequence[str] | None = None, without: Sequence[str] | None = None) -> Vector:
    """`count`: the number of series per group."""
    return _aggregate(vector, by, without, lambda values: Fraction(len(values)))


def group(vector: Vector, *, by: Sequence[str] | None = None, without: Sequence[str] | None = None) -> Vector:
    """`group`: 1 per group."""
    return _aggregate(vector, by, without, lambda values: Fraction(1))


def stddev(vector: Vector, *, by: Sequence[str] | None = None, without: Sequence[str] | None = None) -> Vector:
    """`stddev`: the population standard deviation per group (rounded to float64)."""
    return _aggregate(vector, by, without, lambda values: number.root(number.variance(values)))


def stdvar(vector: Vector, *, by: Sequence[str] | None = None, without: Sequence[str] | None = None) -> Vector:
    """`stdvar`: the population variance per group."""
    return _aggregate(vector, by, without, number.variance)


def quantile(
    q: Scalar, vector: Vector, *, by: Sequence[str] | None = None, without: Sequence[str] | None = None
) -> Vector:
    """`quantile(q, v)`: the q-quantile per group, interpolated."""
    return _aggregate(vector, by, without, lambda values: number.quantile_of(q, values))


def topk(k: int, vector: Vector, *, by: Sequence[str] | None = None, without: Sequence[str] | None = None) -> Vector:
    """`topk(k, v)`: the k largest samples per group with all their labels; NaN last, ties keep input order."""
    return _ranked(k, vector, by, without, sign=-1)


def bottomk(k: int, vector: Vector, *, by: Sequence[str] | None = None, without: Sequence[str] | None = None) -> Vector:
    """`bottomk(k, v)`: the k smallest samples per group with all their labels; NaN last, ties keep input order."""
    return _ranked(k, vector, by, without, sign=1)


def _ranked(k: int, vector: Vector, by: Sequence[str] | None, without: Sequence[str] | None, *, sign: int) -> Vector:
    def rank(sample: tuple[Labels, Number]) -> tuple[bool, Number]:
        value = sample[1]
        return (True, Fraction(0)) if number.is_nan(value) else (False, sign * value)

    groups = _groups(vector, by, without).values()
    return {labels: value for members in groups for labels, value in sorted(members, key=rank)[: max(k, 0)]}
