"""Items about routing (`R`): a team that nothing routes to yet, or whose routes are broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from alertforge.alertmanager import routing as amrouting
from alertforge.alertmanager.config import Config, Route
from alertforge.alertmanager.matchers import Matcher
from alertforge.defects.config import ConfigDefect, Scene
from alertforge.grader.integrations import canonical
from alertforge.grader.requirements.route import effective
from alertforge.grader.spec import ChainCase, ReceiverRule, Requirement, RouteCase, RouteRequirement, Scenario
from alertforge.items.alert import AlertItem
from alertforge.items.base import Edit, Item, Touched, Wrong, told
from alertforge.items.strangers import stranger
from alertforge.prometheus.series import Labels
from alertforge.repo.brief import Request
from alertforge.repo.model import Repo
from alertforge.repo.routing import (
    GROUP_INTERVAL,
    GROUP_WAIT,
    REPEAT_INTERVAL,
    URGENCIES,
    add_team,
    base_config,
    hook_url,
    owner,
    prune,
    receiver,
    receiver_body,
    severity,
    without_team,
)
from alertforge.repo.wordings import fact
from alertforge.seeds import Seed
from alertforge.world.model import Service, Team, World


@dataclass(frozen=True)
class RouteItem:
    """Routing for one team: new, or with a `defect` that the start repo has."""

    id: str
    world: World
    service: Service
    team: Team
    strangers: tuple[Team, ...]  # other teams with routes of their own
    seed: Seed
    defect: ConfigDefect | None = None

    @property
    def scene(self) -> Scene:
        """What a defect of the configuration needs to know."""
        return Scene(self.world, self.team.name)

    def place(self, repo: Repo) -> Repo:
        """The team's receivers and routes, laid out as the house does."""
        return repo.with_config(add_team(repo.config, self.world, self.team.name))

    def break_(self, repo: Repo) -> Repo:
        """As before the team was on call, or with the defect."""
        if self.defect is None:
            return repo.with_config(without_team(repo.config, self.world, self.team.name))
        return repo.with_config(self.defect.apply(repo.config, self.scene) or repo.config)

    def shows(self, defect: ConfigDefect, solved: Config) -> bool:
        """Whether some given-label case comes out otherwise under the defect."""
        broken = defect.apply(solved, self.scene)
        return broken is not None and any(
            set(amrouting.receivers(broken.route, case.labels.as_dict())) != set(case.receivers)
            for case in self._cases(solved)
            if case.receivers is not None
        )

    # --- requirement -------------------------------------------------------------------------------------------------

    def labels(self, team: str, level: str, alert: str = "SomethingElse", **more: str) -> Labels:
        """An alert's labels in this house."""
        style = self.world.style
        return Labels.of(
            {
                "alertname": alert,
                style.severity_label: level,
                style.owner_label: team,
                style.service_label: self.service.name,
                **dict(style.extra_labels),
                **more,
            }
        )

    def requirement(self, solved: Repo, items: Sequence[Item]) -> tuple[Requirement, tuple[Scenario, ...]]:
        """Each severity of the team, look-alikes that are not the team, other teams, and pages that really fired."""
        cases, chain = self._cases(solved.config), self._chain(solved, items)
        return RouteRequirement(self.id, cases, chain, self._receivers(solved.config, cases)), ()

    def _receivers(self, config: Config, cases: Sequence[RouteCase]) -> tuple[ReceiverRule, ...]:
        """How each receiver of the positive cases notifies; what the team's own are made of is part of the request."""
        own = {receiver(self.world, self.team.name, urgency) for urgency in URGENCIES}
        bodies = {one.name: canonical(one) for one in config.receivers if one.name in own}
        nodes = {
            node.receiver: node
            for case in cases
            if case.receivers is not None
            for node in amrouting.resolve(config.route, case.labels.as_dict())
        }
        return tuple(ReceiverRule(name, effective(node), bodies.get(name)) for name, node in nodes.items())

    def _cases(self, config: Config) -> tuple[RouteCase, ...]:
        style, mine = self.world.style, self.team.name
        own = tuple(receiver(self.world, mine, urgency) for urgency in URGENCIES)

        def positive(labels: Labels, why: str) -> RouteCase:
            return RouteCase(labels, amrouting.receivers(config.route, labels.as_dict()), why=why)

        def negative(labels: Labels, why: str, forbidden: tuple[str, ...] = own) -> RouteCase:
            return RouteCase(labels, None, forbidden, why)

        page, ticket = style.severities["page"], style.severities["ticket"]
        cases = [
            positive(self.labels(mine, page), "a page of the team"),
            positive(self.labels(mine, ticket), "a ticket of the team"),
            positive(
                self.labels(mine, page, **{style.service_label: stranger(self.seed, "service")}),
                "a page for another service",
            ),
            positive(
                self.labels(mine, ticket, instance=stranger(self.seed, "instance"), job=stranger(self.seed, "job")),
                "a ticket with more labels",
            ),
            positive(self.labels(mine, style.info_severity), "neither page nor ticket"),
            negative(self.labels(f"{mine}-data", page), "a team with a longer name"),
            negative(self.labels(f"pre-{mine}", page), "a team with a longer name"),
            negative(self.labels("", page), "a page that nobody owns"),
            negative(self.labels("", ticket), "a ticket that nobody owns"),
            negative(self.labels(mine, ticket), "a ticket must not page", own[:1]),
        ]
        for team in self.strangers[:2]:
            cases.append(negative(self.labels(team.name, page), f"a page of team {team.name}"))
            cases.append(negative(self.labels(team.name, ticket), f"a ticket of team {team.name}"))
            theirs = tuple(receiver(self.world, team.name, urgency) for urgency in URGENCIES)
            cases.append(negative(self.labels(mine, page), f"a page of the team, to {team.name}", theirs))
            if self.defect is not None and self.defect.everyone:
                cases.append(positive(self.labels(team.name, page), f"a page of team {team.name} that arrives"))
        return tuple(cases)

    def _chain(self, solved: Repo, items: Sequence[Item]) -> tuple[ChainCase, ...]:
        """Alerts of the team that the queue adds or repairs, each at a minute at which every right answer fires."""
        out = []
        for item in items:
            if not isinstance(item, AlertItem) or item.subject.service.team != self.team.name:
                continue
            rule = item.rule
            labels = {"alertname": rule.name, **dict(rule.labels), **item.subject.identity.as_dict()}
            fired = next((one.case for one in item.judged if one.case.fires), None)
            if fired is None:
                continue
            span = fired.fires[0]
            out.append(
                ChainCase(
                    fired.scenario,
                    (span.first + span.last) // 2,
                    rule.name,
                    item.subject.identity,
                    amrouting.receivers(solved.config.route, labels),
                    f"the page that {rule.name} sends",
                )
            )
        return tuple(out[:2])

    # --- words -------------------------------------------------------------------------------------------------------

    def request(self) -> Request:
        """Who is on call now."""
        style = self.world.style
        page, ticket = (receiver(self.world, self.team.name, urgency) for urgency in URGENCIES)
        team, service = self.team.name, self.service.name
        exact = fact(
            "route-exact",
            team=team,
            service=service,
            page_to=page,
            ticket_to=ticket,
            owner=style.owner_label,
            key=style.severity_label,
            page=style.severities["page"],
            ticket=style.severities["ticket"],
            page_url=hook_url(self.world, page),
            ticket_url=hook_url(self.world, ticket),
        )
        outcome = fact("route-outcome", title=self.team.title, team=team, service=service)
        symptom = ""
        if self.defect is not None:
            symptom = told(self._symptoms(self.defect), self.seed, service=self.service.name, team=self.team.title)
        return Request(self.id, "route", self.service, self.team.name, exact, outcome, symptom, "misrouted")

    def _symptoms(self, defect: ConfigDefect) -> tuple[str, ...]:
        """What is told: graver where the team's queue takes the pages of all."""
        whole = base_config(self.world, self.world.teams)
        broken, foreign = defect.apply(whole, self.scene), [one.name for one in self.strangers[:1]]
        if not defect.filed or broken is None or not foreign:
            return defect.symptoms
        page, ticket = (receiver(self.world, self.team.name, urgency) for urgency in URGENCIES)
        labels = self.labels(foreign[0], self.world.style.severities["page"]).as_dict()
        reached = amrouting.receivers(broken.route, labels)
        return defect.filed if ticket in reached and page not in reached else defect.symptoms

    def touched(self) -> Touched:
        """The team's receivers."""
        return Touched(receivers=tuple(receiver(self.world, self.team.name, urgency) for urgency in URGENCIES))

    # --- other ways --------------------------------------------------------------------------------------------------

    def _routes(self, *routes: Route, first: bool = False) -> Edit:
        """The team's receivers as they are, other routes instead of the reference's."""

        def edit(repo: Repo) -> Repo:
            names = {receiver(self.world, self.team.name, urgency) for urgency in URGENCIES}
            root = prune(repo.config.route, names)
            audit = 1 if self.world.style.audit_receiver else 0
            kept = root.routes
            at = audit if first else len(kept)
            # a severity-first house has catch-all severity routes: a team's own routes must stand before them
            at = audit if self.world.style.routing == "severity-first" else at
            return repo.with_config(replace(repo.config, route=replace(root, routes=(*kept[:at], *routes, *kept[at:]))))

        return edit

    def accepted(self) -> Mapping[str, Edit]:
        """Flat routes, by pattern or legacy matchers, at the top, with what the root says repeated; a nested one."""
        page, ticket = (receiver(self.world, self.team.name, urgency) for urgency in URGENCIES)
        mine = owner(self.world, self.team.name)
        pages, tickets = (severity(self.world, urgency) for urgency in URGENCIES)
        default = None if self.world.style.routing == "team-first" else self.world.style.default_receiver
        rest = (Route(ticket, matchers=(mine,)),) if default is None else ()
        flat = (Route(page, matchers=(mine, pages)), Route(ticket, matchers=(mine, tickets)), *rest)
        children = (Route(page, matchers=(pages,)), Route(ticket, matchers=(tickets,)))
        nested = Route(default or ticket, matchers=(mine,), routes=children)
        legacy = tuple(
            replace(route, matchers=tuple(replace(m, legacy=True) for m in route.matchers)) for route in flat
        )
        exactly = Matcher(self.world.style.owner_label, "=~", self.team.name)  # patterns are anchored
        pattern = tuple(
            replace(route, matchers=tuple(exactly if m == mine else m for m in route.matchers)) for route in flat
        )
        return {
            "pattern": self._routes(*pattern),
            "flat": self._routes(*flat),
            "nested": self._routes(nested),
            "legacy-match": self._routes(*legacy),
            "at-the-top": self._routes(*flat, first=True),
            "grouping-restated": self._routes(*(self._restated(route) for route in flat)),
        }

    def _restated(self, route: Route) -> Route:
        """With what every route of the house inherits written out."""
        return replace(
            route,
            group_by=tuple(reversed(self.world.style.group_by)),
            group_wait=GROUP_WAIT,
            group_interval=GROUP_INTERVAL,
            repeat_interval=REPEAT_INTERVAL,
        )

    def _elsewhere(self, repo: Repo) -> Repo:
        """The team's receivers as names that post to somebody else's hook."""
        names = {receiver(self.world, self.team.name, urgency) for urgency in URGENCIES}
        body = receiver_body(self.world, self.world.style.default_receiver)
        receivers = tuple(replace(one, body=body) if one.name in names else one for one in repo.config.receivers)
        return repo.with_config(replace(repo.config, receivers=receivers))

    def _alone(self, repo: Repo) -> Repo:
        """Still broken for everyone else: the team's own routes stand above what is broken."""
        page, ticket = (receiver(self.world, self.team.name, urgency) for urgency in URGENCIES)
        mine, audit = owner(self.world, self.team.name), self.world.style.audit_receiver
        root = self.break_(repo).config.route
        pages = (mine, severity(self.world, "page"))
        copies = (Route(audit, matchers=pages, continue_=True),) if audit else ()
        rest = ticket if self.world.style.routing == "team-first" else self.world.style.default_receiver
        own = (
            *copies,
            Route(page, matchers=pages),
            Route(ticket, matchers=(mine, severity(self.world, "ticket"))),
            Route(rest, matchers=(mine,)),
        )
        return repo.with_config(replace(repo.config, route=replace(root, routes=(*own, *root.routes))))

    def wrong(self) -> Mapping[str, Wrong]:
        """To the wrong receiver, of too many alerts, grouped otherwise, or by names that post elsewhere.

        Where a defect concerns everyone, a repair for this team alone is wrong, too.
        """
        page, ticket = (receiver(self.world, self.team.name, urgency) for urgency in URGENCIES)
        name = self.world.style.owner_label
        mine = owner(self.world, self.team.name)
        pages, tickets = (severity(self.world, urgency) for urgency in URGENCIES)
        prefix = Matcher(name, "=~", f".*{self.team.name}.*")
        narrow = {} if self.defect is None or not self.defect.everyone else {"one-team-only": Wrong(self._alone, 0.97)}
        return narrow | {
            "all-to-the-pager": Wrong(self._routes(Route(page, matchers=(mine,))), 0.9),
            "pattern": Wrong(
                self._routes(Route(page, matchers=(prefix, pages)), Route(ticket, matchers=(prefix, tickets))), 0.95
            ),
            "all-pages": Wrong(
                self._routes(Route(page, matchers=(pages,)), Route(ticket, matchers=(mine, tickets)), first=True), 0.9
            ),
            "swapped": Wrong(
                self._routes(Route(ticket, matchers=(mine, pages)), Route(page, matchers=(mine, tickets))), 0.6
            ),
            "a-page-an-alert": Wrong(
                self._routes(
                    Route(page, ("...",), matchers=(mine, pages)),
                    Route(ticket, matchers=(mine, tickets) if self.world.style.routing != "team-first" else (mine,)),
                ),
                0.95,
            ),
            "hooks-of-others": Wrong(self._elsewhere, 0.7),
        }
