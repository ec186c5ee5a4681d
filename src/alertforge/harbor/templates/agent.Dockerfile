# canary {{ canary }}
# Where the work is done: the repo in /workspace/monitoring, the tools that its bin/af-check needs, two editors.
FROM debian:trixie-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      bash ca-certificates git jq less nano patch procps python3 python3-yaml ripgrep tar tmux vim-tiny \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --shell /bin/bash {{ user }} \
 && install -d -o {{ user }} -g {{ user }} /workspace /workspace/monitoring
COPY --from=prom/prometheus:{{ prometheus }} /bin/promtool /usr/local/bin/promtool
COPY --from=prom/alertmanager:{{ alertmanager }} /bin/amtool /usr/local/bin/amtool
WORKDIR /workspace/monitoring
COPY --chown={{ user }}:{{ user }} workspace/monitoring/ /workspace/monitoring/
