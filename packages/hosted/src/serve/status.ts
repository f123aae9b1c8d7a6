import { query, type Tx } from '../database/tx.ts'
import type { HostedApiPorts } from './ports.ts'

/** The server state that command line and dashboard show; requires a key with read permission. */
export interface HostedStatus {
  engine: 'sqlite' | 'postgres'
  place: string
  hands: ReturnType<HostedApiPorts['hands']['describe']>
  streams: number
  /** The number of sessions per status, without archived ones. */
  sessions: Record<string, number>
}

export const readStatus = async (
  { database, hands }: Pick<HostedApiPorts, 'database' | 'hands'>,
  streams: number,
): Promise<HostedStatus> => ({
  engine: database.engine,
  place: database.place,
  hands: hands.describe(),
  streams,
  sessions: await database.read(countSessions),
})

/** The number of sessions per status, without archived ones. */
export function* countSessions(): Tx<Record<string, number>> {
  const rows = yield* query(
    'SELECT status, COUNT(*) AS count FROM sessions WHERE archived_ms IS NULL AND parent_id IS NULL GROUP BY status',
  )
  return {
    idle: 0,
    running: 0,
    rescheduling: 0,
    terminated: 0,
    ...Object.fromEntries(rows.map((row) => [String(row.status), Number(row.count)])),
  }
}
