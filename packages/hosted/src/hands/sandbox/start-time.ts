import { readFileSync } from 'node:fs'

/** When a process began, in the kernel's ticks: with its id, it names one process for ever. */
export const readStartTime = (pid: number): string | undefined => readStat(pid)[START_TIME]

/** Whether it still runs; one that only waits to be noticed by its parent does not. */
export const isAlive = (pid: number): boolean => {
  const state = readStat(pid)[STATE]
  return state !== undefined && state !== 'Z' && state !== 'X'
}

const STATE = 0
const START_TIME = 19

/** What follows the name, which may itself hold spaces and parentheses. */
const readStat = (pid: number): string[] => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
    // ESRCH: it ended between opening and reading.
    if (code === 'ENOENT' || code === 'ESRCH') return []
    throw thrown
  }
}
