# Switchboard as an image: `start` by default, every other command as an argument.
#
#   docker build -t switchboard:local .
#   docker run -d --name switchboard -p 127.0.0.1:3000:3000 -v switchboard:/data switchboard:local
#   docker exec -it switchboard switchboard pair acme
#
# Previews and lengths of films need ffmpeg, which is larger than all the rest: --build-arg PACKAGES=ffmpeg
#
# The base is Node 24, an LTS release that is supported until April 2028; this digest names the one image for all platforms. For a newer
# one: `docker buildx imagetools inspect node:24-bookworm-slim` prints the digest; change the version and the digest in both lines.

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
# for the database library, where nobody has compiled it for this platform yet
RUN apt-get update \
  && apt-get install -y --no-install-recommends g++ make python3 \
  && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json ./
# no package runs anything of its own but the one that has to be compiled
RUN npm ci --ignore-scripts --no-audit --no-fund && npm rebuild better-sqlite3
COPY tsconfig.json ./
COPY bin bin
COPY commands commands
COPY src src
# the client of Kafka is an optional package, too
RUN npm run build \
  && npm pkg delete 'devDependencies.@platformatic/kafka' \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/build/Release/obj* \
  && find dist node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ARG PACKAGES=""
RUN if [ -n "$PACKAGES" ]; then \
    apt-get update && apt-get install -y --no-install-recommends $PACKAGES && rm -rf /var/lib/apt/lists/*; \
  fi \
  && ln -s /app/bin/run.js /usr/local/bin/switchboard \
  && install -d -o node -g node -m 700 /data
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=build /app/oclif.manifest.json ./
COPY --from=build /app/bin bin
COPY --from=build /app/dist dist
COPY --from=build /app/node_modules node_modules
ENV NODE_ENV=production \
  SWITCHBOARD_HOST=0.0.0.0 \
  SWITCHBOARD_PORT=3000 \
  SWITCHBOARD_DATA_DIR=/data
# a number, so that Kubernetes sees that it is not root; `node` in the base image
USER 1000:1000
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.SWITCHBOARD_PORT + '/health/live').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
LABEL org.opencontainers.image.title="Switchboard" \
  org.opencontainers.image.licenses="GPL-3.0-or-later"
# without a shell around it, so that the daemon itself gets the signal to stop
ENTRYPOINT ["node", "/app/bin/run.js"]
CMD ["start"]
