import { RELAY_LIMITS, type RelayFrame, type RelayPage, relayPage } from '@steward/contract'

/** The part of a durable object's SQLite storage that we use. */
export interface SqlStorage {
  exec: (
    query: string,
    ...values: (string | number | null)[]
  ) => { toArray: () => Record<string, unknown>[]; rowsWritten: number }
}

export type RelayStore = ReturnType<typeof createRelayStore>

/** Frames for the daemon are in the box with the empty name; the others in that of their device. */
const DAEMON = ''
const PAGE = 20

/** Encrypted frames until they are read or expire, and the hashes of what devices show. */
export const createRelayStore = (sql: SqlStorage) => {
  sql.exec(`CREATE TABLE IF NOT EXISTS devices (id TEXT PRIMARY KEY, access TEXT NOT NULL)`)
  sql.exec(`CREATE TABLE IF NOT EXISTS frames (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, box TEXT NOT NULL, device TEXT NOT NULL,
     slot TEXT, frame TEXT NOT NULL, expires_ms INTEGER NOT NULL
   )`)
  const count = (query: string, ...values: (string | number)[]): number =>
    Number(sql.exec(query, ...values).toArray()[0]?.n ?? 0)

  return {
    /** Replaces the list of devices; frames of others are deleted. */
    setDevices: (devices: readonly { id: string; access: string }[]): void => {
      sql.exec('DELETE FROM devices')
      for (const { id, access } of devices) {
        sql.exec('INSERT OR REPLACE INTO devices (id, access) VALUES (?, ?)', id, access)
      }
      sql.exec('DELETE FROM frames WHERE device NOT IN (SELECT id FROM devices)')
    },
    accessOf: (device: string): string | undefined => {
      const [row] = sql.exec('SELECT access FROM devices WHERE id = ?', device).toArray()
      return row === undefined ? undefined : String(row.access)
    },
    /** False if too many frames wait. */
    putForDaemon: (device: string, frame: RelayFrame): boolean => {
      const waiting = 'SELECT count(*) AS n FROM frames WHERE box = ? AND device = ?'
      if (count(waiting, DAEMON, device) >= RELAY_LIMITS.frames) return false
      insert(sql, DAEMON, device, null, frame)
      return true
    },
    putForDevice: (device: string, slot: string, frame: RelayFrame): void => {
      sql.exec('DELETE FROM frames WHERE box = ? AND slot = ?', device, slot)
      insert(sql, device, device, slot, frame)
      sql.exec(
        `DELETE FROM frames WHERE box = ?1 AND seq NOT IN
           (SELECT seq FROM frames WHERE box = ?1 ORDER BY seq DESC LIMIT ?2)`,
        device,
        RELAY_LIMITS.frames,
      )
    },
    /** Oldest first. */
    list: (device: string | undefined, after: number): RelayPage['frames'] => {
      const query =
        'SELECT seq, device, frame FROM frames WHERE box = ? AND seq > ? ORDER BY seq LIMIT ?'
      const rows = sql.exec(query, device ?? DAEMON, after, PAGE).toArray()
      return relayPage.shape.frames.parse(
        rows.map((row) => ({ ...row, frame: JSON.parse(String(row.frame)) })),
      )
    },
    /** Deletes frames that the receiver has. */
    confirm: (device: string | undefined, upTo: number): void => {
      sql.exec('DELETE FROM frames WHERE box = ? AND seq <= ?', device ?? DAEMON, upTo)
    },
    /** Deletes expired frames; returns when the next one expires. */
    expire: (nowMs: number): number | undefined => {
      sql.exec('DELETE FROM frames WHERE expires_ms <= ?', nowMs)
      const [row] = sql.exec('SELECT min(expires_ms) AS next FROM frames').toArray()
      return typeof row?.next === 'number' ? row.next : undefined
    },
  }
}

const insert = (
  sql: SqlStorage,
  box: string,
  device: string,
  slot: string | null,
  frame: RelayFrame,
): void => {
  sql.exec(
    'INSERT INTO frames (box, device, slot, frame, expires_ms) VALUES (?, ?, ?, ?, ?)',
    box,
    device,
    slot,
    JSON.stringify(frame),
    frame.expires,
  )
}
