import { readFileSync } from 'node:fs'
import {
  describeIssues,
  isJsonObject,
  issuesOf,
  type JsonObject,
  parseJson,
  settings as settingsSchema,
  unwrap,
} from '@steward/contract'
import { parseEnv } from '@steward/platform'
import type { MoveItem, MovePlan } from './move.ts'

const PART = 'settings'
/** Sections that both know, in the order of the report. */
const SHARED = ['daidentity', 'notifications', 'observability'] as const
const CHANNELS: Readonly<Record<string, string>> = { ntfy: 'push', discord: 'chat' }
const KNOWN_CHANNELS = new Set(['push', 'chat', 'desktop', 'email', 'webpush', 'voice'])

const LEFT: Readonly<Record<string, string>> = {
  permissions:
    'Claude Code still enforces it; rules for other assistants belong in USER/SECURITY/PATTERNS.yaml',
}

export interface SettingsMove extends MovePlan {
  /** The name of the person, which belongs to the identity here. */
  principal?: string
}

/**
 * Takes over the sections of their settings that Steward has. Each key is reported: names of the old
 * version are converted, and a section that would not be valid is left out with the reason.
 */
export const moveSettings = (
  file: string | undefined,
  { current, env }: { current: string | undefined; env: ReadonlyMap<string, string> },
): SettingsMove => {
  if (file === undefined) return { items: [], writes: [] }
  const theirs = unwrap(parseJson(readFileSync(file, 'utf8'), file))
  if (!isJsonObject(theirs)) return { items: [], writes: [] }
  const mine = current === undefined ? {} : unwrap(parseJson(current, 'settings.json'))
  const own: JsonObject = isJsonObject(mine) ? { ...mine } : {}
  const items: MoveItem[] = []
  const say = (key: string, outcome: MoveItem['outcome'], note?: string) =>
    items.push({
      part: PART,
      from: `settings.json: ${key}`,
      ...(outcome === 'left' ? {} : { to: 'settings.json' }),
      outcome,
      ...(note === undefined ? {} : { note }),
    })
  let isChanged = false
  for (const key of SHARED) {
    const section = theirs[key]
    if (!isJsonObject(section)) continue
    if (own[key] !== undefined) {
      say(key, 'kept', 'your settings of Steward have this section')
      continue
    }
    const converted = CONVERT[key](section, say, env)
    const parsed = settingsSchema.safeParse({ [key]: converted })
    if (!parsed.success) {
      say(key, 'left', describeIssues(issuesOf(parsed.error)))
      continue
    }
    own[key] = converted
    isChanged = true
    const isSame = JSON.stringify(converted) === JSON.stringify(section)
    say(key, isSame ? 'taken' : 'converted')
  }
  const principal = isJsonObject(theirs.principal) ? theirs.principal.name : undefined
  const name = typeof principal === 'string' && principal.trim() !== '' ? principal : undefined
  if (theirs.principal !== undefined) {
    say(
      'principal',
      name === undefined ? 'left' : 'converted',
      name === undefined ? 'it has no name' : 'its name is in USER/ASSISTANT/identity.md',
    )
  }
  for (const key of Object.keys(theirs)) {
    if (key === 'principal' || SHARED.some((each) => each === key)) continue
    say(key, 'left', LEFT[key] ?? 'it belongs to the assistant or to LifeOS, which still read it')
  }
  const content = `${JSON.stringify(own, null, 2)}\n`
  return {
    items,
    writes: isChanged ? [{ to: 'settings.json', content, replaces: true }] : [],
    ...(name === undefined ? {} : { principal: name }),
  }
}

type Say = (key: string, outcome: MoveItem['outcome'], note?: string) => void
type Convert = (section: JsonObject, say: Say, env: ReadonlyMap<string, string>) => JsonObject

const convertNotifications: Convert = (section, say, env) => {
  const converted: JsonObject = {}
  for (const [key, value] of Object.entries(section)) {
    const name = CHANNELS[key] ?? key
    if (key === 'routing' && isJsonObject(value)) converted.routing = convertRouting(value, say)
    else if (name === 'push' && isJsonObject(value)) {
      const push = fillIn(value, env)
      if (typeof push.topic === 'string' && /^[-_A-Za-z0-9]{8,64}$/.test(push.topic)) {
        converted.push = push
      } else {
        say(`notifications.${key}.topic`, 'left', 'it is not set: steward notify --setup push')
      }
    } else if (name === 'chat' && isJsonObject(value)) converted.chat = value
    else if (['desktop', 'thresholds', 'email', 'quietHours'].includes(key)) converted[key] = value
    else say(`notifications.${key}`, 'left', 'Steward has no such channel or setting')
  }
  return converted
}

const convertRouting = (routing: JsonObject, say: Say): JsonObject => {
  const kinds = ['taskComplete', 'longTask', 'backgroundAgent', 'error', 'security', 'waiting']
  const converted: JsonObject = {}
  for (const [kind, routes] of Object.entries(routing)) {
    if (!kinds.includes(kind) || !Array.isArray(routes)) {
      say(`notifications.routing.${kind}`, 'left', 'Steward has no such kind of notification')
      continue
    }
    const names = routes.map((route) => CHANNELS[String(route)] ?? String(route))
    const unknown = names.filter((name) => !KNOWN_CHANNELS.has(name))
    // Everything is spoken here, unless voice is off.
    converted[kind] = [...new Set(names)].filter(
      (name) => KNOWN_CHANNELS.has(name) && name !== 'voice',
    )
    if (unknown.length > 0)
      say(`notifications.routing.${kind}`, 'left', `no channel ${unknown.join(', ')}`)
  }
  return converted
}

/** `${NAME}` in a text, from their .env. */
const fillIn = (section: JsonObject, env: ReadonlyMap<string, string>): JsonObject =>
  Object.fromEntries(
    Object.entries(section).map(([key, value]) => [
      key,
      typeof value === 'string'
        ? value.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => env.get(name) ?? whole)
        : value,
    ]),
  )

const convertObservability: Convert = (section, say) => {
  const { targets, ...rest } = section
  if (!Array.isArray(targets)) return section
  const kept = targets.flatMap((target, at) => {
    if (!isJsonObject(target)) return []
    const { type } = target
    const converted = { ...target, type: type === 'cloudflare-kv' ? 'edge-kv' : type }
    // Valid targets replace the earlier ones, so that the reason names the position in the file.
    const others: unknown[] = Array.from({ length: at }, () => ({ name: 'x', type: 'edge-kv' }))
    const parsed = settingsSchema.safeParse({ observability: { targets: [...others, converted] } })
    if (parsed.success) return [converted]
    say(`observability.targets[${at}]`, 'left', describeIssues(issuesOf(parsed.error)))
    return []
  })
  return { ...rest, targets: kept }
}

const CONVERT: Readonly<Record<(typeof SHARED)[number], Convert>> = {
  daidentity: (section) => section,
  notifications: convertNotifications,
  observability: convertObservability,
}

/** Keys and secrets are added to `.env`; one that is there stays. Values are never reported. */
export const moveEnv = (file: string | undefined, current: string): MovePlan => {
  if (file === undefined) return { items: [], writes: [] }
  const read = parseEnv(readFileSync(file, 'utf8'), '.env')
  if (!read.ok) {
    return {
      items: [{ part: PART, from: '.env', outcome: 'left', note: read.error.message }],
      writes: [],
    }
  }
  const theirs = new Map(Object.entries(read.value))
  const mine = new Map(Object.entries(unwrap(parseEnv(current, '.env'))))
  const items: MoveItem[] = []
  let text = current
  for (const [name, value] of theirs) {
    const known = mine.get(name)
    const outcome = known === undefined ? 'merged' : known === value ? 'same' : 'kept'
    items.push({ part: PART, from: `.env: ${name}`, to: '.env', outcome })
    if (known === undefined) {
      text += `${text === '' || text.endsWith('\n') ? '' : '\n'}${name}=${JSON.stringify(value)}\n`
    }
  }
  const isChanged = text !== current
  return { items, writes: isChanged ? [{ to: '.env', content: text, replaces: true }] : [] }
}
