/** The candidate most similar to `name`, if close enough to be a likely typo. */
export const nearestName = (name: string, candidates: Iterable<string>): string | undefined => {
  const wanted = name.toLowerCase()
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (best === undefined || distance < best.distance) best = { candidate, distance }
  }
  if (best === undefined) return undefined
  return best.distance <= Math.max(2, Math.floor(name.length * 0.4)) ? best.candidate : undefined
}

/** ` (did you mean X?)`, or an empty string. Never suggests the name itself. */
export const nearestHint = (name: string, candidates: Iterable<string>): string => {
  const others = [...candidates].filter((candidate) => candidate !== name)
  const nearest = nearestName(name, others)
  return nearest === undefined ? '' : ` (did you mean ${nearest}?)`
}

const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + cost))
    }
    row = next
  }
  return row[b.length] ?? 0
}
