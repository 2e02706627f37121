import newest from 'pg'
import manifest from '../../package.json' with { type: 'json' }

// the package has no types of its own
const { default: lowest } = (await import('pg-lowest' as string)) as { default: typeof newest }

/** Each server with the lowest and the newest supported driver, for code that reads private parts of it. */
export function withDrivers<Server extends object>(servers: readonly Server[]) {
  const drivers = [
    { driver: `pg ${manifest.devDependencies['pg-lowest'].replace('npm:pg@', '')}`, pg: lowest },
    { driver: 'the newest pg', pg: newest },
  ]
  return servers.flatMap((server) => drivers.map((driver) => ({ ...server, ...driver })))
}
