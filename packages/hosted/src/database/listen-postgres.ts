import pg from 'pg'
import { CHANNEL, createUnpacker, NOTIFY, type Packer } from './notifications.ts'
import type { Announcement } from './tx.ts'

export interface ListenOptions {
  url: string
  packer: Packer
  /** Receives announcements of other processes. */
  deliver: (announcement: Announcement) => void
  report: (thrown: unknown) => void
}

export interface Listening {
  tell(announcement: Announcement): void
  close(): Promise<void>
}

const RETRY_MS = 500

/** Sessions that changed while the connection was down. */
const MISSED = 'SELECT id, last_seq FROM sessions WHERE updated_ms >= $1 AND last_seq > 0'
/** Allows for clock differences between machines and for slow transactions. */
const MARGIN_MS = 60_000

/**
 * One connection that listens and notifies; it reconnects by itself and then announces what it
 * missed.
 */
export const listenPostgres = async (options: ListenOptions): Promise<Listening> => {
  let client: pg.Client | undefined
  let closed = false
  let heardMs = Date.now()
  let retry: NodeJS.Timeout | undefined
  let unsent: string[] = []
  let sending = false

  const connect = async (): Promise<void> => {
    const unpack = createUnpacker(options.packer.sender)
    const fresh = new pg.Client({ connectionString: options.url })
    fresh.on('error', (thrown) => {
      options.report(thrown)
      lose(fresh)
    })
    fresh.on('end', () => lose(fresh))
    fresh.on('notification', ({ payload }) => {
      heardMs = Date.now()
      const announcement = unpack(payload ?? '')
      if (announcement !== undefined) options.deliver(announcement)
    })
    await fresh.connect()
    await fresh.query(`LISTEN ${CHANNEL}`)
    client = fresh
    flush()
  }

  const catchUp = async (sinceMs: number): Promise<void> => {
    const { rows } = (await client?.query(MISSED, [sinceMs - MARGIN_MS])) ?? { rows: [] }
    for (const row of rows)
      options.deliver({
        sessionId: String(row.id),
        news: { type: 'appended', seq: Number(row.last_seq) },
      })
  }

  const lose = (lost: pg.Client): void => {
    if (client !== lost) return
    client = undefined
    again()
  }

  const again = (): void => {
    if (closed || retry !== undefined) return
    retry = setTimeout(() => {
      retry = undefined
      const sinceMs = heardMs
      connect()
        .then(() => catchUp(sinceMs))
        .catch((thrown: unknown) => {
          options.report(thrown)
          again()
        })
    }, RETRY_MS)
  }

  /** Notifications queued during a statement are sent together with the next. */
  const flush = (): void => {
    if (client === undefined || sending || unsent.length === 0) return
    const parts = unsent
    unsent = []
    sending = true
    client
      .query(NOTIFY, [CHANNEL, parts])
      .catch(options.report)
      .finally(() => {
        sending = false
        flush()
      })
  }

  await connect()
  return {
    tell: (announcement) => {
      // Previews are only useful immediately, so they are dropped without a connection.
      if (client === undefined) return
      unsent.push(...options.packer.pack(announcement))
      flush()
    },
    close: async () => {
      closed = true
      clearTimeout(retry)
      const last = client
      client = undefined
      await last?.end()
    },
  }
}
