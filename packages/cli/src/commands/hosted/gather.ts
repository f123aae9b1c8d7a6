/** What comes in pages as one list, up to so many; no page is read in vain. */
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
