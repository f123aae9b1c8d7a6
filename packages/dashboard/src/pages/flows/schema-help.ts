type Json = Readonly<Record<string, unknown>>

/** A field that may stand at a place of a definition. */
export interface FieldHelp {
  name: string
  description: string
  required: boolean
  /** The allowed values, if they are few. */
  values: string[]
  isPresent: boolean
}

export interface PlaceHelp {
  /** Where the cursor is, such as `source` or `schedule`. */
  path: string
  fields: FieldHelp[]
}

/** The fields that may stand at the cursor in a JSON text, by its schema. */
export const helpAt = (schema: Json, text: string, offset: number): PlaceHelp => {
  const path = pathAt(text, offset)
  const value = readTolerantly(text)
  for (let length = path.length; length >= 0; length--) {
    const part = path.slice(0, length)
    const fields = fieldsOf(schema, part, value)
    if (fields.length > 0) return { path: part.join('.'), fields }
  }
  return { path: '', fields: [] }
}

/** The keys and places of the objects and lists around an offset. */
export const pathAt = (text: string, offset: number): string[] => {
  const stack: Array<{ key: string | undefined; index: number; isList: boolean }> = []
  for (let at = 0; at < offset; at++) {
    const char = text[at]
    const top = stack.at(-1)
    if (char === '"') {
      const end = endOfString(text, at)
      // A text with a colon behind it is a key.
      if (end < offset && /^\s*:/.test(text.slice(end, end + 40)) && top?.isList === false) {
        top.key = text.slice(at + 1, end - 1)
      }
      at = end - 1
    } else if (char === '{' || char === '[') {
      stack.push({ key: undefined, index: 0, isList: char === '[' })
    } else if (char === '}' || char === ']') stack.pop()
    else if (char === ',' && top !== undefined) {
      top.key = undefined
      top.index += 1
    }
  }
  return stack.slice(0, -1).map(({ key, index, isList }) => (isList ? String(index) : (key ?? '')))
}

const endOfString = (text: string, from: number): number => {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

const readTolerantly = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const fieldsOf = (root: Json, path: readonly string[], value: unknown): FieldHelp[] => {
  let schemas: Json[] = [root]
  let at = value
  for (const key of path) {
    schemas = schemas
      .flatMap((schema) => optionsOf(root, schema, at))
      .flatMap((schema) => childOf(schema, key))
    at = Array.isArray(at) ? at[Number(key)] : isObject(at) ? at[key] : undefined
  }
  const present = isObject(at) ? Object.keys(at) : []
  const found = new Map<string, FieldHelp>()
  for (const schema of schemas.flatMap((each) => optionsOf(root, each, at))) {
    const required = Array.isArray(schema.required) ? schema.required : []
    for (const [name, field] of Object.entries(
      isObject(schema.properties) ? schema.properties : {},
    )) {
      if (name === '$schema' || !isObject(field)) continue
      const known = found.get(name)
      found.set(name, {
        name,
        description: String(field.description ?? known?.description ?? ''),
        required: required.includes(name) && (known?.required ?? true),
        values: [...new Set([...(known?.values ?? []), ...valuesOf(field)])],
        isPresent: present.includes(name),
      })
    }
  }
  return [...found.values()]
}

/** The schemas that a schema stands for; of alternatives those that fit the `type` in the text. */
const optionsOf = (root: Json, schema: Json, value: unknown): Json[] => {
  const { $ref, anyOf, oneOf, allOf } = schema
  if (typeof $ref === 'string') {
    const target = $ref
      .split('/')
      .slice(1)
      .reduce<unknown>((each, key) => (isObject(each) ? each[key] : undefined), root)
    return isObject(target) && target !== schema ? optionsOf(root, target, value) : []
  }
  const choices = anyOf ?? oneOf
  if (Array.isArray(choices)) {
    const all = choices.filter(isObject).flatMap((choice) => optionsOf(root, choice, value))
    const type = isObject(value) ? value.type : undefined
    const fitting = all.filter(
      (choice) => type !== undefined && valuesOf(typeOf(choice)).includes(String(type)),
    )
    return fitting.length > 0 ? fitting : all
  }
  if (Array.isArray(allOf))
    return allOf.filter(isObject).flatMap((each) => optionsOf(root, each, value))
  return [schema]
}

const typeOf = ({ properties }: Json): Json =>
  isObject(properties) && isObject(properties.type) ? properties.type : {}

const childOf = ({ properties, items, additionalProperties }: Json, key: string): Json[] => {
  const child = isObject(properties) ? properties[key] : undefined
  return [child, /^\d+$/.test(key) ? items : undefined, additionalProperties]
    .filter(isObject)
    .slice(0, 1)
}

const valuesOf = (schema: Json): string[] => {
  if (Array.isArray(schema.enum)) return schema.enum.map(String)
  if (schema.const !== undefined) return [String(schema.const)]
  return schema.type === 'boolean' ? ['true', 'false'] : []
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
