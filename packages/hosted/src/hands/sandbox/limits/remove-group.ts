import { readdir, readFile, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { codeOf, endProcess, isMissing } from '@steward/platform'

const ATTEMPTS = 200
const PAUSE_MS = 10

/**
 * Removes a control group. Killed processes leave it only when the kernel has cleaned them up, so
 * the first attempt often fails; remaining processes are killed each time.
 */
export const removeGroup = async (folder: string): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rmdir(folder)
    } catch (thrown) {
      if (isMissing(thrown)) return
      const code = codeOf(thrown)
      if ((code !== 'EBUSY' && code !== 'ENOTEMPTY') || attempt === ATTEMPTS) throw thrown
    }
    // Includes groups that were not recorded yet when their server was killed.
    for (const inner of await listGroups(folder)) await removeGroup(join(folder, inner))
    await killMembers(folder)
    await setTimeout(PAUSE_MS)
  }
}

const listGroups = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
}

const killMembers = async (folder: string): Promise<void> => {
  const members = await readFile(`${folder}/cgroup.procs`, 'utf8').catch(() => '')
  for (const pid of members.split('\n').map(Number)) endProcess(pid)
}
