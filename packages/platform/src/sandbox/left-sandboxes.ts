import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { endProcess } from '../processes/end-process.ts'
import { readStartTime } from '../processes/start-time.ts'

/**
 * The name under which this process starts bubblewrap. If this process is killed at the moment of a
 * start, bubblewrap may wait indefinitely for its own first half, which has ended; a later process finds
 * it by this name. Pids mean something only within their namespace.
 */
export const markSandbox = (pid = process.pid): string =>
  `bwrap steward ${pid} ${readStartTime(pid) ?? '-'} ${pidNamespace()}`

const MARK = /^bwrap steward (\d+) (\d+) (.+)$/

/** Ends sandboxes of processes that were killed. Returns the number of ended processes. */
export const endLeftSandboxes = (): number => {
  if (process.platform !== 'linux') return 0
  const left = listPids().filter((pid) => isLeft(readName(pid)))
  for (const pid of left) endProcess(pid)
  return left.length
}

const isLeft = (name: string): boolean => {
  const [, owner, startTime, namespace] = MARK.exec(name) ?? []
  if (owner === undefined || namespace !== pidNamespace()) return false
  return readStartTime(Number(owner)) !== startTime
}

const listPids = (): number[] =>
  readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))

/** The first argument of a process; empty if it has ended or belongs to another user. */
const readName = (pid: number): string => {
  try {
    if (statSync(`/proc/${pid}`).uid !== process.getuid?.()) return ''
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0', 1)[0] ?? ''
  } catch {
    return ''
  }
}

const pidNamespace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return '-'
  }
}
