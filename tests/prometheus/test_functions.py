"""The reference evaluator on examples small enough to check by hand; `tests/parity` compares it with promtool."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest

from alertforge.prometheus import functions as prom
from alertforge.prometheus.functions import QueryError, Vector
from alertforge.prometheus.series import GAP, STALE, Labels, Sample, Series

INF, NAN = math.inf, math.nan


def series(*samples: Sample, interval: int = 60, **labels: str) -> list[Series]:
    """One series named `m` with these samples."""
    return [Series(Labels.of({"__name__": "m", **labels}), samples, interval)]


def counter(step: int, length: int) -> list[Series]:
    return series(*range(0, step * length, step))


def vector(*pairs: tuple[dict[str, str], float | Fraction]) -> Vector:
    return {Labels.of(labels): value if isinstance(value, float) else Fraction(value) for labels, value in pairs}


def values(result: Vector) -> list[object]:
    return list(result.values())


def only(result: Vector) -> Fraction | float:
    (value,) = result.values()
    return value


class TestSelectors:
    def test_the_lookback_is_left_open(self) -> None:
        up = series(GAP, 1)
        assert [bool(prom.select(up, at)) for at in (59, 60, 359, 360)] == [False, True, True, False]

    def test_a_gap_shows_the_value_before_it_and_a_stale_marker_nothing(self) -> None:
        assert values(prom.select(series(1, GAP, GAP), 120)) == [1]
        assert values(prom.select(series(1, STALE, GAP), 120)) == []
        assert values(prom.select(series(1, STALE, 2), 120)) == [2]

    def test_an_offset_looks_back_and_the_name_is_kept(self) -> None:
        assert prom.select(series(1, 2, 3, pod="a"), 120, offset=60) == vector(({"__name__": "m", "pod": "a"}, 2))

    def test_a_range_is_left_open(self) -> None:
        assert only(prom.count_over_time(series(1, 2, 3, 4), 120, 180)) == 2

    def test_a_range_skips_gaps_and_stale_markers(self) -> None:
        assert only(prom.count_over_time(series(1, GAP, STALE, 4), 300, 180)) == 2

    def test_two_series_that_differ_in_name_only_cannot_lose_it(self) -> None:
        both = [*series(1, 2), Series(Labels.of({"__name__": "n"}), (1, 2))]
        assert len(prom.last_over_time(both, 300, 60)) == 2
        with pytest.raises(QueryError, match="same labelset"):
            prom.max_over_time(both, 300, 60)


class TestCounters:
    def test_rate_needs_two_samples_in_the_range(self) -> None:
        assert prom.rate(counter(60, 10), 60, 300) == {}
        assert only(prom.rate(counter(60, 10), 120, 300)) == 1

    def test_increase_is_stretched_to_the_boundaries_of_the_window(self) -> None:
        # samples at 360..600 cover 240 s of 300 s
        assert only(prom.increase(counter(10, 20), 300, 600)) == 50

    def test_a_distant_boundary_is_approached_by_half_a_sample_distance_only(self) -> None:
        late = series(*[GAP] * 8, 100, 110, 120)  # samples at 480, 540, 600; window from 300
        assert only(prom.increase(late, 300, 600)) == 20 * Fraction(120 + 30, 120)

    def test_a_boundary_at_exactly_1_1_sample_distances_is_distant_as_float64_has_it(self) -> None:
        # 60 * 1.1 is 66.0 in float64 (distant), 50 * 1.1 is 55.00000000000001 (near)
        assert only(prom.delta(series(0, 6), 130, 126)) == 6 * Fraction(60 + 4 + 30, 60)
        assert only(prom.delta(series(0, 1, interval=50), 110, 105)) == Fraction(50 + 5 + 55, 50)

    def test_a_counter_is_not_extended_below_zero(self) -> None:
        young = series(*[GAP] * 3, 5, 65, 125)  # at 180, 240, 300: zero five seconds before the first sample
        assert only(prom.increase(young, 180, 300)) == 120 * Fraction(120 + 5, 120)
        assert only(prom.delta(young, 180, 300)) == 180

    def test_a_reset_counts_from_zero(self) -> None:
        assert only(prom.increase(series(100, 110, 5, 15), 240, 180)) == (15 - 100 + 110) * Fraction(180 + 60, 180)
        assert only(prom.resets(series(100, 110, 5, 15), 240, 180)) == 1

    def test_irate_and_idelta_use_the_last_two_samples(self) -> None:
        assert only(prom.irate(series(0, 10, 40), 300, 120)) == Fraction(1, 2)
        assert only(prom.irate(series(0, 40, 10), 300, 120)) == Fraction(1, 6)
        assert only(prom.idelta(series(0, 40, 10), 300, 120)) == -30

    def test_values_are_exact(self) -> None:
        assert only(prom.rate(counter(1, 10), 420, 540)) == Fraction(1, 60)


class TestGauges:
    def test_deriv_and_predict_linear_fit_a_line(self) -> None:
        falling = series(100, 90, 80, 70)
        assert only(prom.deriv(falling, 300, 180)) == Fraction(-1, 6)
        assert only(prom.predict_linear(falling, 300, 180, 420)) == 0

    def test_predict_linear_looks_ahead_of_the_evaluation_not_of_the_offset(self) -> None:
        assert only(prom.predict_linear(series(100, 90, 80, 70), 300, 300, 0, offset=120)) == 50

    def test_predict_linear_with_an_infinite_sample_follows_the_formula(self) -> None:
        # found by parity: +Inf and not NaN, because the infinity lies after the evaluation time
        samples = series(11, GAP, -34, GAP, GAP, INF)
        assert only(prom.predict_linear(samples, 714, 242, 60, offset=-61)) == INF

    def test_changes_counts_differences_and_nan_stays_nan(self) -> None:
        assert only(prom.changes(series(1, 1, 2, NAN, NAN, 2), 600, 300)) == 3

    @pytest.mark.parametrize(
        ("function", "expected"),
        [
            (prom.avg_over_time, Fraction(5, 2)),
            (prom.min_over_time, 1),
            (prom.max_over_time, 4),
            (prom.sum_over_time, 10),
            (prom.count_over_time, 4),
            (prom.last_over_time, 3),
            (prom.present_over_time, 1),
            (prom.stdvar_over_time, Fraction(5, 4)),
        ],
    )
    def test_over_time(self, function: object, expected: Fraction) -> None:
        assert callable(function)
        assert only(function(series(1, 4, 2, 3), 300, 180)) == expected

    def test_quantile_over_time_interpolates(self) -> None:
        ten_steps = series(*range(11))
        assert only(prom.quantile_over_time(0.9, ten_steps, 900, 600)) == 9
        assert only(prom.quantile_over_time(0.25, series(4, 1, 2, 3), 300, 180)) == Fraction(7, 4)
        assert only(prom.quantile_over_time(1.1, ten_steps, 900, 600)) == INF

    def test_minimum_and_maximum_pass_over_nan_but_sums_do_not(self) -> None:
        samples = series(NAN, 1, 3)
        assert only(prom.max_over_time(samples, 300, 120)) == 3
        assert only(prom.min_over_time(samples, 300, 120)) == 1
        assert math.isnan(only(prom.avg_over_time(samples, 300, 120)))

    def test_sums_of_floats_are_exact(self) -> None:
        assert only(prom.sum_over_time(series(0.1, 0.2), 300, 60)) == Fraction(0.1) + Fraction(0.2)


class TestSubquery:
    def test_steps_are_multiples_of_the_step_in_a_left_open_window(self) -> None:
        asked: list[int] = []

        def evaluate(at: int) -> Vector:
            asked.append(at)
            return {}

        prom.subquery(evaluate, 180, 60, 300, offset=10)
        prom.subquery(evaluate, 120, 60, 60)
        assert asked == [120, 180, 240, 0, 60]

    def test_the_largest_rate_of_half_an_hour(self) -> None:
        burst = series(*range(0, 600, 60), *range(1140, 7140, 600), *[6540] * 20)

        def five_minutes(at: int) -> Vector:
            return prom.rate(burst, 300, at)

        assert only(prom.max_over_time(prom.subquery(five_minutes, 1800, 60, 1800), 1800, 1800)) == 10


class TestAbsence:
    def test_absent_carries_the_labels_of_the_selector_without_its_name(self) -> None:
        assert prom.absent({}, {"__name__": "up", "job": "api"}) == vector(({"job": "api"}, 1))
        assert prom.absent(vector(({}, 0)), {"job": "api"}) == {}

    def test_absent_over_time_needs_an_empty_window(self) -> None:
        gone = series(1, 1, STALE)
        assert prom.absent_over_time(gone, 120, 179, {}) == {}
        assert prom.absent_over_time(gone, 120, 180, {}) == vector(({}, 1))


def buckets(**counts: float) -> Vector:
    bounds = {"half": "0.5", "one": "1", "two": "2.0", "top": "+Inf"}
    return vector(*(({"__name__": "h_bucket", "le": bounds[key]}, Fraction(value)) for key, value in counts.items()))


class TestHistogramQuantile:
    def test_interpolates_within_the_bucket_that_holds_the_rank(self) -> None:
        histogram = buckets(half=10, one=30, two=40, top=40)
        assert only(prom.histogram_quantile(0.5, histogram)) == Fraction(3, 4)
        assert only(prom.histogram_quantile(0.125, histogram)) == Fraction(1, 4)

    def test_is_capped_at_the_highest_finite_bound(self) -> None:
        assert only(prom.histogram_quantile(0.99, buckets(half=10, one=30, top=40))) == 1

    @pytest.mark.parametrize("histogram", [buckets(half=1, one=2), buckets(half=0, top=0), buckets(top=5)])
    def test_is_nan_without_a_top_bucket_without_observations_or_without_bounds(self, histogram: Vector) -> None:
        assert math.isnan(only(prom.histogram_quantile(0.5, histogram)))

    def test_a_bucket_below_its_neighbour_is_raised_to_it(self) -> None:
        falling = buckets(half=10, one=8, two=20, top=20)
        assert only(prom.histogram_quantile(0.75, falling)) == only(
            prom.histogram_quantile(0.75, buckets(half=10, one=10, two=20, top=20))
        )

    def test_two_spellings_of_a_bound_are_one_bucket(self) -> None:
        spelled = vector(({"le": "1"}, 3), ({"le": "1.0"}, 7), ({"le": "+Inf"}, 10), ({"le": "none"}, 99))
        assert only(prom.histogram_quantile(0.5, spelled)) == Fraction(1, 2)

    def test_series_without_le_give_nothing(self) -> None:
        assert prom.histogram_quantile(0.5, vector(({"job": "a"}, 1))) == {}

    def test_the_rank_nine_of_ten_is_not_a_hair_above_nine(self) -> None:
        skipped = buckets(half=9, one=9, two=10, top=10)
        assert only(prom.histogram_quantile(0.9, skipped)) == pytest.approx(0.5)


ERRORS = vector(({"job": "a", "code": "500"}, 1), ({"job": "b", "code": "500"}, 2))
TOTALS = vector(({"job": "a"}, 4), ({"job": "c"}, 5))


class TestOperators:
    def test_ignoring_and_on_choose_the_labels_that_match(self) -> None:
        assert prom.arithmetic(ERRORS, "/", TOTALS) == {}
        quarter = vector(({"job": "a"}, Fraction(1, 4)))
        assert prom.arithmetic(ERRORS, "/", TOTALS, ignoring=["code"]) == quarter
        assert prom.arithmetic(ERRORS, "/", TOTALS, on=["job"]) == quarter

    def test_group_left_keeps_the_labels_of_the_many_side(self) -> None:
        limit = vector(({"job": "a", "zone": "x"}, 2))
        assert prom.arithmetic(ERRORS, "*", limit, on=["job"], group_left=["zone"]) == vector(
            ({"job": "a", "code": "500", "zone": "x"}, 2)
        )
        assert prom.arithmetic(limit, "-", ERRORS, on=["job"], group_right=[]) == vector(
            ({"job": "a", "code": "500"}, 1)
        )

    def test_ambiguous_matches_are_refused(self) -> None:
        codes = vector(({"job": "a", "code": "500"}, 1), ({"job": "a", "code": "503"}, 1))
        with pytest.raises(QueryError, match="many-to-one"):
            prom.arithmetic(codes, "/", TOTALS, on=["job"])
        with pytest.raises(QueryError, match="many-to-many"):
            prom.arithmetic(TOTALS, "/", codes, on=["job"])
        assert prom.arithmetic({}, "/", codes, on=["job"]) == {}

    @pytest.mark.parametrize(
        ("left", "op", "right", "expected"),
        [
            (1, "/", 0, INF),
            (-1, "/", 0, -INF),
            (5, "/", INF, 0),
            (-7, "%", 3, -1),
            (7, "%", INF, 7),
            (INF, "+", 1, INF),
            (0, "/", 0, NAN),
            (INF, "-", INF, NAN),
            (INF, "*", 0, NAN),
            (7, "%", 0, NAN),
        ],
    )
    def test_arithmetic_follows_ieee_754(self, left: float, op: str, right: float, expected: float) -> None:
        result = only(prom.arithmetic(vector(({}, Fraction(left) if math.isfinite(left) else left)), op, right))
        assert math.isnan(result) if math.isnan(expected) else result == expected

    def test_a_comparison_filters_and_keeps_value_and_name(self) -> None:
        up = vector(({"__name__": "up", "job": "a"}, 1), ({"__name__": "up", "job": "b"}, 0))
        assert prom.compare(up, "==", 0) == vector(({"__name__": "up", "job": "b"}, 0))
        assert prom.compare(1, "<=", up) == vector(({"__name__": "up", "job": "a"}, 1))
        assert prom.compare(up, "==", 0, return_bool=True) == vector(({"job": "a"}, 0), ({"job": "b"}, 1))

    def test_nan_compares_with_nothing(self) -> None:
        nothing = vector(({}, NAN))
        assert [bool(prom.compare(nothing, op, 1)) for op in ("<", ">", "==", "!=")] == [False, False, False, True]

    def test_set_operators(self) -> None:
        a, b = vector(({"job": "a"}, 1), ({"job": "b"}, 2)), vector(({"job": "b", "x": "1"}, 3), ({"job": "c"}, 4))
        assert prom.and_(a, b, on=["job"]) == vector(({"job": "b"}, 2))
        assert prom.unless(a, b, on=["job"]) == vector(({"job": "a"}, 1))
        assert prom.or_(a, b, on=["job"]) == vector(({"job": "a"}, 1), ({"job": "b"}, 2), ({"job": "c"}, 4))

    def test_unknown_operators_and_modifiers_that_exclude_each_other_are_refused(self) -> None:
        with pytest.raises(ValueError, match="unknown operator"):
            prom.arithmetic(TOTALS, "**", 2)
        with pytest.raises(ValueError, match="on, ignoring"):
            prom.compare(TOTALS, ">", TOTALS, on=[], ignoring=[])
        with pytest.raises(ValueError, match="by, without"):
            prom.sum_(TOTALS, by=[], without=[])


PODS = vector(
    ({"__name__": "m", "job": "a", "pod": "1"}, 1),
    ({"__name__": "m", "job": "a", "pod": "2"}, 4),
    ({"__name__": "m", "job": "b", "pod": "1"}, 2),
)


class TestAggregations:
    @pytest.mark.parametrize(
        ("function", "expected"),
        [
            (prom.sum_, [5, 2]),
            (prom.avg, [Fraction(5, 2), 2]),
            (prom.min_, [1, 2]),
            (prom.max_, [4, 2]),
            (prom.count, [2, 1]),
            (prom.group, [1, 1]),
            (prom.stdvar, [Fraction(9, 4), 0]),
            (prom.stddev, [Fraction(3, 2), 0]),
        ],
    )
    def test_by_job_and_without_pod_are_the_same_groups(self, function: object, expected: Sequence[Fraction]) -> None:
        assert callable(function)
        result = function(PODS, by=["job"])
        assert result == vector(({"job": "a"}, expected[0]), ({"job": "b"}, expected[1]))
        assert function(PODS, without=["pod"]) == result

    def test_no_grouping_gives_one_sample_and_an_empty_vector_none(self) -> None:
        assert prom.sum_(PODS) == vector(({}, 7))
        assert prom.sum_({}) == {}

    def test_topk_and_bottomk_keep_whole_series(self) -> None:
        assert values(prom.topk(1, PODS, by=["job"])) == [4, 2]
        assert values(prom.bottomk(2, PODS)) == [1, 2]
        assert prom.topk(0, PODS) == {}
        assert values(prom.topk(1, vector(({"a": "1"}, NAN), ({"a": "2"}, 1)))) == [1]

    def test_quantile(self) -> None:
        assert values(prom.quantile(0.5, PODS)) == [2]
