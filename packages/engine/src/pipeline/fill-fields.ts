import { isJsonObject, type JsonObject, StewardError, toStewardError } from '@steward/contract'

const NAME = '[A-Za-z_]\\w*(?:\\.\\w+)*'
/** `{field}` or `{field.part}`; `{{field}}` stands for the text `{field}`. */
const PLACEHOLDER = new RegExp(`\\{\\{(${NAME})\\}\\}|\\{(${NAME})\\}`, 'g')
const WHOLE = new RegExp(`^\\{(${NAME})\\}$`)

/**
 * The values of `with`: a text that is only `{field}` becomes that field's value, of any type;
 * elsewhere in a text the value is inserted. A field that is missing is an error.
 */
export const fillFields = (values: JsonObject, scope: JsonObject): JsonObject | StewardError => {
  try {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, fill(value, scope, `with.${name}`)]),
    )
  } catch (thrown) {
    return toStewardError(thrown)
  }
}

/** The fields that the values of `with` name. */
export const fieldsIn = (value: unknown): string[] => {
  if (typeof value === 'string') {
    return [...value.matchAll(PLACEHOLDER)].flatMap(([, , name]) => name?.split('.', 1) ?? [])
  }
  if (Array.isArray(value)) return value.flatMap(fieldsIn)
  return isJsonObject(value) ? Object.values(value).flatMap(fieldsIn) : []
}

const fill = (value: unknown, scope: JsonObject, subject: string): unknown => {
  if (typeof value === 'string') return fillText(value, scope, subject)
  if (Array.isArray(value)) return value.map((each) => fill(each, scope, subject))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, fill(each, scope, subject)]),
  )
}

const fillText = (text: string, scope: JsonObject, subject: string): unknown => {
  const whole = WHOLE.exec(text)?.[1]
  if (whole !== undefined) return read(whole, scope, subject)
  return text.replace(PLACEHOLDER, (_, escaped?: string, name?: string) => {
    if (name === undefined) return `{${escaped}}`
    const value = read(name, scope, subject)
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

const read = (name: string, scope: JsonObject, subject: string): unknown => {
  let value: unknown = scope
  for (const part of name.split('.')) {
    const found = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
    if (found === undefined) {
      throw new StewardError('invalid_input', {
        subject,
        reason: `there is no field ${name}; {{${name}}} is the text itself`,
      })
    }
    value = found
  }
  return value
}
