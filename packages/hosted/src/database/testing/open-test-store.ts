import pg from 'pg'
import { inject } from 'vitest'
import type { HostedDatabase } from '../hosted-database.ts'
import { openPostgres } from '../open-postgres.ts'
import { openSqlite } from '../open-sqlite.ts'

/** A new, empty store on the project's engine, so that the same tests run on both. */
export const openTestStore = (sqlitePath: string): HostedDatabase => {
  const server: string | undefined = inject('hostedPostgres')
  return server === undefined
    ? openSqlite({ path: sqlitePath, repeat: () => () => undefined })
    : openLater(createStore(server))
}

const createStore = async (server: string): Promise<HostedDatabase> => {
  const name = `store_${crypto.randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  const url = new URL(server)
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
