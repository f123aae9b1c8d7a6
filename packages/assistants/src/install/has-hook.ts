import { type Fields, isFields } from '@steward/contract'
import { GUARD_PATHS } from './guard-paths.ts'
import { HOOK_FILE } from './hook-program.ts'
import type { HookEntry } from './hook-table.ts'

/** What tells one registration of ours from another for the same event. */
export type HookKind = Pick<HookEntry, 'event' | 'guards' | 'asks'>

const GUARD = '--guard'

/** Whether a text of a registration is of this kind. */
export const isOfKind = (text: string, { guards, asks }: Omit<HookKind, 'event'>): boolean => {
  if (asks !== undefined) return text.includes(`${GUARD_PATHS[asks]}?host=claude`)
  return text.includes(HOOK_FILE) && text.includes(GUARD) === (guards === true)
}

/** Whether settings have a registration of ours, of one kind for one event; `counts` may want more of it. */
export const hasHook = (
  settings: Fields,
  kind: HookKind,
  counts: (text: string) => boolean = () => true,
): boolean => {
  const { hooks } = settings
  const entries = isFields(hooks) ? hooks[kind.event] : undefined
  if (!Array.isArray(entries)) return false
  return entries
    .flatMap((entry) => (isFields(entry) && Array.isArray(entry.hooks) ? entry.hooks : [entry]))
    .map((handler) => JSON.stringify(handler ?? null))
    .some((text) => isOfKind(text, kind) && counts(text))
}
