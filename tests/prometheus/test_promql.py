import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alertforge.prometheus import promql
from alertforge.prometheus.promql import (
    Number,
    PromQLError,
    Selector,
    duration_ms,
    normal_form,
    parse,
    rewrite,
    to_text,
)


@pytest.mark.parametrize(
    "text",
    [
        'sum by (job) (rate(x{a="b", c=~"d.*"}[5m] offset 1m)) / on (job) group_left (team) y > bool 3',
        "a / ignoring (b) group_right () c",
        "max_over_time(rate(x[5m])[30m:1m])",
        "(a or b) and c",
        "a or b and c",
        "a - (b - c)",
        "a - b - c",
        "2 ^ 3 ^ 2",
        "(2 ^ 3) ^ 2",
        "-x ^ 2",
        "(-x) ^ 2",
        "a - -b",
        "(a > 1)[5m:]",
        "x @ end() offset 5m",
        "x @ 5",
        "x offset -5m",
        '{"my.metric", "a b"="c"}',
        '{a="b"}',
        'label_replace(absent(up{job="a\\"b"}), "a", "b", "", "")',
        "sum without () (x)",
        "sum(x)",
        "quantile by (le) (0.9, x)",
        'count_values("v", x)',
        "a unless on () b",
        "a * ignoring () group_left (c) b",
        "14.4 * (1 - 0.995)",
        "slo:sli_error:ratio_rate5m > 0.001",
        "x > 1e-09",
    ],
)
def test_print_is_the_inverse_of_parse(text: str) -> None:
    assert to_text(parse(text)) == text


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x > 3", "3 < x"),
        ("a * b", "b * a"),
        ('x{a="b",c="d"}', 'x{c="d", a="b"}'),
        ("sum by (a, b) (x)", "sum(x) by (b, a)"),
        ("x > 14.4 * 0.005", "x > (0.072)"),
        ("x # comment", "x"),
        ('{__name__="x"}', "x"),
        ("x{a=`b\\d`}", 'x{a="b\\\\d"}'),
    ],
)
def test_normal_form_is_equal_for_spellings_of_one_expression(left: str, right: str) -> None:
    assert normal_form(parse(left)) == normal_form(parse(right))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a - b", "b - a"),
        ("a and b", "b and a"),
        ("x > 3", "x >= 3"),
        ("sum(x)", "sum without () (x)"),
        ("a > b", "b < a"),
        ("a * on (x) b", "b * on (x) a"),
    ],
)
def test_normal_form_keeps_apart_what_behaves_differently(left: str, right: str) -> None:
    assert normal_form(parse(left)) != normal_form(parse(right))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(",
        "x{",
        "(" * 100_000 + "x",
        "-" * 7000 + "x",
        " or ".join(["x"] * 2000),
        "x[99999999999999y]",
        "x[5.5m]",
        "nope(x)",
        "x{a=`b",
        "\x00",
    ],
)
def test_broken_and_absurd_text_is_one_clear_error(text: str) -> None:
    with pytest.raises(PromQLError) as info:
        parse(text)
    assert "\n" not in str(info.value)


def test_rewrite_reaches_every_node() -> None:
    doubled = rewrite(parse("a > 1 and b < 2"), lambda n: Number(n.value * 2) if isinstance(n, Number) else n)
    assert to_text(doubled) == "a > 2 and b < 4"


def test_selector_keeps_window_and_offset_in_milliseconds() -> None:
    assert parse("x[90s] offset 2m") == Selector("x", (), 90_000, 120_000)


@pytest.mark.parametrize(
    ("text", "ms"), [("5m", 300_000), ("1h30m", 5_400_000), ("250ms", 250), ("0", 0), ("1w", 604_800_000)]
)
def test_durations(text: str, ms: int) -> None:
    assert duration_ms(text) == ms


@pytest.mark.parametrize("text", ["", "5", "m", "1m1h", "1m1m", "1.5h", "99999999999999y", "-5m"])
def test_bad_durations(text: str) -> None:
    with pytest.raises(PromQLError):
        duration_ms(text)


@pytest.mark.parametrize(
    ("text", "printed"), [("x / - 0", "x / -0"), ("-0", "-0"), ("0", "0"), ("(-0) ^ x", "(-0) ^ x")]
)
def test_a_zero_keeps_the_sign_that_a_quotient_shows(text: str, printed: str) -> None:
    assert to_text(parse(text)) == printed


# What `promtool promql format` of Prometheus 3.5 prints, without its decimals.
@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("up @ -1", "up @ -1"),
        ("up @ -0.5", "up @ -0.5"),
        ("up @ - 1", "up @ -1"),
        ("up @ +5", "up @ 5"),
        ("up @ 253402300800", "up @ 253402300800"),
        ("up @ 1.0005", "up @ 1.001"),
        ("up @ 0x10", "up @ 16"),
        ("up @ 010", "up @ 8"),
        ("up @ 1_000", "up @ 1000"),
        ("up @ 1e-400", "up @ 0"),
        ("up @ 5m30s", "up @ 330"),
        ("up @ -5m", "up @ -300"),
        ("up[5m:1m] @ -5", "up[5m:1m] @ -5"),
        ('up{a="@ 5"} @ 7 + (up @ start()) - rate(up[5m] @ -3)', 'up{a="@ 5"} @ 7 + up @ start() - rate(up[5m] @ -3)'),
        ("up @ # now\n 6", "up @ 6"),
    ],
)
def test_a_time_behind_at_is_read_as_prometheus_reads_it(text: str, printed: str) -> None:
    assert to_text(parse(text)) == printed
    assert parse(printed) == parse(text)


# As above: taken by Prometheus, and not by the reader as they stand.
@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("1_000", "1000"),
        ("0xF_F", "255"),
        ("0_10", "8"),
        ("1_0.5", "10.5"),
        ("1e1_0", "10000000000"),
        ("x_1_0 > 1_0", "x_1_0 > 10"),
        ('x{a="1_0"} > 1_0', 'x{a="1_0"} > 10'),
        ("a_1:5m:x_1_0 @ 3", "a_1:5m:x_1_0 @ 3"),
        ("x[5m:1_0]", "x[5m:10s]"),
        (":a_1:1_0 @ 3", ":a_1:1_0 @ 3"),
    ],
)
def test_a_number_may_have_underscores_and_a_name_keeps_its_own(text: str, printed: str) -> None:
    assert parse(text) == parse(printed)


@pytest.mark.parametrize(
    "text",
    [
        "up @ 1e300",
        "up @ 1e19",
        "up @ -1e19",
        "up @ 1e400",
        "up @ NaN",
        "up @ -Inf",
        "up @ --1",
        "up @ 1e",
        "up @ 0x",
        "up @ 0b1",
        "up @ 300y1e9s",
        "up @ 1 @ 2",
        "up @ (5)",
        "up @",
        "@ 5",
        "5 @ 5",
        "sum(up) @ 5",
        "up offset -1e300",
        "up offset 1e14",
        "up offset 9e17",
        "up[1e300]",
        "up[1e14]",
        "up[9e17]",
        "up[1e9y]",
        "up[5_0s]",
        "up[5m:1e300]",
        "up[5m:9e17] @ 3",
        "0x",
        "1__0",
        "0x1p4",
        "0xffffffffffffffffffff",
    ],
)
def test_what_prometheus_refuses_at_the_ends_of_numbers_is_one_clear_error(text: str) -> None:
    with pytest.raises(PromQLError) as info:
        parse(text)
    assert str(info.value)
    assert "\n" not in str(info.value)


def test_only_what_the_reader_makes_is_an_error_of_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    class AlarmError(BaseException):
        pass

    def ring(text: str) -> None:
        raise AlarmError

    monkeypatch.setattr("alertforge.prometheus.promql.reader.parse", ring)
    with pytest.raises(AlarmError):
        parse("up")


PIECES = [
    "up",
    "[5m]",
    "[5m:",
    "]",
    "1m",
    "(",
    ")",
    " @ ",
    "@",
    "start()",
    "-",
    "+",
    "1",
    "1_0",
    "1e300",
    "1e19",
    "0x",
    ".5",
]
PIECES += [
    " offset ",
    "1e14",
    "300y",
    "9e17",
    "NaN",
    "Inf",
    "_",
    ":",
    "1e-9",
    "08",
    "253402300800",
    "{",
    '"@ 5"',
    "}",
    " ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_any_text_of_numbers_and_modifiers_is_a_tree_or_one_error(text: str) -> None:
    try:
        tree = parse(text)
    except PromQLError:
        return
    assert parse(to_text(normal_form(tree))) is not None


@pytest.mark.parametrize("operator", ["^", "+", " or ", "==", " unless ", "%"])
def test_a_chain_of_operators_is_refused_before_it_is_read(operator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader takes half a minute for 4,000 of them."""
    monkeypatch.setattr(promql, "reader", None)
    with pytest.raises(promql.TooLargeError, match="operators"):
        promql.parse(operator.join(["x"] * 300))


def test_operators_inside_strings_and_matchers_are_none() -> None:
    text = "+" * 500
    tree = promql.parse(f'sum(up{{a="{text}", b!~"x", c=\'{text}\'}}) > 1')
    assert len(promql.selectors(tree)) == 1


@pytest.mark.parametrize(
    "pattern", [r"\\Q.\\E", r"\\101", r"\\07", r"\\pL{900}", r"(?:\\w{100}){10}", "[[]", r"\\p{^Greek}"]
)
def test_patterns_of_go_alone_are_read(pattern: str) -> None:
    for text in (f'x{{a=~"{pattern}"}}', f'{{a!~"{pattern}"}}', f'x{{b=~"1", a!~"{pattern}", c=~"2|3"}} > 1'):
        assert to_text(parse(text)) == text
    assert normal_form(parse(f"x{{b!~'1', a=~'{pattern}'}}")) == normal_form(parse(f'x{{a=~"{pattern}",b!~"1"}}'))


@pytest.mark.parametrize(
    ("text", "value"), [("0e0", 0), ("0e1", 0), ("007e2", 700), ("00E-1", 0), ("0x1e2", 482), ("1e4", 10_000)]
)
def test_numbers_that_begin_with_zero_are_read_with_their_exponent(text: str, value: float) -> None:
    assert promql.parse(f"x == {text}") == promql.parse(f"x == {value}")
