import { isJsonObject } from '@steward/contract'

const MORE = '<more that the program ships with>'

/** Lists of the built-in policy: keeps one entry, and Mara's additions. */
const POLICY_LISTS: ReadonlySet<string> = new Set([
  'trusted',
  'blocked',
  'confirm',
  'alerts',
  'paths',
  'rules',
  'injectionPatterns',
])
const IS_MARAS = /tide|gauge/i

/** Lists of documents and links between them: keeps those of Mara's own folder and notes. */
const DOCUMENT_LISTS: ReadonlySet<string> = new Set([
  'documents',
  'nodes',
  'recentChanges',
  'edges',
])
const IS_OWN = /^(?:handbook|knowledge)\/|^actions\/A_CHECK_LEVELS$|^pipelines\/P_TIDE_REPORT$/

/** Hooks of other assistants and other events would only repeat these. */
const SHOWN_HOOKS: ReadonlySet<unknown> = new Set(['PreToolUse', 'Stop'])

/**
 * Removes content that ships with the program, so that a new page, pattern or flow does not change
 * the stored expectations. One entry of each such list stays to show that the list is not empty.
 */
export const leaveOutShipped = (value: unknown, key = ''): unknown => {
  if (Array.isArray(value)) return shorten(value, key).map((item) => leaveOutShipped(item))
  if (!isJsonObject(value)) return value
  const isHookTable = Object.keys(value).some((name) => name.startsWith('claude:'))
  const entries = Object.entries(value).filter(
    ([, item]) => !isHookTable || (isJsonObject(item) && isShownHook(item, item.event)),
  )
  const left = entries.map(([name, item]) => [name, leaveOutShipped(item, name)])
  return { ...Object.fromEntries(left), ...('by_source' in value ? { count: MORE } : {}) }
}

const shorten = (list: readonly unknown[], key: string): readonly unknown[] => {
  if (POLICY_LISTS.has(key)) {
    return withMark(list, (item, index) => index === 0 || IS_MARAS.test(JSON.stringify(item)))
  }
  if (DOCUMENT_LISTS.has(key)) return withMark(list, isOwnDocument)
  if (key === 'groups')
    return withMark(list, (item) => isJsonObject(item) && item.name === 'handbook')
  if (key === 'tree') return withMark(list, isOwnBranch)
  if (key === 'hooks')
    return withMark(list, (item) => isJsonObject(item) && isShownHook(item, item.type))
  if (key === 'tasks') return withMark(list, (item) => isJsonObject(item) && !isShippedFlow(item))
  return list
}

const withMark = (
  list: readonly unknown[],
  isKept: (item: unknown, index: number) => boolean,
): readonly unknown[] => {
  const kept = list.filter(isKept)
  return kept.length === list.length ? kept : [...kept, MORE]
}

const isOwnDocument = (item: unknown): boolean => {
  if (!isJsonObject(item)) return false
  const ids = 'source' in item ? [item.source, item.target] : [item.id]
  return ids.every((id) => typeof id === 'string' && IS_OWN.test(id))
}

const isOwnBranch = (item: unknown): boolean =>
  isJsonObject(item) && Array.isArray(item.children) && item.children.every(isOwnLeaf)

const isOwnLeaf = (item: unknown): boolean =>
  isJsonObject(item) && /^(?:handbook|knowledge):/.test(String(item.slug))

const isShownHook = ({ host }: Record<string, unknown>, event: unknown): boolean =>
  host === 'claude' && SHOWN_HOOKS.has(event)

const isShippedFlow = ({ name }: Record<string, unknown>): boolean =>
  typeof name === 'string' && name.startsWith('F_') && name !== 'F_SAMPLE_DIGEST'
