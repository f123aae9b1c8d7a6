import { readFile, rename } from 'node:fs/promises'
import {
  describeIssues,
  fail,
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
import { writeFileAtomically } from './write-file-atomically.ts'

const LOCK_WAIT_MS = 10_000

export interface UpdateOptions {
  now?: () => Date
  waitMs?: number
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
  { now = () => new Date(), waitMs = LOCK_WAIT_MS }: UpdateOptions = {},
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
    await writeFileAtomically(path, `${JSON.stringify(next, null, 2)}\n`)
    return ok(next)
  }
  try {
    return await withLock(`${path}.lock`, update, { waitMs })
  } catch (thrown) {
    return fail(storageErrorOf(path, thrown))
  }
}

/** Reads a state file; a missing one is `initial`. */
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
  const parsed = schema.safeParse(json.value)
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
