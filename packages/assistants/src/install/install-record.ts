import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StewardError, unwrap } from '@steward/contract'
import { type Home, readStateFile, writeFileAtomically, writeStateFile } from '@steward/platform'
import { z } from 'zod'
import type { PlannedChange } from './plan-change.ts'

const record = z.object({
  path: z.string(),
  /** As it was before the first install; `null` when there was no file. */
  before: z.string().nullable(),
  after: z.string(),
  /** The topmost folder that the install created. */
  folder: z.string().optional(),
})

export interface Installed {
  before: string | undefined
  after: string
  folder: string | undefined
}

const recordPath = (home: Home, path: string): string => {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16)
  return join(home.databases, 'hooks', `${name}.json`)
}

/** The text of an assistant's file before we changed it, kept private in the data home. */
export const readInstalled = async (home: Home, path: string): Promise<Installed | undefined> => {
  const read = unwrap(await readStateFile(recordPath(home, path), record.nullable(), null))
  if (read === null) return undefined
  const { before, after, folder } = read
  return { before: before ?? undefined, after, folder }
}

/** Where the backup of an assistant's file is. */
export const backupPath = (home: Home, path: string): string => recordPath(home, path)

/** Backs the file up, then writes it. A file that changed since the plan is left alone. */
export const applyInstall = async (home: Home, change: PlannedChange): Promise<void> => {
  const { path, before, after } = change
  if (after === undefined || after === before) return
  checkUnchanged(change)
  const earlier = await readInstalled(home, path)
  // A second install over our own text must not treat that as the original.
  const original = earlier !== undefined && earlier.after === before ? earlier.before : before
  const folder = earlier?.folder ?? findMissing(dirname(path))
  await mkdir(dirname(recordPath(home, path)), { recursive: true, mode: 0o700 })
  const kept = { path, before: original ?? null, after, folder }
  await writeStateFile(recordPath(home, path), kept)
  await mkdir(dirname(path), { recursive: true })
  await writeFileAtomically(path, after)
}

export const applyUninstall = async (home: Home, change: PlannedChange): Promise<void> => {
  const { path, before, after } = change
  checkUnchanged(change)
  const { folder } = (await readInstalled(home, path)) ?? {}
  if (after === undefined) await rm(path, { force: true })
  else if (after !== before) await writeFileAtomically(path, after)
  await rm(recordPath(home, path), { force: true })
  if (after === undefined && folder !== undefined) await removeEmpty(dirname(path), folder)
}

/** The topmost folder of a path that does not exist. */
const findMissing = (folder: string): string | undefined => {
  if (existsSync(folder)) return undefined
  return findMissing(dirname(folder)) ?? folder
}

/** Removes empty folders from `folder` up to and including `last`. */
const removeEmpty = async (folder: string, last: string): Promise<void> => {
  try {
    await rmdir(folder)
  } catch {
    // Someone else uses it now.
    return
  }
  if (folder !== last && folder.startsWith(last)) await removeEmpty(dirname(folder), last)
}

const checkUnchanged = ({ path, before }: PlannedChange): void => {
  if (readIfThere(path) === before) return
  throw new StewardError('version_conflict', { subject: path })
}

export const readIfThere = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined
