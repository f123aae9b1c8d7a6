import { isJsonObject, type JsonObject } from '@steward/contract'

/** One line of a reference table: `path`, type, default, description. */
export type SchemaRow = readonly [path: string, type: string, preset: string, meaning: string]

const list = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : []

const optionsOf = (schema: JsonObject): JsonObject[] => [
  ...list(schema.anyOf),
  ...list(schema.oneOf),
]

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``

/** The type of a value in words that a person would use. */
const typeOf = (schema: JsonObject): string => {
  if ('const' in schema) return code(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map(code).join(', ')
  if (schema.type === 'array') {
    return isJsonObject(schema.items) ? `list of ${typeOf(schema.items)}` : 'list'
  }
  if (typeof schema.type === 'string') return schema.type
  const types = [...new Set(optionsOf(schema).map(typeOf))]
  return types.length === 0 ? 'any' : types.join(' or ')
}

/** The value of the field that tells the options of a union apart. */
const kindOf = ({ properties }: JsonObject): string | undefined => {
  const type = isJsonObject(properties) ? properties.type : undefined
  return isJsonObject(type) && typeof type.const === 'string' ? type.const : undefined
}

const rowOf = (path: string, schema: JsonObject, isRequired: boolean): SchemaRow => [
  `\`${path}\``,
  typeOf(schema),
  'default' in schema && schema.type !== 'object'
    ? code(schema.default)
    : isRequired
      ? 'required'
      : '',
  typeof schema.description === 'string' ? schema.description : '',
]

/** All fields of a JSON Schema, in its order; options of a union are named by their `type`. */
export const schemaRows = (schema: JsonObject, prefix = ''): SchemaRow[] => {
  const required = Array.isArray(schema.required) ? schema.required : []
  const fields = isJsonObject(schema.properties) ? Object.entries(schema.properties) : []
  return fields.flatMap(([name, field]) => {
    if (!isJsonObject(field) || name === '$schema') return []
    const path = `${prefix}${name}`
    return [rowOf(path, field, required.includes(name)), ...rowsInside(field, path)]
  })
}

const rowsInside = (schema: JsonObject, path: string): SchemaRow[] => {
  if (isJsonObject(schema.items)) return rowsInside(schema.items, `${path}[]`)
  const own = schemaRows(schema, `${path}.`)
  const options = optionsOf(schema).flatMap((option) => {
    const kind = kindOf(option)
    return rowsInside(option, kind === undefined ? path : `${path}:${kind}`)
  })
  const seen = new Set<string>()
  return [...own, ...options].filter(([name]) => !seen.has(name) && seen.add(name))
}
