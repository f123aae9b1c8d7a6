import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Finding, fine } from '@steward/assistants'
import { reasonOf, StewardError } from '@steward/contract'
import {
  checkDatabaseFile,
  type DiskSpace,
  describeShortage,
  describeStoreProblem,
  examineAccess,
  examineJsonFiles,
  findLossNotes,
  type Home,
  listDatabaseFiles,
  readDiskSpace,
  readToken,
  type StoreProblem,
} from '@steward/platform'

const MEGABYTE = 1_000_000

/** How much room the disk of the data home has. */
export const checkDisk = (
  home: Home,
  warnBelowMb: number,
  readDisks: (home: Home) => DiskSpace[] = readDiskSpace,
): Finding => {
  const disks = readDisks(home)
  const short = disks.flatMap((disk) => describeShortage(disk, warnBelowMb * MEGABYTE) ?? [])
  const [worst] = short.toSorted((a, b) => Number(b.isFull) - Number(a.isFull))
  if (worst === undefined) {
    const free = disks.map(({ freeBytes }) => `${Math.floor(freeBytes / MEGABYTE)} MB`)
    return fine('disk space', `${free.join(' and ')} free`)
  }
  return {
    check: 'disk space',
    status: worst.isFull ? 'fail' : 'warn',
    message: worst.message,
    repair: 'free space on that disk; storage.warnBelowMb in settings.json sets when to warn',
  }
}

/** Every store of the data home that cannot be read or written, or is damaged. */
export const checkStores = async (
  home: Home,
  checkDatabase: (path: string) => Promise<string | undefined> = checkDatabaseFile,
): Promise<Finding[]> => {
  const damage = await findDamage(home, checkDatabase)
  const problems = [...examineAccess(home), ...damage, ...examineJsonFiles(home)]
  const notes = findLossNotes(home)
  if (problems.length + notes.length === 0) {
    const { length } = listDatabaseFiles(home)
    return [fine('stores', length === 1 ? '1 database is sound' : `${length} databases are sound`)]
  }
  return [
    ...problems.map((problem): Finding => describe(problem, 'fail')),
    ...notes.map((note): Finding => {
      const path = note.note
      if (path === undefined) return describe(note, 'warn')
      return {
        ...describe(note, 'warn'),
        change: `${path} will be removed; nothing else changes.`,
        fix: async () => {
          await rm(path, { force: true })
          return 'removed the note'
        },
      }
    }),
  ]
}

const describe = ({ store, message, remedy }: StoreProblem, status: 'warn' | 'fail'): Finding => ({
  check: 'stores',
  status,
  message: `${store}: ${message}`,
  repair: remedy,
})

const findDamage = async (
  home: Home,
  checkDatabase: (path: string) => Promise<string | undefined>,
): Promise<StoreProblem[]> => {
  const problems: StoreProblem[] = []
  for (const path of listDatabaseFiles(home)) {
    const reason = await checkDatabase(path)
    if (reason === undefined) continue
    const error = new StewardError('storage_damaged', { path, reason })
    problems.push(describeStoreProblem(home, path, error))
  }
  return problems
}

/** Without a readable token, the daemon refuses every request that needs one. */
export const checkToken = async (home: Home): Promise<Finding> => {
  try {
    await readToken(home.token)
    return fine('token', 'readable')
  } catch (thrown) {
    return {
      check: 'token',
      status: 'fail',
      message: reasonOf(thrown),
      repair: `remove ${join(home.root, 'token')} and restart the daemon: it makes a new one`,
    }
  }
}
