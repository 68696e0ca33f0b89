# The dashboard as an image: built with the network, run without it. docs/hosting.md says how.
# A release names the digest of the base: debian:bookworm-slim@sha256:…
ARG BASE=debian:bookworm-slim
FROM ${BASE} AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY requirements/image.txt ./
RUN python3 -m venv /opt/mteval \
    && /opt/mteval/bin/pip install --no-cache-dir --no-deps --only-binary :all: --require-hashes --requirement image.txt
COPY . .
# The lock has hatchling, and all that the extras app, meteor, postgresql and sign-in need
RUN /opt/mteval/bin/pip install --no-cache-dir --no-deps --no-build-isolation . && /opt/mteval/bin/pip check

FROM ${BASE}
# Chromium draws the figures of reports
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chromium curl fonts-dejavu-core python3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --user-group --create-home mteval \
    && install --directory --owner=mteval --group=mteval --mode=0700 /data /cache
COPY --from=build /opt/mteval /opt/mteval
ENV PATH=/opt/mteval/bin:/usr/bin:/bin HOME=/home/mteval MTEVAL_HOME=/data MTEVAL_CACHE=/cache MTEVAL_BASE_PATH=""
USER 1000
WORKDIR /home/mteval
# Machine code is made now rather than before the first visitor; a new volume starts with it
RUN mteval prepare
VOLUME ["/data", "/cache"]
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["sh", "-c", "curl --fail --silent http://127.0.0.1:8501${MTEVAL_BASE_PATH:+/$MTEVAL_BASE_PATH}/_stcore/health"]
ENTRYPOINT ["mteval", "app", "--address=0.0.0.0", "--no-browser"]
