import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { takeVersion } from '../files/file-version.ts'
import { writeStateFile } from '../files/state-file.ts'
import { isLockHeld } from '../locks/lock.ts'
import type { Home } from './home.ts'

/** `state/edge/running.json`: how other processes reach the local edge while it runs. */
const edgeAddresses = z.object({
  pid: z.int(),
  /** Addresses by worker: `exec-a-label-and-rate`. */
  workers: z.record(z.string(), z.string()),
  /** The token of this start; absent if AUTH_TOKEN is configured. */
  token: z.string().optional(),
})
export type EdgeAddresses = z.infer<typeof edgeAddresses>

type Databases = Pick<Home, 'databases'>

const fileOf = ({ databases }: Databases): string => join(databases, 'edge', 'running.json')

/** Readable by the owner only, because of the token. */
export const writeEdgeAddresses = (home: Databases, addresses: EdgeAddresses): Promise<void> =>
  writeStateFile(fileOf(home), addresses, { mode: 0o600 })

export const removeEdgeAddresses = (home: Databases): Promise<void> =>
  rm(fileOf(home), { force: true })

/** The local edge that runs on a data home; an edge that was killed leaves its file behind. */
export const findRunningEdge = (home: Databases): EdgeAddresses | undefined => {
  if (!isLockHeld(join(home.databases, 'edge', 'lock'))) return undefined
  try {
    return edgeAddresses.parse(
      takeVersion(JSON.parse(readFileSync(fileOf(home), 'utf8')), fileOf(home)),
    )
  } catch {
    // It is starting, or from a version that wrote no such file.
    return undefined
  }
}
