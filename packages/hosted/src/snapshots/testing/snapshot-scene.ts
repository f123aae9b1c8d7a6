import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StewardError } from '@steward/contract'
import type { HostedDatabase } from '../../database/hosted-database.ts'
import { one, query } from '../../database/tx.ts'
import { EMPTY_SUMMARY } from '../../log/summary.ts'
import { createSessionSnapshots } from '../session-snapshots.ts'
import type { SnapshotPieces } from '../snapshot-pieces.ts'

/** The time of every scene. */
export const NOW = 1_000_000

interface SceneOptions {
  database: HostedDatabase
  /** Contains the folders of all scenes of a file of tests. */
  root: string
  /** Where its homes store snapshots, unless they are given another place. */
  pieces: SnapshotPieces
  maxBytes?: number
}

const neverLeave = async (): Promise<void> => {
  throw new Error('there is no sandbox to leave')
}
export const leaveNothing = async (): Promise<void> => undefined

let made = 0

/** A new session, and the data homes that it moves between. */
export const openSnapshotScene = async ({ database, root, pieces, ...options }: SceneOptions) => {
  const sessionId = `sesn_${++made}`
  await database.write(() =>
    query(
      `INSERT INTO sessions (id, agent_id, agent_version, environment_id, body, summary, status,
         created_ms, updated_ms) VALUES ($1, 'a', 1, 'e', '{}', $2, 'idle', 0, 0)`,
      sessionId,
      JSON.stringify(EMPTY_SUMMARY),
    ),
  )
  const failures: StewardError[] = []
  const report = (error: StewardError): void => void failures.push(error)
  const home = (homeId: string, place = pieces) => {
    const folder = join(root, `${sessionId}-${homeId}`)
    const maxBytes = options.maxBytes ?? 32 * 1024 ** 2
    const files = createSessionSnapshots({
      ...{ database, pieces: place, homeId, maxBytes, now: () => NOW, report },
    })
    return {
      folder,
      arrive: (leave = neverLeave) => files.arrive(sessionId, folder, leave),
      save: () => files.save(sessionId, folder),
      write: async (path: string, text: string | Uint8Array) => {
        const file = join(folder, path)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, text)
      },
      read: (path: string) => readFile(join(folder, path), 'utf8'),
    }
  }
  return { database, sessionId, failures, report, home }
}

/** The number of pieces in the store. */
export const countChunks = async (database: HostedDatabase): Promise<number> =>
  Number((await database.read(() => one('SELECT COUNT(*) AS count FROM snapshot_chunks')))?.count)
