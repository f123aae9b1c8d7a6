import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const TICKS_A_SECOND = 100

/** Processor time that a process has used, in milliseconds. */
export const cpuMsOf = (pid: number): number => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The program's name may contain spaces, so fields are counted after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_A_SECOND
}

export const residentBytesOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

const READINGS = 10
const READING_EVERY_MS = 200

/** The lowest of several readings: memory in use, without garbage. */
export const settledBytesOf = async (pid: number): Promise<number> => {
  let least = residentBytesOf(pid)
  for (let count = 1; count < READINGS; count++) {
    await sleep(READING_EVERY_MS)
    least = Math.min(least, residentBytesOf(pid))
  }
  return least
}

/** Memory of a process and its descendants, with shared memory counted once. */
export const proportionalBytesOf = (pid: number): number =>
  [pid, ...listDescendants(pid)].reduce((sum, each) => sum + readProportional(each), 0)

const readProportional = (pid: number): number =>
  Number(/Pss:\s+(\d+)/.exec(readIfThere(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024

/** Children, their children, and so on. */
export const listDescendants = (pid: number): number[] => {
  const childrenOf = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const text = readIfThere(`/proc/${name}/stat`)
    const parent = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)])
  }
  const found: number[] = []
  const open = [pid]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const children = childrenOf.get(next) ?? []
    found.push(...children)
    open.push(...children)
  }
  return found
}

/** A process may end between listing and reading. */
const readIfThere = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
