import type { HandsReport } from '../../hands.ts'

/** The resource limits of one session. */
export interface SandboxLimits {
  cpus: number
  memoryBytes: number
  processes: number
  /** Everything the session wrote: workspace, outputs, home and temporary files. */
  diskBytes: number
  /** Number of files and folders. */
  diskEntries: number
  /** Size of one file. */
  fileBytes: number
  openFiles: number
  /** Memory shared by processes under /dev/shm. */
  sharedMemoryBytes: number
}

const MIB = 1024 ** 2
const GIB = 1024 ** 3

/** Less memory than the vendor's 8 GB, because one machine runs several sessions; the same disk. */
export const DEFAULT_LIMITS: SandboxLimits = {
  cpus: 2,
  memoryBytes: 4 * GIB,
  processes: 512,
  diskBytes: 10 * GIB,
  diskEntries: 300_000,
  fileBytes: 4 * GIB,
  openFiles: 4096,
  sharedMemoryBytes: 256 * MIB,
}

/** Limits CPU, memory and number of processes per session. */
export interface Limiter {
  kind: HandsReport['limits']
  remarks: readonly string[]
  /** Folders that `close` removes, recorded for the cleanup after a crash. */
  folders: readonly string[]
  /** A group that every process of the sandbox enters. */
  create(name: string, limits: SandboxLimits): Promise<LimitGroup>
  close(): Promise<void>
}

export interface LimitGroup {
  /** Files to which a starting process writes `0`, meaning itself; in order. */
  entries: readonly string[]
  /** Folders that `remove` removes, recorded for the cleanup after a crash. */
  folders: readonly string[]
  /** Kills everything still in it and waits for the end. */
  remove(): Promise<void>
}
