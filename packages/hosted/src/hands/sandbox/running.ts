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

/** What this server has running, on disk, so that the next one can end what a crash left. */
export interface Running {
  /** Names this server on this machine: its process and when that began. */
  name: string
  add(pid: number): void
  remove(pid: number): void
  /** A control group, to be removed after a crash; the outer ones first. */
  addGroup(folder: string): void
  removeGroup(folder: string): void
  /** Whether the server that such a name began with is no more. */
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
  // Groups of groups have paths that are longer than a file's name may be.
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

/** Ends what servers that are no more left behind. How many processes there were to end. */
export const endOrphans = async (home: string): Promise<number> => {
  const base = join(home, 'hosted', 'running')
  let ended = 0
  for (const name of await listIfPresent(base)) {
    if (!isOrphan(name)) continue
    ended += await endServer(join(base, name))
  }
  return ended
}

/** One that no other process ever has, and that `isOrphan` understands. */
export const nameProcess = (count: number, pid = process.pid): string =>
  `${pid}-${startOf(pid)}-${count}`

/** Whether the process that such a name began with is no more; of any other name nobody can tell. */
export const isOrphan = (name: string): boolean => {
  const [, pid, startTime] = /^(\d+)-(\d+)-/.exec(name) ?? []
  return pid !== undefined && startOf(Number(pid)) !== startTime
}

/** A system that tells of no process has every start alike, and so no orphans. */
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
  // A group can go only after the ones in it.
  for (const group of groups.toSorted((a, b) => b.length - a.length)) await removeGroup(group)
  await rm(folder, { recursive: true, force: true })
  return ended
}

/** Never another process that was given the same number since. */
const endRecorded = (pid: number, startTime: string): boolean => {
  if (!(pid > 1) || readStartTime(pid) !== startTime) return false
  // It may head a group, or not.
  endGroup(pid)
  endProcess(pid)
  return true
}
