import { isJsonObject } from '@steward/contract'

/** Lists of problems, which are empty on a good day. */
const OF_FAULTS: ReadonlySet<string> = new Set(['problems', 'findings', 'warnings', 'lastErrors'])

/** The paths of empty lists in a response; searches no deeper than `within` levels. */
export const findEmptyLists = (value: unknown, within = 2, path = ''): string[] => {
  if (Array.isArray(value)) return value.length === 0 ? [path] : []
  if (!isJsonObject(value) || within === 0) return []
  return Object.entries(value).flatMap(([key, item]) =>
    OF_FAULTS.has(key) ? [] : findEmptyLists(item, within - 1, `${path}/${key}`),
  )
}
