export interface FolderImport {
  file: string
  from: string
  to: string
}

export interface Circle {
  folders: string[]
  /** The files whose imports close the cycle. */
  files: string[]
}

/** Groups of folders that can reach each other through imports. */
export const findCircles = (imports: readonly FolderImport[]): Circle[] => {
  const crossing = imports.filter(({ from, to }) => !isNested(from, to))
  const targets = new Map<string, Set<string>>()
  for (const { from, to } of crossing) {
    targets.set(from, (targets.get(from) ?? new Set()).add(to))
  }
  const reachable = new Map([...targets.keys()].map((folder) => [folder, reach(folder, targets)]))
  const reaches = (from: string, to: string): boolean => reachable.get(from)?.has(to) === true
  const circles: Circle[] = []
  const placed = new Set<string>()
  for (const folder of [...targets.keys()].toSorted()) {
    if (placed.has(folder) || !reaches(folder, folder)) continue
    const folders = [...targets.keys()]
      .filter((other) => reaches(folder, other) && reaches(other, folder))
      .toSorted()
    for (const each of folders) placed.add(each)
    const files = crossing
      .filter(({ from, to }) => folders.includes(from) && folders.includes(to))
      .map(({ file }) => file)
    circles.push({ folders, files: [...new Set(files)].toSorted() })
  }
  return circles
}

const isNested = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`)

const reach = (start: string, targets: ReadonlyMap<string, ReadonlySet<string>>): Set<string> => {
  const found = new Set<string>()
  const open = [start]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const next of targets.get(folder) ?? []) {
      if (found.has(next)) continue
      found.add(next)
      open.push(next)
    }
  }
  return found
}
