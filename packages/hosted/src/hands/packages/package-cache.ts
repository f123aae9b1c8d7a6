import { mkdir, mkdtemp, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isMissing, listIfPresent } from '@steward/platform'
import { measureFolder } from '../disk/measure.ts'
import { deletePlace } from '../sandbox/place.ts'
import { isOrphan, nameProcess } from '../sandbox/running.ts'

export interface PackageCacheOptions {
  folder: string
  /** The least recently used packages are removed above this size. */
  maxBytes: number
  /** Packages unused for this long are removed. */
  maxIdleMs: number
  now?: () => number
}

/**
 * Installed packages, shared by all sandboxes that need the same; several processes may use the
 * cache.
 */
export interface PackageCache {
  /** Keeps the named packages in place until released; they may not be installed yet. */
  hold(name: string): Promise<HeldPackages>
  /** An empty folder to install in. The caller removes it. */
  makeWork(): Promise<string>
  /** Stores a folder under the name; another process may already have done so. */
  keep(name: string, made: string): Promise<void>
  /** Removes packages until the limits hold or only packages in use are left. */
  makeRoom(): Promise<void>
}

export interface HeldPackages {
  folder: string
  isThere(): Promise<boolean>
  release(): Promise<void>
}

interface Entry {
  name: string
  bytes: number
  usedAtMs: number
}

const INSTALLED = 'installed'
const BYTES = 'bytes'
const NAME = /^[a-z]+-[0-9a-f]{32}$/
/** Left by a crash; no installer runs this long. */
const LEFTOVER = /^(work|gone)-/
const LEFTOVER_MS = 86_400_000

/** One process may open several caches. */
let holds = 0

export const createPackageCache = ({
  folder,
  maxBytes,
  maxIdleMs,
  now = Date.now,
}: PackageCacheOptions): PackageCache => {
  const own = new Map<string, number>()
  const marks = join(folder, 'held')

  const isHeld = async (name: string): Promise<boolean> => {
    if (own.has(name)) return true
    const holders = (await listIfPresent(marks)).filter((mark) => mark.startsWith(`${name}@`))
    return holders.some((mark) => !isOrphan(mark.slice(name.length + 1)))
  }

  const hold = async (name: string): Promise<HeldPackages> => {
    holds += 1
    const mark = join(marks, `${name}@${nameProcess(holds)}`)
    own.set(name, (own.get(name) ?? 0) + 1)
    await mkdir(marks, { recursive: true })
    await writeFile(mark, '')
    const installed = join(folder, name, INSTALLED)
    const at = new Date(now())
    await ignoreMissing(utimes(join(folder, name), at, at))
    return {
      folder: installed,
      isThere: () => exists(installed),
      release: async () => {
        const left = (own.get(name) ?? 1) - 1
        if (left > 0) own.set(name, left)
        else own.delete(name)
        await rm(mark, { force: true })
      },
    }
  }

  /** Other processes clean up too, so a listed entry may be gone. */
  const readEntry = async (name: string): Promise<Entry[]> => {
    const seen = await ignoreMissing(stat(join(folder, name)))
    const noted = await ignoreMissing(readFile(join(folder, name, BYTES), 'utf8'))
    return seen === undefined ? [] : [{ name, bytes: Number(noted ?? 0), usedAtMs: seen.mtimeMs }]
  }

  /** Whether it was removed; if another process took hold of it meanwhile, it is put back. */
  const remove = async (name: string): Promise<boolean> => {
    if (await isHeld(name)) return false
    const gone = join(await mkdtemp(join(folder, 'gone-')), name)
    await ignoreMissing(rename(join(folder, name), gone))
    const isBack =
      (await isHeld(name)) &&
      (await rename(gone, join(folder, name)).then(
        () => true,
        // It was installed again meanwhile, and one copy is enough.
        () => false,
      ))
    await deletePlace(dirname(gone))
    return !isBack
  }

  const removeLeftovers = async (names: readonly string[]): Promise<void> => {
    for (const mark of await listIfPresent(marks)) {
      if (isOrphan(mark.slice(mark.indexOf('@') + 1))) await rm(join(marks, mark), { force: true })
    }
    for (const name of names.filter((each) => LEFTOVER.test(each))) {
      const seen = await ignoreMissing(stat(join(folder, name)))
      if (seen !== undefined && now() - seen.mtimeMs > LEFTOVER_MS)
        await deletePlace(join(folder, name))
    }
  }

  const tidy = async (): Promise<void> => {
    const names = await listIfPresent(folder)
    await removeLeftovers(names)
    const read = await Promise.all(names.filter((name) => NAME.test(name)).map(readEntry))
    const entries = read.flat()
    let total = entries.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { name, bytes, usedAtMs } of entries.toSorted((a, b) => a.usedAtMs - b.usedAtMs)) {
      const isStale = now() - usedAtMs > maxIdleMs
      if ((isStale || total > maxBytes) && (await remove(name))) total -= bytes
    }
  }

  let tidying: Promise<void> = Promise.resolve()
  return {
    hold,
    makeWork: async () => {
      await mkdir(folder, { recursive: true })
      return mkdtemp(join(folder, 'work-'))
    },
    keep: async (name, made) => {
      const parts = await mkdtemp(join(folder, 'work-'))
      try {
        await rename(made, join(parts, INSTALLED))
        const { bytes } = await measureFolder(parts)
        await writeFile(join(parts, BYTES), String(bytes))
        const at = new Date(now())
        await utimes(parts, at, at)
        await rename(parts, join(folder, name))
      } catch (thrown) {
        if (!(await exists(join(folder, name, INSTALLED)))) throw thrown
      } finally {
        await deletePlace(parts)
      }
    },
    makeRoom: () => {
      tidying = tidying.then(tidy, tidy)
      return tidying
    },
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

const ignoreMissing = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}
