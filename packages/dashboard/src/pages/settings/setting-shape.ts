import { inWords, isObject, type Json, objectIn, resolve } from './read-schema.ts'

/** A value that one control edits. */
export type LeafControl =
  | { kind: 'switch' }
  | { kind: 'choice'; choices: string[] }
  | { kind: 'number'; min: number | undefined; max: number | undefined; isWhole: boolean }
  | { kind: 'text' }
  /** One text per line. */
  | { kind: 'lines' }
  /** Some of these. */
  | { kind: 'checks'; choices: string[] }

/** A value with parts, as its schema describes it. */
export type Shape =
  | { kind: 'leaf'; control: LeafControl; rules: Rules }
  | { kind: 'object'; fields: ShapeField[] }
  | { kind: 'list'; item: Shape }
  /** Values by a name that the person chooses. */
  | { kind: 'map'; item: Shape; keys: Rules }

export interface ShapeField {
  key: string
  title: string
  description: string
  isRequired: boolean
  /** The default; empty if there is none. */
  default: string
  shape: Shape
}

/** The conditions for a text. */
export interface Rules {
  pattern?: string
  minLength?: number
  above?: number
  isAddress?: true
}

/** The control for a schema; undefined if the value has parts. */
export const leafOf = (schema: Json): LeafControl | undefined => {
  const { type, items } = schema
  if (Array.isArray(schema.enum)) return { kind: 'choice', choices: schema.enum.map(String) }
  if (type === 'boolean') return { kind: 'switch' }
  if (type === 'number' || type === 'integer') {
    const { minimum, maximum } = schema
    return {
      kind: 'number',
      min: typeof minimum === 'number' && minimum > -1e15 ? minimum : undefined,
      max: typeof maximum === 'number' && maximum < 1e15 ? maximum : undefined,
      isWhole: type === 'integer',
    }
  }
  if (type === 'string') return { kind: 'text' }
  if (type !== 'array' || !isObject(items) || items.type !== 'string') return undefined
  return Array.isArray(items.enum)
    ? { kind: 'checks', choices: items.enum.map(String) }
    : { kind: 'lines' }
}

/** The form of a schema; undefined for a union, or if any part has none. */
export const shapeOf = (root: Json, given: Json): Shape | undefined => {
  const schema = { ...resolve(root, given), ...given }
  const control = leafOf(schema)
  if (control !== undefined) return { kind: 'leaf', control, rules: rulesOf(schema) }
  const { type, items, properties, additionalProperties } = schema
  if (type === 'array' && isObject(items)) {
    const item = shapeOf(root, items)
    return item && { kind: 'list', item }
  }
  if (type !== 'object') return undefined
  if (isObject(properties)) return objectOf(root, schema)
  if (!isObject(additionalProperties)) return undefined
  const item = shapeOf(root, additionalProperties)
  return item && { kind: 'map', item, keys: rulesOf(objectIn(schema.propertyNames)) }
}

const objectOf = (root: Json, { properties, required }: Json): Shape | undefined => {
  const fields: ShapeField[] = []
  for (const [key, value] of Object.entries(objectIn(properties))) {
    const schema = objectIn(value)
    const shape = shapeOf(root, schema)
    if (shape === undefined) return undefined
    fields.push({
      key,
      title: inWords(key),
      description: String(schema.description ?? ''),
      isRequired: Array.isArray(required) && required.includes(key),
      default: ['string', 'number', 'boolean'].includes(typeof schema.default)
        ? String(schema.default)
        : '',
      shape,
    })
  }
  return { kind: 'object', fields }
}

const rulesOf = ({ pattern, minLength, exclusiveMinimum, format }: Json): Rules => ({
  ...(typeof pattern === 'string' ? { pattern } : {}),
  ...(typeof minLength === 'number' ? { minLength } : {}),
  ...(typeof exclusiveMinimum === 'number' ? { above: exclusiveMinimum } : {}),
  ...(format === 'uri' ? { isAddress: true as const } : {}),
})
