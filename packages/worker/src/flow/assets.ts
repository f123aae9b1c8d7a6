import type { FeedSubscription } from '@steward/contract'
import type { TakenInput } from '@steward/engine'

/** What a flow reads from other files, captured at build time: an isolate has no disk. */
export interface FlowAssets {
  /** Text by path as written in the entry; a folder's files under `<folder>/<name>`. */
  files?: Record<string, string>
  /** `feeds.json`, for a feeds source. */
  feeds?: FeedSubscription[]
  /** The input of its pipeline. */
  takes?: TakenInput
}

/** The file at a path, or all files of that folder in name order. */
export const filesAt = ({ files = {} }: FlowAssets, path: string): [string, string][] => {
  const file = files[path]
  if (file !== undefined) return [[path, file]]
  const folder = `${path.replace(/\/+$/, '')}/`
  return Object.entries(files)
    .filter(([name]) => name.startsWith(folder) && isPlain(name.slice(folder.length)))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

const isPlain = (name: string): boolean => !name.startsWith('.') && !name.includes('/')
