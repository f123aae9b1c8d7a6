import { readFileSync } from 'node:fs'

/** When a process began, in the kernel's ticks: with its id, it names one process for ever. */
export const readStartTime = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before may hold spaces and parentheses; what counts begins after the last of them.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
    // ESRCH: it ended between opening and reading.
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw thrown
  }
}
