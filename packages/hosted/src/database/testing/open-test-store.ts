import pg from 'pg'
import { inject } from 'vitest'
import type { HostedDatabase } from '../hosted-database.ts'
import { openPostgres } from '../open-postgres.ts'
import { openSqlite } from '../open-sqlite.ts'

/** A new, empty store on the project's engine, so that the same tests run on both. */
export const openTestStore = (sqlitePath: string): HostedDatabase => {
  const empty: string | undefined = inject('hostedPostgres')
  return empty === undefined
    ? openSqlite({ path: sqlitePath, repeat: () => () => undefined })
    : openLater(copyStore(empty))
}

/** A copy has the schema already, and takes half as long as a migration. */
const copyStore = async (empty: string): Promise<HostedDatabase> => {
  const name = `store_${crypto.randomUUID().replaceAll('-', '')}`
  const url = new URL(empty)
  const original = url.pathname.slice(1)
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${original}`)
  await client.end()
  url.pathname = `/${name}`
  return openPostgres({
    url: url.href,
    connections: 4,
    report: (error) => {
      throw error
    },
  })
}

/** Stands for a store that is still opening, so that tests can continue meanwhile. */
const openLater = (opening: Promise<HostedDatabase>): HostedDatabase => ({
  engine: 'postgres',
  place: 'a test',
  read: async (tx) => (await opening).read(tx),
  write: async (tx) => (await opening).write(tx),
  tell: (announcement) => {
    void opening.then((store) => store.tell(announcement))
  },
  hear: (listener, sessionId) => {
    const hearing = opening.then((store) => store.hear(listener, sessionId))
    return () => {
      void hearing.then((stop) => stop())
    }
  },
  close: async () => (await opening).close(),
})
