import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const PREFIX = '.staging-'

/** Where new worker directories are laid out before they take the place of the old ones, each by one rename. */
export interface Staging {
  add: (short: string, files: Readonly<Record<string, string>>) => Promise<void>
  /** Puts what was added into place and takes `removed` away. */
  commit: (removed: readonly string[]) => Promise<void>
  discard: () => Promise<void>
}

export const openStaging = async (out: string, pid: number): Promise<Staging> => {
  await removeAbandoned(out)
  const staging = join(out, `${PREFIX}${pid}`)
  const added: string[] = []
  return {
    add: async (short, files) => {
      for (const [name, text] of Object.entries(files)) {
        const file = join(staging, 'new', short, name)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, text)
      }
      added.push(short)
    },
    commit: async (removed) => {
      await mkdir(join(staging, 'old'), { recursive: true })
      for (const short of [...added, ...removed]) {
        await rename(join(out, short), join(staging, 'old', short)).catch(ignoreMissing)
        if (added.includes(short)) await rename(join(staging, 'new', short), join(out, short))
      }
      await rm(staging, { recursive: true, force: true })
    },
    discard: () => rm(staging, { recursive: true, force: true }),
  }
}

/** A build that was killed leaves its staging behind; one that still runs keeps it. */
const removeAbandoned = async (out: string): Promise<void> => {
  for (const name of await readdir(out)) {
    if (!name.startsWith(PREFIX) || isRunning(Number(name.slice(PREFIX.length)))) continue
    await rm(join(out, name), { recursive: true, force: true })
  }
}

const isRunning = (pid: number): boolean => {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    // Someone else's process answers with EPERM: it is there.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM'
  }
}

const ignoreMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error
}
