# The server: docker build -t throughline . (docs/server.md says how to run it)
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# better-sqlite3 ships its binaries, so nothing needs a script or a compiler
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/
COPY src src
COPY inspector inspector
RUN node scripts/build.mjs

FROM node:24-slim AS production
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# the Postgres and Redis drivers are optional peers of the package; the image has the tested versions
RUN npm install --no-save --save-prod --omit=dev --ignore-scripts --no-audit --no-fund \
  "pg@$(node -p 'require("./package.json").devDependencies.pg')" \
  "ioredis@$(node -p 'require("./package.json").devDependencies.ioredis')"

FROM node:24-slim
ENV NODE_ENV=production
# reachable from outside the container, so the server requires a token key
ENV THROUGHLINE_HOST=0.0.0.0
ENV THROUGHLINE_URL=sqlite:/data/sessions.db
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=production /app/node_modules node_modules
COPY bin bin
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
EXPOSE 4747
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.THROUGHLINE_PORT || 4747) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# no shell in between, so that SIGTERM reaches the server
ENTRYPOINT ["node", "/app/bin/throughline.js"]
CMD ["serve"]
