/**
 * Searches that only move forward remember what they found, so that text full of openings without
 * an end costs one pass over the document and not one each.
 */
export const makeFinder = (search: (from: number) => number): ((from: number) => number) => {
  let searchedFrom = 0
  let found = -2
  return (from) => {
    const isKnown = found !== -2 && from >= searchedFrom && (found === -1 || found >= from)
    if (!isKnown) {
      searchedFrom = from
      found = search(from)
    }
    return found
  }
}
