import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import type { HostedDatabase } from '../hosted-database.ts'
import { openPostgres } from '../open-postgres.ts'
import { openSqlite } from '../open-sqlite.ts'
import { startPostgres, type TestPostgres } from './start-postgres.ts'

export interface Engine {
  /** A new, empty store. */
  create(): Promise<HostedDatabase>
  /** Another process's view of the store created last; `look` makes SQLite notice the others. */
  share(): Promise<HostedDatabase>
  look(): void
}

const failLoudly = (error: Error): never => {
  throw error
}

/** Runs the same tests on both engines. */
export const describeEngines = (name: string, story: (engine: Engine) => void): void => {
  describe(`${name} on SQLite`, () => {
    let folder = ''
    let made = 0
    const opened: HostedDatabase[] = []
    const looks = new Set<() => void>()
    const open = async (): Promise<HostedDatabase> => {
      const database = openSqlite({
        path: join(folder, `hosted-${made}.sqlite`),
        repeat: (look) => {
          looks.add(look)
          return () => looks.delete(look)
        },
      })
      opened.push(database)
      return database
    }
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'steward-hosted-'))
    })
    afterAll(async () => {
      await Promise.all(opened.map((database) => database.close()))
      await rm(folder, { recursive: true, force: true })
    })
    story({
      create: () => {
        made += 1
        return open()
      },
      share: open,
      look: () => {
        for (const look of looks) look()
      },
    })
  })

  describe(`${name} on Postgres`, () => {
    let server: TestPostgres | undefined
    let url = ''
    const opened: HostedDatabase[] = []
    const open = async (): Promise<HostedDatabase> => {
      const database = await openPostgres({ url, report: failLoudly })
      opened.push(database)
      return database
    }
    beforeAll(async () => {
      server = await startPostgres()
    }, 60_000)
    afterAll(async () => {
      await Promise.all(opened.map((database) => database.close()))
      await server?.stop()
    }, 60_000)
    story({
      create: async () => {
        url = (await server?.createDatabase()) ?? ''
        return open()
      },
      share: open,
      look: () => undefined,
    })
  })
}
