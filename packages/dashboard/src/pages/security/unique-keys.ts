/**
 * Unique keys for the items of a list: the name, numbered for duplicates. The last keeps the plain
 * name.
 */
export const withKeys = <T>(
  items: readonly T[],
  nameOf: (item: T) => string,
): { key: string; item: T }[] => {
  const seen = new Map<string, number>()
  return items
    .toReversed()
    .map((item) => {
      const name = nameOf(item)
      const before = seen.get(name) ?? 0
      seen.set(name, before + 1)
      return { key: before === 0 ? name : `${name} #${before + 1}`, item }
    })
    .reverse()
}
