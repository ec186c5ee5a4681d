# canary {{ canary }}
# Where a finished workspace is graded: the grader, the hidden contract, promtool and amtool.
FROM python:3.13-slim-trixie
COPY --from=prom/prometheus:{{ prometheus }} /bin/promtool /usr/local/bin/promtool
COPY --from=prom/alertmanager:{{ alertmanager }} /bin/amtool /usr/local/bin/amtool
RUN pip install --no-cache-dir --disable-pip-version-check pyyaml=={{ pyyaml }} promql-parser=={{ promql_parser }}
WORKDIR /tests
COPY . /tests/
