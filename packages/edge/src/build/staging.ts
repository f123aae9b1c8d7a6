import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '@steward/platform'

const PREFIX = '.staging-'
/** Those of this process; a number alone may be that of an earlier process that was killed. */
const open = new Set<string>()

/** Where new worker directories are laid out before they take the place of the old ones, each by one rename. */
export interface Staging {
  add: (short: string, files: Readonly<Record<string, string>>) => Promise<void>
  /** Puts what was added into place and takes `removed` away. */
  commit: (removed: readonly string[]) => Promise<void>
  /** Replaces a file beside the worker directories: others see it whole or not at all. */
  replaceFile: (name: string, text: string) => Promise<void>
  discard: () => Promise<void>
}

export const openStaging = async (out: string): Promise<Staging> => {
  await removeAbandoned(out)
  const staging = await mkdtemp(join(out, `${PREFIX}${process.pid}-`))
  open.add(staging)
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
      await mkdir(join(staging, 'old'))
      let moved = 0
      const moveAway = async (short: string) => {
        const away = join(staging, 'old', String(moved++))
        await rename(join(out, short), away).catch(allow('ENOENT'))
      }
      const putInPlace = async (short: string): Promise<void> => {
        await moveAway(short)
        const made = join(staging, 'new', short)
        const isPlaced = await rename(made, join(out, short)).then(
          () => true,
          allow('ENOTEMPTY', 'EEXIST'),
        )
        // Another build put its own there in between: the last one stays.
        if (!isPlaced) await putInPlace(short)
      }
      for (const short of removed) await moveAway(short)
      for (const short of added) await putInPlace(short)
    },
    replaceFile: async (name, text) => {
      await writeFile(join(staging, name), text)
      await rename(join(staging, name), join(out, name))
    },
    discard: async () => {
      await rm(staging, { recursive: true, force: true })
      open.delete(staging)
    },
  }
}

/** A build that was killed leaves its staging behind; one that still runs keeps it. */
const removeAbandoned = async (out: string): Promise<void> => {
  for (const name of await readdir(out)) {
    if (!name.startsWith(PREFIX) || open.has(join(out, name))) continue
    const pid = Number.parseInt(name.slice(PREFIX.length), 10)
    if (pid !== process.pid && isRunning(pid)) continue
    await rm(join(out, name), { recursive: true, force: true })
  }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    // Someone else's process answers with EPERM: it is there.
    return codeOf(thrown) === 'EPERM'
  }
}

/** Answers false for errors that are foreseen. */
const allow =
  (...codes: readonly string[]) =>
  (error: NodeJS.ErrnoException): boolean => {
    if (codes.includes(error.code ?? '')) return false
    throw error
  }
