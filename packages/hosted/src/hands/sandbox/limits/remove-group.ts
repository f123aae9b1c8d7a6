import { readdir, readFile, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { codeOf, endProcess, isMissing } from '@steward/platform'

const ATTEMPTS = 200
const PAUSE_MS = 10

/**
 * Removes a control group. Processes that were killed leave it only when the kernel has taken them
 * down, so that the first attempt often comes too early; whoever is still in it is killed each time.
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
    // Also groups that nobody had written down yet when their server was killed.
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
