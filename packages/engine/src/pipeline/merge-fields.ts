import { isJsonObject, type JsonObject } from '@steward/contract'

/** The fields of `after` that `before` does not have with the same value. */
export const changedFields = (before: JsonObject, after: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => !Object.hasOwn(before, name) || !isSameJson(before[name], value),
    ),
  )

/**
 * What follows a step with fields of its own: they are not passed on, unless the action returned
 * another value for them.
 */
export const withoutLent = (
  carried: JsonObject,
  lent: JsonObject,
  output: JsonObject,
): JsonObject => {
  const rest = { ...output }
  for (const [name, value] of Object.entries(lent)) {
    if (!Object.hasOwn(rest, name) || !isSameJson(rest[name], value)) continue
    if (Object.hasOwn(carried, name)) rest[name] = carried[name]
    else delete rest[name]
  }
  return rest
}

/** Whether two JSON values are equal; the order of fields does not matter. */
const isSameJson = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, at) => isSameJson(each, other[at]))
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  )
}
