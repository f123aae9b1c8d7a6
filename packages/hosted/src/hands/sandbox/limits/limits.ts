import type { HandsReport } from '../../hands.ts'

/** How much of the machine one session may use. */
export interface SandboxLimits {
  cpus: number
  memoryBytes: number
  processes: number
  /** Of everything the session wrote: workspace, outputs, home and temporary files. */
  diskBytes: number
  /** Files and folders. */
  diskEntries: number
  /** Of one file. */
  fileBytes: number
  openFiles: number
  /** Of memory that processes share under /dev/shm. */
  sharedMemoryBytes: number
}

const MIB = 1024 ** 2
const GIB = 1024 ** 3

/** Less memory than the vendor's 8 GB, since a machine of one's own carries several; the same disk. */
export const DEFAULT_LIMITS: SandboxLimits = {
  cpus: 2,
  memoryBytes: 4 * GIB,
  processes: 512,
  diskBytes: 10 * GIB,
  diskEntries: 1_000_000,
  fileBytes: 4 * GIB,
  openFiles: 4096,
  sharedMemoryBytes: 256 * MIB,
}

/** Holds sessions to CPU, memory and count of processes. */
export interface Limiter {
  kind: HandsReport['limits']
  remarks: readonly string[]
  /** Folders that `close` removes, for whoever cleans up after a crash. */
  folders: readonly string[]
  /** A group that every process of the sandbox enters. */
  create(name: string, limits: SandboxLimits): Promise<LimitGroup>
  close(): Promise<void>
}

export interface LimitGroup {
  /** Files to which a starting process writes `0`, which means itself; in order. */
  entries: readonly string[]
  /** Folders that `remove` removes, for whoever cleans up after a crash. */
  folders: readonly string[]
  /** Ends whatever is still in it, and waits until that is so. */
  remove(): Promise<void>
}
