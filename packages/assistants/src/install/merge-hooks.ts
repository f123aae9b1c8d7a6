import { type Fields, type HostName, isFields, StewardError } from '@steward/contract'
import { type HookProgram, isOurs } from './hook-program.ts'
import { HOOK_TABLE } from './hook-table.ts'
import { buildHostEntry } from './host-entry.ts'

/**
 * The settings with our hooks in them; everything else stays as it is and where it is. An event whose
 * entries of ours are as they should be is not touched.
 */
export const addHooks = (
  settings: Fields,
  host: HostName,
  program: HookProgram,
  file: string,
): Fields => {
  const hooks = hooksOf(settings, file)
  const wanted = Object.groupBy(HOOK_TABLE[host], ({ event }) => event)
  const events = new Set([...Object.keys(hooks), ...Object.keys(wanted)])
  const next: Fields = {}
  for (const event of events) {
    const there = entriesOf(hooks, event, file)
    const ours = (wanted[event] ?? []).map((entry) => buildHostEntry(host, entry, program))
    const isRight = JSON.stringify(there.filter(isOurs)) === JSON.stringify(ours)
    const entries = isRight ? there : [...there.flatMap(withoutOurs), ...ours]
    if (entries.length > 0 || (event in hooks && ours.length === 0)) next[event] = entries
  }
  const version = host === 'cursor' && settings.version === undefined ? { version: 1 } : {}
  return { ...version, ...settings, hooks: next }
}

/** The settings without our hooks; what only we had put there goes with them. */
export const removeHooks = (settings: Fields, file: string): Fields => {
  const hooks = hooksOf(settings, file)
  const next: Fields = {}
  for (const event of Object.keys(hooks)) {
    const there = entriesOf(hooks, event, file)
    const entries = there.flatMap(withoutOurs)
    if (entries.length > 0 || there.length === 0) next[event] = entries
  }
  const { hooks: _hooks, ...rest } = settings
  return Object.keys(next).length === 0 ? rest : { ...settings, hooks: next }
}

/** The events that our hook is registered for. */
export const findHooks = (settings: Fields): string[] => {
  const { hooks } = settings
  if (!isFields(hooks)) return []
  return Object.keys(hooks).filter((event) => {
    const entries = hooks[event]
    return Array.isArray(entries) && entries.some(isOurs)
  })
}

const hooksOf = (settings: Fields, file: string): Fields => {
  const { hooks } = settings
  if (hooks === undefined) return {}
  if (isFields(hooks)) return hooks
  throw new StewardError('invalid_definition', { file, reason: 'hooks is no object' })
}

const entriesOf = (hooks: Fields, event: string, file: string): unknown[] => {
  const entries = hooks[event]
  if (entries === undefined) return []
  if (Array.isArray(entries)) return entries
  throw new StewardError('invalid_definition', { file, reason: `hooks.${event} is no list` })
}

/** Someone may have put a handler of their own into a group of ours. */
const withoutOurs = (entry: unknown): unknown[] => {
  if (!isOurs(entry)) return [entry]
  if (!isFields(entry) || !Array.isArray(entry.hooks)) return []
  const hooks = entry.hooks.filter((handler: unknown) => !isOurs(handler))
  return hooks.length === 0 ? [] : [{ ...entry, hooks }]
}
