# onair as an image: docs/install.md says how to run it. `npm run image` builds the last stage on Debian, without a daemon and without a
# registry of images: there BASE is a bare Debian with the Node of that machine, and the stage "build" is the program of that checkout.
ARG BASE=docker.io/library/node:20-bookworm-slim
# git is not in the image: --build-arg VERSION=$(node scripts/version.mjs) names the commit.
ARG VERSION=0.1.0

FROM ${BASE} AS build
ARG VERSION
WORKDIR /checkout
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund \
 && node scripts/version.mjs bake "${VERSION}" \
 && node scripts/package/program.mjs /program

FROM ${BASE}
ARG VERSION
LABEL org.opencontainers.image.title="onair" \
      org.opencontainers.image.description="MCP-first server that controls live-streaming broadcasts" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0"
# The user has the same number in every version, so that a volume keeps its owner.
RUN export DEBIAN_FRONTEND=noninteractive \
 && apt-get update \
 && apt-get upgrade -y \
 && apt-get install -y --no-install-recommends \
      ca-certificates ffmpeg fonts-dejavu-core fonts-droid-fallback fonts-noto-color-emoji tini \
 && apt-get clean \
 && rm -rf /var/lib/apt/lists/* /var/log/* \
 && useradd --system --user-group --uid 990 --home-dir /var/lib/onair --no-create-home --shell /usr/sbin/nologin onair \
 && install -d -o onair -g onair -m 0700 /var/lib/onair
COPY --from=build /program /usr/lib/onair
COPY scripts/deb/onair /usr/bin/onair
COPY scripts/image/onair-container scripts/image/onair-health.mjs /usr/lib/onair/bin/
ENV HOME=/var/lib/onair \
    ONAIR_DATA=/var/lib/onair/data \
    ONAIR_HOST=0.0.0.0 \
    ONAIR_PORT=8090
USER onair
WORKDIR /var/lib/onair
# Store, Assets and Recordings.
VOLUME ["/var/lib/onair"]
# REST, MCP and the page; media of the Device; encoders that push by RTMP.
EXPOSE 8090 8091 1935 1936
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["node", "/usr/lib/onair/bin/onair-health.mjs"]
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/lib/onair/bin/onair-container"]
CMD ["serve"]
