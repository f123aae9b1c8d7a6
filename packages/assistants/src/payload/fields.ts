import { isJsonObject, type JsonObject } from '@steward/contract'

/** A payload as fields; any other value is kept under `value`. */
export const fieldsOf = (payload: unknown): JsonObject => {
  if (isJsonObject(payload)) return payload
  return payload === undefined || payload === null ? {} : { value: payload }
}

/** A field that is an object; an empty one when it is not. */
export const nestedOf = (fields: JsonObject, key: string): JsonObject => {
  const value = fields[key]
  return isJsonObject(value) ? value : {}
}

/** A field that is text and not empty. */
export const textOf = (fields: JsonObject, key: string): string | undefined => {
  const value = fields[key]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const numberOf = (fields: JsonObject, key: string): number | undefined => {
  const value = fields[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** The first of several possible names of a field. */
export const firstTextOf = (fields: JsonObject, ...keys: readonly string[]): string | undefined => {
  for (const key of keys) {
    const text = textOf(fields, key)
    if (text !== undefined) return text
  }
  return undefined
}

/** Runs as long as its session, so its own end says nothing about the work. */
const WATCHDOG = /\bsteward(?:\.mjs)?["']? watchdog\b/

/** Tasks that run on after a turn; undefined if the assistant does not list them. */
export const countBackgroundTasks = ({
  background_tasks: tasks,
}: JsonObject): number | undefined =>
  Array.isArray(tasks)
    ? tasks.filter((task) => !(isJsonObject(task) && WATCHDOG.test(String(task.command)))).length
    : undefined
