import { inWords, isObject, type Json, objectIn, resolve } from './read-schema.ts'
import { type LeafControl, leafOf, type Shape, shapeOf } from './setting-shape.ts'

/** The control that edits a setting. */
export type SettingControl =
  | LeafControl
  /** As a form of this shape; a union of several forms has none and is edited as JSON. */
  | { kind: 'json'; names: readonly string[]; shape: Shape | undefined }

export interface SettingField {
  /** From the section to the setting. */
  path: string[]
  title: string
  description: string
  control: SettingControl
  default: unknown
}

export interface SettingSection {
  name: string
  title: string
  description: string
  fields: SettingField[]
}

/** Sections that people change most come first; the others follow in the order of the schema. */
const FIRST = ['usage', 'notifications', 'voice', 'answers', 'sessions', 'assistant', 'backup']
const TITLES: Readonly<Record<string, string>> = {
  usage: 'Budgets and prices',
  daidentity: 'Identity',
  auth: 'Access',
  observability: 'Server and events',
  mcp: 'MCP server',
  algorithm: 'Structured work',
  hosted: 'Background agents',
  wiki: 'Library',
  learning: 'Experiments',
  edge: 'Deployed workers',
}

/** The settings of a JSON Schema, section by section. */
export const listSettings = (schema: Json): SettingSection[] => {
  const sections = Object.entries(objectIn(schema.properties)).flatMap(([name, value]) => {
    if (name === '$schema' || !isObject(value)) return []
    const fields = fieldsOf(schema, value, [name])
    const title = TITLES[name] ?? inWords(name)
    return [{ name, title, description: String(value.description ?? ''), fields }]
  })
  const rank = ({ name }: SettingSection): number => {
    const at = FIRST.indexOf(name)
    return at === -1 ? FIRST.length : at
  }
  return sections.toSorted((one, other) => rank(one) - rank(other))
}

const fieldsOf = (root: Json, given: Json, path: string[]): SettingField[] => {
  const schema = resolve(root, given)
  const properties = objectIn(schema.properties)
  return Object.entries(properties).flatMap(([key, value]) => {
    if (!isObject(value)) return []
    const field = { ...resolve(root, value), ...value }
    const description = String(field.description ?? '')
    if (description.startsWith('Deprecated')) return []
    const own = [...path, key]
    const isGroup = Object.keys(objectIn(field.properties)).length > 0
    // Required fields can only be set together.
    if (isGroup && !hasRequired(field)) return fieldsOf(root, field, own)
    const title = own.slice(1).map(inWords).join(' › ')
    return [
      { path: own, title, description, control: controlOf(root, field), default: field.default },
    ]
  })
}

const hasRequired = ({ required }: Json): boolean => Array.isArray(required) && required.length > 0

const controlOf = (root: Json, schema: Json): SettingControl => {
  const leaf = leafOf(schema)
  if (leaf !== undefined) return leaf
  const { items } = schema
  const inner = isObject(items) ? resolve(root, items) : schema
  const names = Object.keys(objectIn(inner.properties))
  return { kind: 'json', names, shape: shapeOf(root, schema) }
}

/** The value at a path; undefined if there is none. */
export const valueAt = (values: Json, path: readonly string[]): unknown =>
  path.reduce<unknown>((each, key) => (isObject(each) ? each[key] : undefined), values)

/** The text of a control for a value. */
export const toText = (control: Pick<SettingControl, 'kind'>, value: unknown): string => {
  if (value === undefined || value === null) return ''
  if ((control.kind === 'lines' || control.kind === 'checks') && Array.isArray(value))
    return value.join('\n')
  return control.kind === 'json' ? JSON.stringify(value, null, 2) : String(value)
}

/** The value of a control's text; undefined means the default. Throws on JSON with a mistake. */
export const fromText = (control: Pick<SettingControl, 'kind'>, text: string): unknown => {
  switch (control.kind) {
    case 'switch':
      return text === 'true'
    case 'number':
      return text.trim() === '' ? undefined : Number(text)
    case 'lines':
    case 'checks':
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
    case 'json':
      return text.trim() === '' ? undefined : JSON.parse(text)
    default:
      return text === '' ? undefined : text
  }
}
