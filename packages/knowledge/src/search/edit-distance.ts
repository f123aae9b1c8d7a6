/**
 * The edit distance of two words: insertion, deletion, substitution or transposition. Undefined if
 * it exceeds `most`, which is detected early.
 */
export const editDistance = (a: string, b: string, most: number): number | undefined => {
  if (Math.abs(a.length - b.length) > most) return undefined
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let edits = Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + cost)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) edits = Math.min(edits, (before[j - 2] ?? 0) + 1)
      next.push(edits)
      if (edits < least) least = edits
    }
    // A transposition uses the row before the last, so the minimum of this row is a valid bound.
    if (least > most) return undefined
    before = row
    row = next
  }
  const edits = row[b.length] ?? 0
  return edits <= most ? edits : undefined
}
