import { type Fields, isFields } from '@steward/contract'
import { encodedForms } from './encoded-forms.ts'
import { createQuickFinder } from './quick-finder.ts'

/** What came out, and the names of the secrets that were in it. */
export interface Redacted<T> {
  value: T
  found: string[]
}

/** Takes known secret values out of anything on its way to a log, record, event or person. */
export interface Redactor {
  redactText: (text: string) => Redacted<string>
  /** Any JSON value. Without a find it is handed back as it came, the same reference. */
  redact: (value: unknown) => Redacted<unknown>
  redactFields: (fields: Fields) => Redacted<Fields>
  /** Secrets whose values are too short to look for: they would turn up everywhere. */
  ignored: string[]
}

export const SHORTEST_SECRET_CHARS = 8

/** Deeper than any real record; what lies below is left out rather than left unchecked. */
const DEEPEST_LEVEL = 1000
const TOO_DEEP = '[redacted: nested too deeply]'

/** `secrets` by name; each is replaced by `[redacted:NAME]`, in encoded forms too. */
export const createRedactor = (secrets: Readonly<Record<string, string>>): Redactor => {
  const entries = Object.entries(secrets)
  const ignored = entries.filter(([, value]) => isTooShort(value)).map(([name]) => name)
  const nameByForm = new Map<string, string>()
  for (const [name, value] of entries) {
    if (isTooShort(value)) continue
    for (const form of encodedForms(value)) {
      if (!nameByForm.has(form)) nameByForm.set(form, name)
    }
  }
  if (nameByForm.size === 0) return { ...PASS_ALL, ignored }

  const forms = [...nameByForm.keys()]
  const pattern = patternOf(forms)
  const mayHoldOne = createQuickFinder(forms)

  const replaceIn = (text: string, found: Set<string>): string => {
    if (!mayHoldOne(text)) return text
    return text.replace(pattern, (form) => {
      const name = nameByForm.get(form) ?? ''
      found.add(name)
      return `[redacted:${name}]`
    })
  }

  const walk = (value: unknown, found: Set<string>, level: number): unknown => {
    if (typeof value === 'string') return replaceIn(value, found)
    if (typeof value !== 'object' || value === null) return value
    if (level > DEEPEST_LEVEL) {
      found.add(TOO_DEEP)
      return TOO_DEEP
    }
    if (Array.isArray(value)) {
      const items = value.map((item) => walk(item, found, level + 1))
      return items.every((item, index) => Object.is(item, value[index])) ? value : items
    }
    return isFields(value) ? walkFields(value, found, level) : value
  }

  const walkFields = (fields: Fields, found: Set<string>, level: number): Fields => {
    let changed = false
    const entries: Array<[string, unknown]> = []
    for (const key of Object.keys(fields)) {
      const item = fields[key]
      const entry: [string, unknown] = [replaceIn(key, found), walk(item, found, level + 1)]
      if (entry[0] !== key || !Object.is(entry[1], item)) changed = true
      entries.push(entry)
    }
    return changed ? Object.fromEntries(numberTwins(entries)) : fields
  }

  const collect = <T>(work: (found: Set<string>) => T): Redacted<T> => {
    const found = new Set<string>()
    return { value: work(found), found: [...found] }
  }

  return {
    redactText: (text) => collect((found) => replaceIn(text, found)),
    redact: (value) => collect((found) => walk(value, found, 0)),
    redactFields: (fields) => collect((found) => walkFields(fields, found, 0)),
    ignored,
  }
}

const PASS_ALL = {
  redactText: (value: string) => ({ value, found: [] }),
  redact: (value: unknown) => ({ value, found: [] }),
  redactFields: (value: Fields) => ({ value, found: [] }),
}

const isTooShort = (value: string): boolean => value.length < SHORTEST_SECRET_CHARS

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
