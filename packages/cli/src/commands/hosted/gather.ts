/** Collects pages into one list up to a limit, without reading unneeded pages. */
export const gather = async <Item>(
  items: AsyncIterable<Item>,
  most = Number.POSITIVE_INFINITY,
): Promise<Item[]> => {
  const gathered: Item[] = []
  for await (const item of items) {
    gathered.push(item)
    if (gathered.length >= most) break
  }
  return gathered
}
