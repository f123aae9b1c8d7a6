import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

interface Found {
  pid: number
  parent: number
}

/** Processes that work in a folder. */
const processesIn = (folder: string): Found[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      if (readlinkSync(`/proc/${name}/cwd`) !== folder) return []
      const [, parent] =
        /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
      return [{ pid: Number(name), parent: Number(parent) }]
    } catch {
      // It has ended meanwhile.
      return []
    }
  })

/**
 * The program that Steward started in a folder, and those that it started: an adapter and its
 * assistant, or an assistant and its workers.
 */
export const assistantIn = (folder: string): { program: number[]; children: number[] } => {
  const all = processesIn(folder)
  const isInner = ({ parent }: Found): boolean => all.some(({ pid }) => pid === parent)
  const pids = (found: readonly Found[]): number[] => found.map(({ pid }) => pid)
  return {
    program: pids(all.filter((one) => !isInner(one))),
    children: pids(all.filter(isInner)),
  }
}
