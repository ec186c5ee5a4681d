import pytest

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
