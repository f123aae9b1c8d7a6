const NAME = /^([A-Za-z][\w-]*)(?:\[([\w-]*)\])?$/

/**
 * A query in the client library's syntax: `types[]=a&types[]=b` (also `types[0]=a`) is a list,
 * `created_at[gte]=…` a field of an object. Empty values are dropped, because null is written that
 * way.
 */
export const readQuery = (search: URLSearchParams): Record<string, unknown> => {
  const lists = new Map<string, string[]>()
  const objects = new Map<string, Map<string, string>>()
  const plain = new Map<string, string>()
  for (const [key, value] of search) {
    const [, name, part] = NAME.exec(key) ?? []
    if (name === undefined || value === '') continue
    if (part === undefined) plain.set(name, value)
    else if (/^\d*$/.test(part)) lists.set(name, [...(lists.get(name) ?? []), value])
    else objects.set(name, (objects.get(name) ?? new Map()).set(part, value))
  }
  return Object.fromEntries<unknown>([
    ...plain,
    ...lists,
    ...[...objects].map(([name, parts]) => [name, Object.fromEntries(parts)] as const),
  ])
}
