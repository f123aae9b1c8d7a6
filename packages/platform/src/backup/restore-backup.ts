import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BackupManifest, StewardError } from '@steward/contract'
import { openDatabase } from '../database/database.ts'
import { syncFolder } from '../files/write-file-atomically.ts'
import { ensureHome } from '../home/ensure-home.ts'
import { findRunning } from '../home/find-running.ts'
import type { Home } from '../home/home.ts'
import { holdLock, type Lock } from '../locks/lock.ts'
import { HOME_PARTS, isRuntime, SECRET_FILES } from './backup-scope.ts'
import { readBackup } from './read-backup.ts'

/** A database that this version of Steward knows how to bring up to date. */
export interface KnownStore {
  /** Relative to the data home. */
  path: string
  migrations: readonly string[]
}

export interface RestoreOptions {
  home: Home
  file: string
  stores: readonly KnownStore[]
  /** Move what is in the data home aside instead of refusing. */
  replace: boolean
  now: () => Date
}

export interface RestorePlan {
  manifest: BackupManifest
  /** Parts of the data home that are there already and would be moved aside. */
  replaced: string[]
  /** Databases of an older version, which are brought up to date. */
  migrated: { path: string; from: number; to: number }[]
  /** Why the restore would be refused; empty if it would not be. */
  refusals: string[]
}

export interface Restored extends RestorePlan {
  /** Where the former content is; null if there was none. */
  aside: string | null
  /** Secrets that the backup does not contain and that stayed as they were. */
  keptSecrets: string[]
}

/** Reads and checks the whole backup, and says what a restore would do. Changes nothing. */
export const planRestore = async (options: RestoreOptions): Promise<RestorePlan> =>
  describeRestore(options, await readBackup(options.file))

const describeRestore = (
  { home, stores, replace }: RestoreOptions,
  manifest: BackupManifest,
): RestorePlan => {
  const replaced = partsIn(home)
  const migrated: RestorePlan['migrated'] = []
  const refusals: string[] = []
  const running = findRunning(home)
  if (running !== undefined) refusals.push(`${running}; stop it first`)
  if (replaced.length > 0 && !replace) {
    refusals.push(
      `it is not empty (${replaced.join(', ')}); --replace moves this aside and deletes nothing`,
    )
  }
  for (const { path, migrations } of stores) {
    const stored = manifest.files.find((file) => file.path === path)
    if (stored?.schema === undefined || stored.damaged !== undefined) continue
    const { schema } = stored
    const known = migrations.length
    if (schema > known) {
      refusals.push(
        `${path} is of a newer Steward (schema ${schema}; this one knows up to ${known}); update Steward first`,
      )
    } else if (schema < known) migrated.push({ path, from: schema, to: known })
  }
  return { manifest, replaced, migrated, refusals }
}

/**
 * Puts a backup in place of what is in the data home. The backup is unpacked, checked and brought up
 * to date beside it first, so that a failure changes nothing; what was there is moved aside.
 */
export const restoreBackup = async (options: RestoreOptions): Promise<Restored> => {
  const { home, file, stores, now } = options
  const stamp = now()
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replaceAll(':', '-')
  const stage = join(home.root, `.restore-${stamp}`)
  await mkdir(home.root, { recursive: true, mode: 0o700 })
  await mkdir(stage, { mode: 0o700 })
  const locks: Lock[] = []
  try {
    const plan = describeRestore(options, await readBackup(file, stage))
    const [refusal] = plan.refusals
    if (refusal !== undefined) throw refuse(home, refusal)
    for (const { path } of plan.migrated) await migrate(join(stage, path), path, stores)
    // Held in the old and the new state folder, so that no daemon starts in between.
    if (plan.replaced.includes('state')) locks.push(holdHome(home, home.databases))
    locks.push(holdHome(home, join(stage, 'state')))
    const aside = plan.replaced.length === 0 ? null : join(home.root, `before-restore-${stamp}`)
    await swap(home.root, stage, aside, plan.replaced)
    const keptSecrets = aside === null ? [] : await keepSecrets(home.root, aside)
    await ensureHome(home)
    return { ...plan, aside, keptSecrets }
  } finally {
    for (const lock of locks) lock.release()
    await rm(stage, { recursive: true, force: true })
  }
}

const refuse = (home: Home, reason: string): StewardError =>
  new StewardError('restore_refused', { home: home.root, reason })

const holdHome = (home: Home, state: string): Lock => {
  const lock = holdLock(join(state, 'daemon.lock'))
  if (lock !== undefined) return lock
  throw refuse(home, 'a daemon has just started on it; stop it first')
}

const partsIn = ({ root }: Home): string[] => HOME_PARTS.filter((part) => hasContent(root, part))

/** Empty folders and what only a running process needs do not count. */
const hasContent = (root: string, path: string): boolean => {
  if (isRuntime(path)) return false
  const found = lstatSync(join(root, path), { throwIfNoEntry: false })
  if (found === undefined) return false
  if (!found.isDirectory()) return true
  return readdirSync(join(root, path)).some((name) => hasContent(root, `${path}/${name}`))
}

const migrate = async (
  file: string,
  path: string,
  stores: readonly KnownStore[],
): Promise<void> => {
  const store = stores.find((each) => each.path === path)
  if (store === undefined) return
  await openDatabase(file, { migrations: store.migrations }).close()
}

/** Renames only, so that it takes no time; whatever fails is taken back. */
const swap = async (
  root: string,
  stage: string,
  aside: string | null,
  replaced: readonly string[],
): Promise<void> => {
  const done: [from: string, to: string][] = []
  const move = async (from: string, to: string): Promise<void> => {
    await rename(from, to)
    done.push([from, to])
  }
  try {
    if (aside !== null) await mkdir(aside, { mode: 0o700 })
    for (const part of replaced) await move(join(root, part), join(aside ?? root, part))
    for (const part of readdirSync(stage)) {
      // What is left under the name is an empty folder, or one with lock files.
      if (!replaced.includes(part)) await rm(join(root, part), { recursive: true, force: true })
      await move(join(stage, part), join(root, part))
    }
    await syncFolder(root)
  } catch (thrown) {
    for (const [from, to] of done.reverse()) await rename(to, from)
    throw thrown
  }
}

const keepSecrets = async (root: string, aside: string): Promise<string[]> => {
  const kept: string[] = []
  for (const path of SECRET_FILES) {
    if (existsSync(join(root, path)) || !existsSync(join(aside, path))) continue
    await mkdir(dirname(join(root, path)), { recursive: true, mode: 0o700 })
    await copyFile(join(aside, path), join(root, path))
    kept.push(path)
  }
  return kept
}
