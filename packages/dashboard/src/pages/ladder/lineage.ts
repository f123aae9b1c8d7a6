/** The stages from an observation to knowledge. */
export const STAGES = [
  { key: 'sources', title: 'Sources', about: 'An observation.' },
  { key: 'ideas', title: 'Ideas', about: 'A possible improvement.' },
  { key: 'hypotheses', title: 'Hypotheses', about: 'The expected effect, with a number.' },
  { key: 'experiments', title: 'Experiments', about: 'The test.' },
  { key: 'algorithms', title: 'Algorithms', about: 'The change that was made.' },
  { key: 'results', title: 'Results', about: 'The measured effect.' },
] as const

interface Item {
  id: string
  from?: string | undefined
}

/** The ancestors and descendants of an item, including itself. Cycles end where they began. */
export const lineageOf = (id: string, items: readonly Item[]): ReadonlySet<string> => {
  const found = new Set([id])
  const parents = new Map(items.map((item) => [item.id, item.from]))
  for (let up = parents.get(id); up !== undefined && !found.has(up); up = parents.get(up)) {
    found.add(up)
  }
  const below = new Set([id])
  for (let grown = true; grown; ) {
    const next = items.filter(
      (item) => item.from !== undefined && below.has(item.from) && !below.has(item.id),
    )
    for (const item of next) below.add(item.id)
    grown = next.length > 0
  }
  return new Set([...found, ...below])
}
