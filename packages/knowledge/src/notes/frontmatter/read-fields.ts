import { reasonOf } from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'
import { type FieldValue, type NoteFields, readSimpleFields } from './read-simple.ts'

export interface FieldsReading {
  fields: NoteFields
  fault?: string
}

/** Longer frontmatter is not parsed as YAML, because no person writes it. */
const LONGEST_CHARS = 16 * 1024

/**
 * The fields between the fences, parsed leniently: if YAML fails, simple `key: value` lines still
 * count. All scalars are text. Anchors and aliases are refused, because a few lines of them can
 * expand to gigabytes.
 */
export const readFields = (head: string): FieldsReading => {
  const simple = readSimpleFields(head)
  if (simple.complete) return { fields: simple.fields }
  if (head.length > LONGEST_CHARS) {
    return {
      fields: simple.fields,
      fault: `its frontmatter is longer than ${LONGEST_CHARS} characters`,
    }
  }
  try {
    const document = parseYamlDocument(head, { schema: 'failsafe', logLevel: 'silent' })
    const [error] = document.errors
    if (error !== undefined) return { fields: simple.fields, fault: describe(error) }
    const value: unknown = document.toJS({ maxAliasCount: 0, mapAsMap: true })
    if (value === null || value === '') return { fields: new Map() }
    if (value instanceof Map) return { fields: toFields(value) }
    return { fields: simple.fields, fault: 'its frontmatter is not a list of "key: value" lines' }
  } catch (thrown) {
    return { fields: simple.fields, fault: `its frontmatter cannot be read: ${explain(thrown)}` }
  }
}

const describe = (error: { message: string; linePos?: readonly { line: number }[] }): string => {
  const [first = ''] = error.message.split('\n', 1)
  const reason = first.replace(/ at line \d+, column \d+:?$/, '')
  // Add one, because the fence is the first line of the file.
  const line = error.linePos?.[0]?.line
  return `its frontmatter is not valid YAML${line === undefined ? '' : ` (line ${line + 1})`}: ${reason}`
}

const explain = (thrown: unknown): string => {
  if (thrown instanceof ReferenceError) return 'anchors and aliases (&, *) are not allowed'
  if (thrown instanceof RangeError) return 'it is nested too deeply'
  return reasonOf(thrown)
}

const toFields = (map: ReadonlyMap<unknown, unknown>): NoteFields => {
  const fields = new Map<string, FieldValue>()
  for (const [name, value] of map) {
    if (typeof name === 'string') fields.set(name, toValue(value))
  }
  return fields
}

const toValue = (value: unknown): FieldValue => {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return null
  const items = value.map(toItem)
  return items.every((item) => item !== undefined) ? items : null
}

/** YAML parses an unquoted `- [[slug]]` as nested lists, but people mean the link. */
const toItem = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  if (value instanceof Map) return toTypedLink(value)
  if (!Array.isArray(value) || value.length !== 1) return undefined
  const [inner]: unknown[] = value
  if (typeof inner === 'string') return inner
  return Array.isArray(inner) && typeof inner[0] === 'string' ? `[[${inner[0]}]]` : undefined
}

/** Writes `{slug: x, type: supports}` as the typed link `supports:: [[x]]`. */
const toTypedLink = (map: ReadonlyMap<unknown, unknown>): string | undefined => {
  const target = map.get('slug') ?? map.get('note') ?? map.get('target')
  const type = map.get('type')
  if (typeof target !== 'string' || target === '' || /[[\]\n]/.test(target)) return undefined
  return typeof type === 'string' && LINK_TYPE.test(type)
    ? `${type}:: [[${target}]]`
    : `[[${target}]]`
}

const LINK_TYPE = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,59}$/u
