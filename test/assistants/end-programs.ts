import { spawnSync } from 'node:child_process'
import { endProcess } from '@steward/platform'

const MOST_LOOKS = 10

/**
 * Kills every process whose arguments or environment name this folder, such as the app server that
 * Codex leaves behind. Synchronous, so that it also works while this process exits.
 */
export const endPrograms = (folder: string): void => {
  // A process may start another one between the list and its end.
  for (let look = 0; look < MOST_LOOKS; look++) {
    const found = findPrograms(folder)
    if (found.length === 0) return
    for (const pid of found) endProcess(pid)
  }
}

const findPrograms = (folder: string): number[] => {
  const { stdout } = spawnSync('ps', ['axeww', '-o', 'pid=,stat=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout
    .split('\n')
    .filter((line) => line.includes(folder))
    .map((line) => line.trim().split(/\s+/, 2))
    .filter(([, state]) => !state?.startsWith('Z'))
    .map(([pid]) => Number(pid))
    .filter((pid) => pid !== process.pid)
}
