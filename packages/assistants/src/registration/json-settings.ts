import {
  isJsonObject,
  type JsonObject,
  parseJson,
  parseJsonc,
  StewardError,
  unwrap,
} from '@steward/contract'
import { setMember } from './edit-json-text.ts'
import { GUARD_PATHS, type HookEntry, type HookKind } from './hook-entry.ts'
import type { HookFormat } from './hook-format.ts'
import { HOOK_FILE, type HookProgram, isOurs } from './hook-program.ts'

/** An assistant whose hooks are entries of a JSON file. */
export interface JsonHooks {
  hooks: readonly HookEntry[]
  /** An entry as in the file: a group with one handler, or the handler alone. */
  buildEntry: (entry: HookEntry, program: HookProgram) => JsonObject
  /** Members that the file needs besides its hooks; added if missing. */
  required?: JsonObject
  /** Rules of `permissions.allow` that belong to our hooks, and how they are recognised. */
  allowed?: { rulesFor: (program: HookProgram) => string[]; isOurs: (rule: string) => boolean }
  /** The assistant reads JSON with comments. */
  hasComments?: boolean
}

/** The format of assistants that keep their hooks under `hooks` of a JSON file. */
export const createJsonFormat = (own: JsonHooks): HookFormat => {
  const parse = own.hasComments ? parseJsonc : parseJson
  return {
    add: (before, program, path) => {
      const settings = parseSettings(before, path, parse)
      const rules = own.allowed?.rulesFor(program) ?? []
      const next = setAllowed(addHooks(settings, own, program, path), rules, own)
      const isSame = before !== undefined && JSON.stringify(next) === JSON.stringify(settings)
      return isSame ? before : render(next, before)
    },
    remove: (now, path) => {
      const settings = parseSettings(now, path, parse)
      const next = setAllowed(removeHooks(settings, path), [], own)
      return JSON.stringify(next) === JSON.stringify(settings) ? now : render(next, now)
    },
    find: (text = '') => {
      const parsed = text.trim() === '' ? { ok: true, value: {} } : parse(text, 'settings')
      if (!parsed.ok || !isJsonObject(parsed.value)) return undefined
      const settings = parsed.value
      return {
        has: (kind, counts) => hasHook(settings, kind, counts),
        foreign: countForeign(settings),
      }
    },
  }
}

/**
 * The settings with our hooks; everything else is unchanged and in place. Events whose entries are
 * up to date are not touched.
 */
export const addHooks = (
  settings: JsonObject,
  { hooks: entries, buildEntry, required = {} }: JsonHooks,
  program: HookProgram,
  file: string,
): JsonObject => {
  const hooks = hooksOf(settings, file)
  const wanted = Object.groupBy(entries, ({ event }) => event)
  const events = new Set([...Object.keys(hooks), ...Object.keys(wanted)])
  const next: JsonObject = {}
  for (const event of events) {
    const there = entriesOf(hooks, event, file)
    const ours = (wanted[event] ?? []).map((entry) => buildEntry(entry, program))
    const isRight = JSON.stringify(there.filter(isOurs)) === JSON.stringify(ours)
    const merged = isRight ? there : [...there.flatMap(withoutOurs), ...ours]
    if (merged.length > 0 || (event in hooks && ours.length === 0)) next[event] = merged
  }
  // An existing member keeps its place in the file.
  const missing = Object.entries(required).filter(([name]) => settings[name] === undefined)
  return { ...Object.fromEntries(missing), ...settings, hooks: next }
}

/** The settings without our hooks and without members that only we added. */
const removeHooks = (settings: JsonObject, file: string): JsonObject => {
  const hooks = hooksOf(settings, file)
  const next: JsonObject = {}
  for (const event of Object.keys(hooks)) {
    const there = entriesOf(hooks, event, file)
    const entries = there.flatMap(withoutOurs)
    if (entries.length > 0 || there.length === 0) next[event] = entries
  }
  const { hooks: _hooks, ...rest } = settings
  return Object.keys(next).length === 0 ? rest : { ...settings, hooks: next }
}

/** The settings with exactly these rules of ours; rules of others stay in place. */
const setAllowed = (
  settings: JsonObject,
  rules: readonly string[],
  { allowed }: Pick<JsonHooks, 'allowed'>,
): JsonObject => {
  const { permissions = {}, ...rest } = settings
  // A form that the assistant itself would refuse is left to the person.
  if (allowed === undefined || !isJsonObject(permissions)) return settings
  const { allow = [], ...others } = permissions
  if (!Array.isArray(allow)) return settings
  const isOurRule = (rule: unknown): boolean => typeof rule === 'string' && allowed.isOurs(rule)
  if (JSON.stringify(allow.filter(isOurRule)) === JSON.stringify(rules)) return settings
  const next = [...allow.filter((rule: unknown) => !isOurRule(rule)), ...rules]
  if (next.length > 0) return { ...settings, permissions: { ...permissions, allow: next } }
  return Object.keys(others).length === 0 ? rest : { ...settings, permissions: others }
}

/** The events that our hook is registered for. */
export const findHooks = (settings: JsonObject): string[] => {
  const { hooks } = settings
  if (!isJsonObject(hooks)) return []
  return Object.keys(hooks).filter((event) => {
    const entries = hooks[event]
    return Array.isArray(entries) && entries.some(isOurs)
  })
}

const GUARD = '--guard'

/** Whether the text of a registration is of this kind. */
export const isOfKind = (text: string, { guards, asks }: Omit<HookKind, 'event'>): boolean => {
  if (asks !== undefined) return text.includes(`${GUARD_PATHS[asks]}?host=`)
  return text.includes(HOOK_FILE) && text.includes(GUARD) === (guards === true)
}

const hasHook = (
  { hooks }: JsonObject,
  kind: HookKind,
  counts: (text: string) => boolean = () => true,
): boolean => {
  const entries = isJsonObject(hooks) ? hooks[kind.event] : undefined
  if (!Array.isArray(entries)) return false
  return entries
    .flatMap((entry) => (isJsonObject(entry) && Array.isArray(entry.hooks) ? entry.hooks : [entry]))
    .map((handler) => JSON.stringify(handler ?? null))
    .some((text) => isOfKind(text, kind) && counts(text))
}

const countForeign = ({ hooks }: JsonObject): number =>
  isJsonObject(hooks)
    ? Object.values(hooks)
        .flatMap((entries) => (Array.isArray(entries) ? entries : []))
        .filter((entry) => !isOurs(entry)).length
    : 0

const hooksOf = (settings: JsonObject, file: string): JsonObject => {
  const { hooks } = settings
  if (hooks === undefined) return {}
  if (isJsonObject(hooks)) return hooks
  throw new StewardError('invalid_definition', { file, reason: 'hooks is not an object' })
}

const entriesOf = (hooks: JsonObject, event: string, file: string): unknown[] => {
  const entries = hooks[event]
  if (entries === undefined) return []
  if (Array.isArray(entries)) return entries
  throw new StewardError('invalid_definition', { file, reason: `hooks.${event} is not a list` })
}

/** The person may have added a handler to our group. */
const withoutOurs = (entry: unknown): unknown[] => {
  if (!isOurs(entry)) return [entry]
  if (!isJsonObject(entry) || !Array.isArray(entry.hooks)) return []
  const hooks = entry.hooks.filter((handler: unknown) => !isOurs(handler))
  return hooks.length === 0 ? [] : [{ ...entry, hooks }]
}

const parseSettings = (
  text: string | undefined,
  file: string,
  parse: typeof parseJson,
): JsonObject => {
  if (text === undefined || text.trim() === '') return {}
  const parsed = unwrap(parse(text, file))
  if (isJsonObject(parsed)) return parsed
  throw new StewardError('invalid_definition', { file, reason: 'it is not a JSON object' })
}

/** Keeps the indentation and the trailing newline of the file. */
const render = (settings: JsonObject, before: string | undefined): string => {
  if (before !== undefined && before.trim() !== '' && !parseJson(before, 'settings').ok) {
    // Its comments would be lost: only the hooks are written again.
    return setMember(before, 'hooks', settings.hooks)
  }
  const indent = /^([ \t]+)"/m.exec(before ?? '')?.[1] ?? '  '
  const end = before === undefined || before.endsWith('\n') ? '\n' : ''
  return `${JSON.stringify(settings, null, indent)}${end}`
}
