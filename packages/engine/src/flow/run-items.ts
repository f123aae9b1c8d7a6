/**
 * Processes `items` with at most `concurrency` at once; one item's failure only affects its own
 * result.
 */
export const runItems = async <Item, Outcome>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item, index: number) => Promise<Outcome>,
): Promise<PromiseSettledResult<Outcome>[]> => {
  const results: PromiseSettledResult<Outcome>[] = new Array(items.length)
  const queue = items.entries()
  const lane = async () => {
    for (const [index, item] of queue) {
      try {
        results[index] = { status: 'fulfilled', value: await work(item, index) }
      } catch (reason) {
        results[index] = { status: 'rejected', reason }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, lane))
  return results
}
