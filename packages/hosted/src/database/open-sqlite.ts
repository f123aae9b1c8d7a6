import { type Connection, openDatabase } from '@steward/platform'
import { detectForeignCommits } from './detect-foreign-commits.ts'
import type { HostedDatabase } from './hosted-database.ts'
import { createListeners } from './listeners.ts'
import { SQLITE_MIGRATIONS } from './migrations.ts'
import type { Announcement, Tx } from './tx.ts'

export interface SqliteOptions {
  path: string
  /**
   * Runs `look` repeatedly until stopped, because other processes announce only through the file.
   */
  repeat: (look: () => void) => () => void
}

/** Opens the store in its own file. Transactions in the same tick share a commit. */
export const openSqlite = ({ path, repeat }: SqliteOptions): HostedDatabase => {
  const database = openDatabase(path, { migrations: SQLITE_MIGRATIONS })
  const { add, tell } = createListeners()
  const heads = detectForeignCommits(database, tell)
  const stop = repeat(heads.look)

  return {
    engine: 'sqlite',
    place: path,
    read: async (tx) => database.read((connection) => play(connection, tx(), [])),
    write: async (tx) => {
      const announced: Announcement[] = []
      const value = await database.write((connection) => {
        announced.length = 0
        return play(connection, tx(), announced)
      })
      for (const announcement of announced) {
        heads.note(announcement)
        tell(announcement)
      }
      return value
    },
    tell,
    hear: add,
    close: async () => {
      stop()
      await database.close()
    },
  }
}

/** SQLite numbers `$1` by first appearance; `?1` is always the first parameter. */
const numbered = new Map<string, string>()
const toSqlite = (text: string): string => {
  const known = numbered.get(text)
  if (known !== undefined) return known
  const made = text.replace(/\$(\d+)/g, '?$1').replace(/ FOR UPDATE( SKIP LOCKED)?/g, '')
  numbered.set(text, made)
  return made
}

const play = <T>(connection: Connection, tx: Tx<T>, announced: Announcement[]): T => {
  let step = tx.next([])
  while (!step.done) {
    const operation = step.value
    if ('announce' in operation) {
      announced.push(operation.announce)
      step = tx.next([])
      continue
    }
    step = tx.next(connection.statement(toSqlite(operation.text)).all(...operation.values))
  }
  return step.value
}
