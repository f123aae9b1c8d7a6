/** The stages from an observation to knowledge. */
export const STAGES = [
  { key: 'sources', title: 'Sources', about: 'Something that was noticed.' },
  { key: 'ideas', title: 'Ideas', about: 'What could be done about it.' },
  { key: 'hypotheses', title: 'Hypotheses', about: 'What would be better then, and by how much.' },
  { key: 'experiments', title: 'Experiments', about: 'How that is tried.' },
  { key: 'algorithms', title: 'Algorithms', about: 'What was changed for it.' },
  { key: 'results', title: 'Results', about: 'What came out.' },
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
