import { isJsonObject } from '@steward/contract'

/** Lists of what is wrong: on a good day there is nothing in them. */
const OF_FAULTS: ReadonlySet<string> = new Set(['problems', 'findings', 'warnings', 'lastErrors'])

/** Paths of lists in an answer that say nothing; `within` is not looked at deeper than so many levels. */
export const findEmptyLists = (value: unknown, within = 2, path = ''): string[] => {
  if (Array.isArray(value)) return value.length === 0 ? [path] : []
  if (!isJsonObject(value) || within === 0) return []
  return Object.entries(value).flatMap(([key, item]) =>
    OF_FAULTS.has(key) ? [] : findEmptyLists(item, within - 1, `${path}/${key}`),
  )
}
