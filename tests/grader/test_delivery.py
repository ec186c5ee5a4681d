"""Who is notified of an alert."""

from alertforge.alertmanager.amtool import Match
from alertforge.alertmanager.config import RouteNode, parse
from alertforge.grader.delivery import Delivery
from alertforge.prometheus.series import Labels


def test_a_receiver_without_an_integration_is_nobody() -> None:
    config = parse(
        "route: {receiver: bare}\n"
        "receivers:\n- name: bare\n- {name: empty, webhook_configs: []}\n- {name: real, webhook_configs: [{url: 'http://x'}]}\n"
    )
    labels = Labels.of(alertname="A")
    for name, notified in (("bare", ()), ("empty", ()), ("real", ("real",))):
        node = RouteNode((), config.route, name)
        delivery = Delivery(config, {labels: Match((node,), frozenset(), frozenset())})
        assert delivery.receivers(labels) == (name,)
        assert delivery.notified(labels) == notified
