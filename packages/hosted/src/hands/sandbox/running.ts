import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  endGroup,
  endProcess,
  listIfPresent,
  readIfPresent,
  readStartTime,
} from '@steward/platform'
import { removeGroup } from './limits/remove-group.ts'

/** Records on disk what this server runs, so that the next one can kill what a crash left. */
export interface Running {
  /** Identifies this server on this machine: its pid and start time. */
  name: string
  add(pid: number): void
  remove(pid: number): void
  /** A control group to remove after a crash; outer groups first. */
  addGroup(folder: string): void
  removeGroup(folder: string): void
  /** Whether the server that the name starts with is dead. */
  isOrphan(name: string): boolean
  close(): void
}

/** One process may open several. */
let opened = 0

export const recordRunning = (home: string, pid = process.pid): Running => {
  opened += 1
  const name = nameProcess(opened, pid)
  const folder = join(home, 'hosted', 'running', name)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Paths of nested groups exceed the length of a file name.
  const fileOfGroup = (group: string) =>
    join(folder, `group-${createHash('sha256').update(group).digest('hex')}`)
  return {
    name,
    add: (started) => {
      const startTime = readStartTime(started)
      if (startTime !== undefined) writeFileSync(join(folder, `process-${started}`), startTime)
    },
    remove: (started) => rmSync(join(folder, `process-${started}`), { force: true }),
    addGroup: (group) => writeFileSync(fileOfGroup(group), group),
    removeGroup: (group) => rmSync(fileOfGroup(group), { force: true }),
    isOrphan,
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Kills what dead servers left behind. Returns the number of killed processes. */
export const endOrphans = async (home: string): Promise<number> => {
  const base = join(home, 'hosted', 'running')
  let ended = 0
  for (const name of await listIfPresent(base)) {
    if (!isOrphan(name)) continue
    ended += await endServer(join(base, name))
  }
  return ended
}

/** A name that no other process ever has, and that `isOrphan` can parse. */
export const nameProcess = (count: number, pid = process.pid): string =>
  `${pid}-${startOf(pid)}-${count}`

/** Whether the process that the name starts with is dead; `false` for any other name. */
export const isOrphan = (name: string): boolean => {
  const [, pid, startTime] = /^(\d+)-(\d+)-/.exec(name) ?? []
  return pid !== undefined && startOf(Number(pid)) !== startTime
}

/** Where start times are unavailable all are equal, so there are no orphans. */
const startOf = (pid: number): string => readStartTime(pid) ?? '0'

const endServer = async (folder: string): Promise<number> => {
  let ended = 0
  const groups: string[] = []
  for (const name of await listIfPresent(folder)) {
    const text = await readIfPresent(join(folder, name))
    // Another server that starts just now is faster.
    if (text === undefined) continue
    if (name.startsWith('group-')) groups.push(text)
    else if (name.startsWith('process-') && endRecorded(Number(name.slice(8)), text)) ended += 1
  }
  // A group can be removed only after those inside it.
  for (const group of groups.toSorted((a, b) => b.length - a.length)) await removeGroup(group)
  await rm(folder, { recursive: true, force: true })
  return ended
}

/** Never kills another process that reused the pid. */
const endRecorded = (pid: number, startTime: string): boolean => {
  if (!(pid > 1) || readStartTime(pid) !== startTime) return false
  // The process may or may not lead a group.
  endGroup(pid)
  endProcess(pid)
  return true
}
