import { isJsonObject, type JsonObject, StewardError } from '@steward/contract'

/**
 * The key in every JSON file and log row of ours that names the version of its form. Files from before
 * the key have the first one. A new version of a form is a change of its reader, which still reads the
 * older ones.
 */
const KEY = 'schemaVersion'
const FIRST = 1

/** The content of a file or row with its version in front. */
export const withVersion = <T extends object>(content: T): T & { schemaVersion: number } => ({
  [KEY]: FIRST,
  ...content,
})

/** Whether a newer Steward wrote this, in a form that this one may misread. */
export const isNewer = (content: unknown): boolean =>
  isJsonObject(content) && typeof content[KEY] === 'number' && content[KEY] > FIRST

/** The content of the file at `path` without its version; throws if a newer Steward wrote it. */
export const takeVersion = (content: unknown, path: string): unknown => {
  if (!isJsonObject(content)) return content
  return takeVersionOf(content, path)
}

export const takeVersionOf = (content: JsonObject, path: string): JsonObject => {
  const { [KEY]: version, ...rest } = content
  if (!isNewer(content)) return rest
  const reason = `a newer Steward wrote it (version ${version}; this one reads up to ${FIRST}); update Steward to use it`
  throw new StewardError('storage_failed', { path, reason })
}
