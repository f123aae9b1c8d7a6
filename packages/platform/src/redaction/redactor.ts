import { isJsonObject, type JsonObject } from '@steward/contract'
import { encodedForms } from './encoded-forms.ts'
import { MASK } from './forms/secret-scan.ts'
import { hideSecretForms } from './hide-secret-forms.ts'
import { createQuickFinder } from './quick-finder.ts'
import { findSecretMembers } from './secret-members.ts'

/** What came out, and the names of the secrets that were in it. */
export interface Redacted<T> {
  value: T
  found: string[]
}

interface Redact {
  redactText: (text: string) => Redacted<string>
  /** Any JSON value. Without a find it is handed back as it came, the same reference. */
  redact: (value: unknown) => Redacted<unknown>
  redactFields: (fields: JsonObject) => Redacted<JsonObject>
}

/**
 * Masks secrets in anything on its way to a log, record, event or person: known values, what has the
 * form of a secret, and members that are named like one. Values are masked before they are encoded,
 * because an encoded text hides where a value begins and ends.
 */
export interface Redactor extends Redact {
  /** Masks known values only: for what is read back and computed with, where a guess would be a fault. */
  known: Redact
  /** Secrets whose values are too short to look for: they would turn up everywhere. */
  ignored: string[]
  /** To make the same one in a thread. */
  source: RedactorSource
}

export interface RedactorSource {
  secrets: Readonly<Record<string, string>>
  shortest: number
}

/** How `found` names a secret that is not a known one. */
export const UNKNOWN_SECRET = 'recognised by its form'

export const SHORTEST_SECRET_CHARS = 8

/** Deeper than any real record; what lies below is left out rather than left unchecked. */
const DEEPEST_LEVEL = 1000
const TOO_DEEP = '[redacted: nested too deeply]'

/** `secrets` by name; each is replaced by `[redacted:NAME]`, in encoded forms too; others by `[redacted]`. */
export const createRedactor = (
  secrets: Readonly<Record<string, string>>,
  shortest = SHORTEST_SECRET_CHARS,
): Redactor => {
  const entries = Object.entries(secrets)
  const isTooShort = (value: string): boolean => value.length < shortest
  const ignored = entries.filter(([, value]) => isTooShort(value)).map(([name]) => name)
  const nameByForm = new Map<string, string>()
  for (const [name, value] of entries) {
    if (isTooShort(value)) continue
    for (const form of encodedForms(value)) {
      if (!nameByForm.has(form)) nameByForm.set(form, name)
    }
  }
  const hideKnown = createKnownHider(nameByForm)
  const hideAll: HideText = (text, found) => {
    const known = hideKnown(text, found)
    const clean = hideSecretForms(known)
    if (clean !== known) found.add(UNKNOWN_SECRET)
    return clean
  }
  return {
    ...createWalker(hideAll, findSecretMembers),
    known: createWalker(hideKnown, () => NO_MEMBERS),
    ignored,
    source: { secrets, shortest },
  }
}

type HideText = (text: string, found: Set<string>) => string
/** The members of an object, or places of a list, whose strings are secrets whatever they look like. */
type FindMembers = (value: JsonObject | readonly unknown[]) => ReadonlySet<string | number>
const NO_MEMBERS: ReadonlySet<string | number> = new Set()

const createKnownHider = (nameByForm: ReadonlyMap<string, string>): HideText => {
  if (nameByForm.size === 0) return (text) => text
  const forms = [...nameByForm.keys()]
  const pattern = patternOf(forms)
  const mayHoldOne = createQuickFinder(forms)
  return (text, found) => {
    if (!mayHoldOne(text)) return text
    return text.replace(pattern, (form) => {
      const name = nameByForm.get(form) ?? ''
      found.add(name)
      return `[redacted:${name}]`
    })
  }
}

const KEPT_KEYS = 2000

/** One call. The rows of a list repeat their ids and folders, which are checked once. */
interface Walk {
  found: Set<string>
  clean: Set<string>
}

const createWalker = (hide: HideText, findMembers: FindMembers): Redact => {
  /** The keys of records repeat. */
  const cleanKeys = new Set<string>()
  const hideKey = (key: string, found: Set<string>): string => {
    if (cleanKeys.has(key)) return key
    const clean = hide(key, found)
    if (clean !== key) return clean
    if (cleanKeys.size >= KEPT_KEYS) cleanKeys.clear()
    cleanKeys.add(key)
    return key
  }

  const hideValue = (text: string, { found, clean }: Walk): string => {
    if (clean.has(text)) return text
    const shown = hide(text, found)
    if (shown === text) clean.add(text)
    return shown
  }

  const walk = (value: unknown, current: Walk, level: number): unknown => {
    if (typeof value === 'string') return hideValue(value, current)
    if (typeof value !== 'object' || value === null) return value
    if (level > DEEPEST_LEVEL) {
      current.found.add(TOO_DEEP)
      return TOO_DEEP
    }
    if (Array.isArray(value)) {
      const secret = findMembers(value)
      const items = value.map((item, index) =>
        secret.has(index) ? maskMember(item, current, level) : walk(item, current, level + 1),
      )
      return items.every((item, index) => Object.is(item, value[index])) ? value : items
    }
    return isJsonObject(value) ? walkFields(value, current, level) : value
  }

  const walkFields = (fields: JsonObject, current: Walk, level: number): JsonObject => {
    const secret = findMembers(fields)
    const cleanOf = (key: string): unknown =>
      secret.has(key)
        ? maskMember(fields[key], current, level)
        : walk(fields[key], current, level + 1)
    const keys = Object.keys(fields)
    // Most records hold no secret and are not copied.
    const first = keys.findIndex(
      (key) => hideKey(key, current.found) !== key || !Object.is(cleanOf(key), fields[key]),
    )
    if (first === -1) return fields
    const entries = keys.map((key, index): [string, unknown] =>
      index < first ? [key, fields[key]] : [hideKey(key, current.found), cleanOf(key)],
    )
    return Object.fromEntries(numberTwins(entries))
  }

  /** A known value keeps its name; of the rest nothing is left. */
  const maskMember = (item: unknown, current: Walk, level: number): unknown => {
    const clean = walk(item, current, level + 1)
    if (typeof clean === 'string' && WHOLE_MASK.test(clean)) return clean
    current.found.add(UNKNOWN_SECRET)
    return MASK
  }

  const collect = <T>(work: (current: Walk) => T): Redacted<T> => {
    const current: Walk = { found: new Set(), clean: new Set() }
    return { value: work(current), found: [...current.found] }
  }

  return {
    redactText: (text) => collect(({ found }) => hide(text, found)),
    redact: (value) => collect((current) => walk(value, current, 0)),
    redactFields: (fields) => collect((current) => walkFields(fields, current, 0)),
  }
}

const WHOLE_MASK = /^\[redacted[^[\]]*\]$/

/** The longest form comes first, so that one secret inside of another leaves no rest behind. */
const patternOf = (forms: readonly string[]): RegExp => {
  const longestFirst = forms.toSorted((a, b) => b.length - a.length)
  return new RegExp(longestFirst.map(quoteForRegExp).join('|'), 'g')
}

const quoteForRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Two keys that became the same would lose a value. */
const numberTwins = (entries: ReadonlyArray<[string, unknown]>): Array<[string, unknown]> => {
  const seen = new Set<string>()
  return entries.map(([key, item]) => {
    let name = key
    for (let count = 2; seen.has(name); count++) name = `${key} (${count})`
    seen.add(name)
    return [name, item]
  })
}
