import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, parseJson, reasonOf } from '@steward/contract'
import { listFiles } from './find-layout.ts'
import type { MoveItem, MovePlan, MoveWrite } from './move.ts'

/** Folders that Steward reads in the same form, and the part of the report that they belong to. */
const SAME: readonly [folder: RegExp, part: string][] = [
  [/^USER\/SECURITY\//, 'policy'],
  [/^USER\/(?:ACTIONS|PIPELINES|FLOWS|WORKERS|AGENTS)\//, 'definitions'],
  [/^MEMORY\/WORK\//, 'work'],
  [/^MEMORY\/STATE\/(?:work|session-names)\.json$/, 'work'],
  [/^MEMORY\/LEARNING\//, 'ratings and learning'],
  [/^MEMORY\/(?:OBSERVABILITY|VOICE|SECURITY)\//, 'history'],
]

/** Larger files are named in the report instead of being copied. */
const MOST_BYTES = 1024 * 1024 * 1024

/** Takes over every file of `USER` or `MEMORY` that Steward reads, and names all others. */
export const moveFiles = (
  top: 'USER' | 'MEMORY',
  folder: string | undefined,
  { home, isHandled }: { home: string; isHandled: (path: string) => boolean },
): MovePlan => {
  const plan: MovePlan = { items: [], writes: [] }
  if (folder === undefined) return plan
  const { files, others } = listFiles(folder)
  for (const name of others) {
    const note = 'it is a link or not a regular file; those are not followed'
    plan.items.push({ part: 'other', from: `${top}/${name}`, outcome: 'left', note })
  }
  for (const name of files) {
    const path = `${top}/${name}`
    if (isHandled(path)) continue
    const part = SAME.find(([pattern]) => pattern.test(path))?.[1]
    if (part === undefined) {
      plan.items.push({ part: 'other', from: path, outcome: 'left', note: noteOn(path) })
      continue
    }
    try {
      plan.items.push(moveFile(join(folder, name), { path, part, home }, plan.writes))
    } catch (thrown) {
      plan.items.push({ part, from: path, outcome: 'left', note: reasonOf(thrown) })
    }
  }
  return plan
}

const noteOn = (path: string): string =>
  path.endsWith('.md')
    ? 'Steward has no such page; steward knowledge use searches it where it is'
    : 'not used by Steward'

const moveFile = (
  source: string,
  { path, part, home }: { path: string; part: string; home: string },
  writes: MoveWrite[],
): MoveItem => {
  const { size } = lstatSync(source)
  if (size > MOST_BYTES) throw new Error(`it has ${size} bytes; the limit is ${MOST_BYTES}`)
  const content = readFileSync(source)
  const item = { part, from: path, to: path }
  const target = join(home, path)
  const there = lstatSync(target, { throwIfNoEntry: false })
  if (there === undefined) {
    writes.push({ to: path, content })
    return { ...item, outcome: 'taken' }
  }
  const own = readFileSync(target)
  if (own.equals(content)) return { ...item, outcome: 'same' }
  const merged = mergeFile(path, content, own)
  if (merged === undefined) {
    return { ...item, outcome: 'kept', note: 'the data home has another file of this name' }
  }
  if (merged.equals(own)) return { ...item, outcome: 'same' }
  writes.push({ to: path, content: merged, replaces: true })
  return { ...item, outcome: 'merged' }
}

/** Logs get the older lines in front; the work state gets the sessions that it lacks. */
const mergeFile = (path: string, theirs: Buffer, own: Buffer): Buffer | undefined => {
  // The chain of the security log must stay as it was written.
  if (path.endsWith('.jsonl') && !path.startsWith('MEMORY/SECURITY/')) {
    const lines = own.toString('utf8').split('\n')
    const known = new Set(lines)
    const added = theirs
      .toString('utf8')
      .split('\n')
      .filter((line) => line.trim() !== '' && !known.has(line))
    return Buffer.from([...added, ...lines].join('\n'))
  }
  if (!path.endsWith('.json')) return undefined
  const [before, after] = [theirs, own].map((bytes) => parseJson(bytes.toString('utf8'), path))
  if (before?.ok !== true || after?.ok !== true) return undefined
  if (!isJsonObject(before.value) || !isJsonObject(after.value)) return undefined
  const merged = path.endsWith('/work.json')
    ? {
        ...after.value,
        sessions: { ...asObject(before.value.sessions), ...asObject(after.value.sessions) },
      }
    : { ...before.value, ...after.value }
  return Buffer.from(`${JSON.stringify(merged, null, 2)}\n`)
}

const asObject = (value: unknown): object => (isJsonObject(value) ? value : {})
