import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '@steward/platform'

const PREFIX = '.staging-'
/** Staging folders of this process; a pid alone may be that of an earlier, killed process. */
const open = new Set<string>()

/** New worker directories are created here and then replace the old ones, each by one rename. */
export interface Staging {
  add: (short: string, files: Readonly<Record<string, string>>) => Promise<void>
  /** Moves the added directories into place and deletes `removed`. */
  commit: (removed: readonly string[]) => Promise<void>
  /** Replaces a file beside the worker directories atomically. */
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
        // Another build wrote its own meanwhile; the last one wins.
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

/** A killed build leaves its staging behind; a running one keeps it. */
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
    // A process of another user answers with EPERM, so it exists.
    return codeOf(thrown) === 'EPERM'
  }
}

/** Returns false for expected errors. */
const allow =
  (...codes: readonly string[]) =>
  (error: NodeJS.ErrnoException): boolean => {
    if (codes.includes(error.code ?? '')) return false
    throw error
  }
