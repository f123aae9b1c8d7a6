import { isJsonObject, reasonOf, StewardError } from '@steward/contract'
import pg from 'pg'
import { BatchingSocket } from './batching-socket.ts'
import type { HostedDatabase } from './hosted-database.ts'
import { listenPostgres } from './listen-postgres.ts'
import { createListeners } from './listeners.ts'
import { MIGRATIONS } from './migrations.ts'
import { CHANNEL, createPacker } from './notifications.ts'
import type { Row } from './row.ts'
import type { Announcement, Statement, Tx } from './tx.ts'

export interface PostgresOptions {
  url: string
  /** The pool size of this process; one more connection listens. */
  connections?: number
  /** Receives failures of background work. */
  report: (error: StewardError) => void
}

/**
 * Transient errors that a retry may resolve: serialisation failure, deadlock, or a unique value
 * that another transaction took meanwhile, which the retry sees and refuses.
 */
const PASSING = new Set(['40001', '40P01', '23505'])
const ATTEMPTS = 5

/** Opens the store that several processes and machines share. */
export const openPostgres = async (options: PostgresOptions): Promise<HostedDatabase> => {
  const place = withoutPassword(options.url)
  // Errors of the driver contain the connection with its password, so only the message is passed
  // on.
  const failed = (thrown: unknown): StewardError =>
    thrown instanceof StewardError
      ? thrown
      : new StewardError('storage_failed', { path: place, reason: reasonOf(thrown) })

  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections ?? 10,
    pipeline: true,
    stream: () => new BatchingSocket(),
  })
  let closing = false
  const report = (thrown: unknown): void => {
    if (!closing) options.report(failed(thrown))
  }
  pool.on('error', report)
  const { add, tell: deliver } = createListeners()
  const packer = createPacker()

  /** One attempt in its own transaction. Listeners in this process are called directly. */
  const attempt = async <T>(tx: () => Tx<T>, begin: string): Promise<T> => {
    const client = await pool.connect()
    let broken = false
    try {
      const announced: Announcement[] = []
      const sent = createSent()
      sent.add(client.query(toQuery({ text: begin, values: [] })))
      const value = await play(client, tx(), sent, announced)
      // Sent in one message with the commit, which saves a round trip.
      const notify = announced
        .flatMap(packer.pack)
        .map((part) => `SELECT pg_notify('${CHANNEL}', ${client.escapeLiteral(part)});`)
      await sent.settle(client.query(`${notify.join('')}COMMIT`))
      for (const announcement of announced) deliver(announcement)
      return value
    } catch (thrown) {
      await client.query('ROLLBACK').catch(() => {
        broken = true
      })
      throw thrown
    } finally {
      client.release(broken)
    }
  }

  const run = async <T>(tx: () => Tx<T>, begin: string): Promise<T> => {
    for (let count = 1; ; count++) {
      try {
        return await attempt(tx, begin)
      } catch (thrown) {
        if (count < ATTEMPTS && PASSING.has(codeOf(thrown))) continue
        throw failed(thrown)
      }
    }
  }

  /** First statements of reads that need more than one statement. */
  const opening = new Set<string>()

  /**
   * Most reads are a single statement, which is a snapshot by itself and needs no transaction. A
   * read that continues restarts in a transaction, and is remembered for the next time.
   */
  const read = async <T>(tx: () => Tx<T>): Promise<T> => {
    const lone = tx()
    const first = lone.next([])
    if (first.done) return first.value
    if ('announce' in first.value || opening.has(first.value.text)) return run(tx, SNAPSHOT)
    const { text } = first.value
    const { rows } = await pool.query(toQuery(first.value)).catch((thrown: unknown) => {
      throw failed(thrown)
    })
    const second = lone.next(rows)
    if (second.done) return second.value
    if (opening.size < MOST_KNOWN) opening.add(text)
    return run(tx, SNAPSHOT)
  }

  try {
    await migratePostgres(pool)
  } catch (thrown) {
    await pool.end()
    throw failed(thrown)
  }
  const listening = await listenPostgres({
    url: options.url,
    packer,
    deliver,
    report,
  })

  return {
    engine: 'postgres',
    place,
    read,
    write: (tx) => run(tx, 'BEGIN'),
    tell: (announcement) => {
      deliver(announcement)
      listening.tell(announcement)
    },
    hear: add,
    close: async () => {
      closing = true
      await listening.close()
      await pool.end()
    },
  }
}

const SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
const MOST_KNOWN = 1000

/** A named statement is parsed and planned once per connection. */
const toQuery = ({ text, values }: Statement): pg.QueryConfig => {
  const name = nameStatement(text)
  return { text, values: [...values], ...(name === undefined ? {} : { name }) }
}

type Answer = Promise<pg.QueryResult>

/** Statements of a transaction that were sent without waiting for their answers. */
interface Sent {
  add(answer: Answer): void
  isFull(): boolean
  /** Waits for all of them and for the last one, whose rows it returns. */
  settle(last: Answer): Promise<readonly Row[]>
}

/** Limits the memory of a transaction that writes much. */
const MOST_SENT = 32

const createSent = (): Sent => {
  let answers: Answer[] = []
  return {
    add: (answer) => {
      // A failure is noticed later: Postgres refuses everything after it, also the commit.
      answer.catch(() => undefined)
      answers.push(answer)
    },
    isFull: () => answers.length >= MOST_SENT,
    settle: async (last) => {
      const all = [...answers, last]
      answers = []
      // Answers arrive in order, so that the first failure is the cause of the others.
      await Promise.all(all)
      return (await last).rows
    },
  }
}

const play = async <T>(
  client: pg.PoolClient,
  tx: Tx<T>,
  sent: Sent,
  announced: Announcement[],
): Promise<T> => {
  let step = tx.next([])
  while (!step.done) {
    const operation = step.value
    if ('announce' in operation) {
      announced.push(operation.announce)
      step = tx.next([])
      continue
    }
    const answer = client.query(toQuery(operation))
    if (operation.unread && !sent.isFull()) {
      sent.add(answer)
      step = tx.next([])
    } else step = tx.next(await sent.settle(answer))
  }
  return step.value
}

const codeOf = (thrown: unknown): string =>
  isJsonObject(thrown) && typeof thrown.code === 'string' ? thrown.code : ''

const withoutPassword = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? 'the database' : `${parsed.protocol}//${parsed.host}${parsed.pathname}`
}

/** An arbitrary number, used only by this program for its advisory lock. */
const LOCK = 31_337_004

/** Migrates the schema; if several processes start together, one of them does it. */
const migratePostgres = async (pool: pg.Pool): Promise<void> => {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    await client.query('CREATE TABLE IF NOT EXISTS hosted_schema (version BIGINT NOT NULL)')
    const { rows } = await client.query('SELECT max(version) AS version FROM hosted_schema')
    const version = Number(rows[0]?.version ?? 0)
    if (version > MIGRATIONS.length) {
      const reason = `a newer Steward wrote it (schema ${version}; this one knows up to ${MIGRATIONS.length}); update Steward to use it`
      throw new StewardError('storage_failed', { path: 'the database', reason })
    }
    for (const [place, step] of MIGRATIONS.entries()) {
      if (place < version) continue
      await client.query(step.replaceAll('BYTES', 'BYTEA'))
      await client.query('INSERT INTO hosted_schema (version) VALUES ($1)', [place + 1])
    }
    await client.query('COMMIT')
  } catch (thrown) {
    await client.query('ROLLBACK')
    throw thrown
  } finally {
    client.release()
  }
}

const names = new Map<string, string>()

/**
 * Lists are filtered in many ways; more prepared statements than this are not worth their memory.
 */
const MOST_NAMES = 300

/** The name of the prepared statement for this text; `undefined` when there are too many. */
const nameStatement = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined || names.size >= MOST_NAMES) return known
  const made = `steward_${names.size + 1}`
  names.set(text, made)
  return made
}
