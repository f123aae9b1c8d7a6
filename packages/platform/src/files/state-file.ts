import { readFile, rename } from 'node:fs/promises'
import {
  describeIssues,
  fail,
  isJsonObject,
  isStorageCode,
  issuesOf,
  ok,
  parseJson,
  type Result,
  type Schema,
  StewardError,
} from '@steward/contract'
import { isMissing } from '../error-code.ts'
import { withLock } from '../locks/with-lock.ts'
import { storageErrorOf } from '../storage-error.ts'
import { removeLeftDrafts } from './drafts.ts'
import { takeVersion, withVersion } from './file-version.ts'
import { writeFileAtomically } from './write-file-atomically.ts'

const LOCK_WAIT_MS = 10_000

export interface UpdateOptions {
  now?: () => Date
  waitMs?: number
  /** The form is not ours, so it gets no version: other programs read and write this file too. */
  isForeign?: boolean
}

/**
 * Updates a shared JSON file: locks, reads, changes and replaces it. `change` must return a new
 * value; returning the same one writes nothing. An unparseable file is set aside as
 * `<name>.unreadable-<time>` and the update fails, so that it is never treated as empty.
 */
export const updateStateFile = async <T>(
  path: string,
  schema: Schema<T>,
  initial: T,
  change: (current: T) => T | Promise<T>,
  { now = () => new Date(), waitMs = LOCK_WAIT_MS, isForeign = false }: UpdateOptions = {},
): Promise<Result<T>> => {
  const update = async (): Promise<Result<T>> => {
    const current = await readStateFile(path, schema, initial)
    if (!current.ok) {
      return isStorageCode(current.error.code)
        ? current
        : fail(await setAside(path, current.error, now()))
    }
    const next = await change(current.value)
    if (next === current.value) return current
    const checked = schema.safeParse(next)
    if (!checked.success) {
      const reason = `the new content of ${path} is invalid: ${describeIssues(issuesOf(checked.error))}`
      return fail(new StewardError('internal', { reason }, checked.error))
    }
    await removeLeftDrafts(path)
    const content = isForeign || !isJsonObject(next) ? next : withVersion(next)
    await writeFileAtomically(path, `${JSON.stringify(content, null, 2)}\n`)
    return ok(next)
  }
  try {
    return await withLock(`${path}.lock`, update, { waitMs })
  } catch (thrown) {
    return fail(storageErrorOf(path, thrown))
  }
}

/** Replaces a file that only this process writes. */
export const writeStateFile = (
  path: string,
  content: object,
  options: { mode?: number } = {},
): Promise<void> => writeFileAtomically(path, `${JSON.stringify(withVersion(content))}\n`, options)

/** Reads a state file; a missing one is `initial`, and one of a newer Steward is refused. */
export const readStateFile = async <T>(
  path: string,
  schema: Schema<T>,
  initial: T,
): Promise<Result<T>> => {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (thrown) {
    if (isMissing(thrown)) return ok(initial)
    return fail(storageErrorOf(path, thrown, 'it cannot be read'))
  }
  const json = parseJson(text, path)
  if (!json.ok) return json
  let content: unknown
  try {
    content = takeVersion(json.value, path)
  } catch (thrown) {
    return fail(storageErrorOf(path, thrown))
  }
  const parsed = schema.safeParse(content)
  if (parsed.success) return ok(parsed.data)
  const reason = describeIssues(issuesOf(parsed.error))
  return fail(new StewardError('invalid_definition', { file: path, reason }, parsed.error))
}

const setAside = async (path: string, error: StewardError, at: Date): Promise<StewardError> => {
  const aside = `${path}.unreadable-${at.toISOString().replaceAll(':', '-')}`
  await rename(path, aside)
  const reason = `its content was unreadable and is kept as ${aside} (${error.message})`
  return new StewardError('storage_failed', { path, reason, aside }, error)
}
