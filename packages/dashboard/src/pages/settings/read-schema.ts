export type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const objectIn = (value: unknown): Json => (isObject(value) ? value : {})

/** `longTaskMinutes` as `Long task minutes`, `cache_read` as `Cache read`. */
export const inWords = (key: string): string => {
  const words = key
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const resolve = (root: Json, schema: Json): Json => {
  if (typeof schema.$ref !== 'string') return schema
  const target = schema.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((each, key) => (isObject(each) ? each[key] : undefined), root)
  return isObject(target) ? target : schema
}
