import { isFields, ok, type Result } from '@steward/contract'
import { type PathPart, parsePath } from './parse-path.ts'

/**
 * The value at a path such as `$.data.items`: a small subset of JSONPath, `$`, `.name`, `['name']`, `[0]`
 * and `[*]`. What is not there is undefined; after `[*]` the value is the array of all that is there.
 * Only a path that cannot be read is an error.
 */
export const selectPath = (value: unknown, path: string): Result<unknown> => {
  const parts = parsePath(path)
  return parts.ok ? ok(follow(value, parts.value)) : parts
}

const follow = (value: unknown, parts: readonly PathPart[]): unknown => {
  const [part, ...rest] = parts
  if (part === undefined) return value
  if ('field' in part) {
    const found = isFields(value) && Object.hasOwn(value, part.field)
    return found ? follow(value[part.field], rest) : undefined
  }
  if (!Array.isArray(value)) return undefined
  if ('index' in part) return follow(value[part.index], rest)
  const selected = value
    .map((element) => follow(element, rest))
    .filter((each) => each !== undefined)
  const nested = rest.some((each) => 'every' in each)
  return nested ? selected.flat() : selected
}
