# SPDX-License-Identifier: Apache-2.0
# Where everything of this repository builds and every test runs:
#
#   docker build -t tamis . && docker run --rm -v "$PWD:/tamis" tamis ./dev test
FROM debian:12
RUN apt-get update && apt-get install -y --no-install-recommends \
    bash ca-certificates git sudo && rm -rf /var/lib/apt/lists/*
COPY dev /tmp/tamis/dev
# The packages that ./dev installs, so that a container starts with them.
RUN apt-get update && CI=true /tmp/tamis/dev install-ci && \
    rm -rf /var/lib/apt/lists/* /tmp/tamis
WORKDIR /tamis
CMD ["./dev"]
