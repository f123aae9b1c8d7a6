const MARKS = /[\uE000-\uE008]/

/** The directory part before the first mark, with its slash; empty if there is none. */
export const literalDirectory = (path: string): string => {
  const at = path.search(MARKS)
  const known = at === -1 ? path : path.slice(0, at)
  return known.slice(0, known.lastIndexOf('/') + 1)
}
