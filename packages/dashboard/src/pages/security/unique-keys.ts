/** A key for each item of a list: its name, numbered where others have the same one. The last keeps the bare name. */
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
