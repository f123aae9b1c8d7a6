import { join } from 'node:path'
import { isJsonObject, type JsonObject, ok, type Result, type Schema } from '@steward/contract'
import { type Home, readStateFile, updateStateFile } from '@steward/platform'
import { z } from 'zod'
import { isTabTarget, type TabTarget } from './tab-target.ts'

const KEPT_MS = 7 * 86_400_000
const MOST_SESSIONS = 500

/** The file that maps sessions to tabs. */
export const tabTargetsPath = (home: Pick<Home, 'stateDir'>): string =>
  join(home.stateDir, 'tab-targets.json')

/** Remembers the tab of a session and drops old entries. */
export const rememberTab = async (
  home: Pick<Home, 'stateDir'>,
  sessionId: string,
  target: TabTarget,
  nowMs: number,
): Promise<Result<void>> => {
  const updated = await updateStateFile(tabTargetsPath(home), targetsFile, {}, (current) => {
    const known = entriesOf(current).filter(
      ([id, { at }]) => id !== sessionId && Math.abs(nowMs - at) < KEPT_MS,
    )
    const newest = known.toSorted(([, a], [, b]) => b.at - a.at).slice(0, MOST_SESSIONS - 1)
    return Object.fromEntries([[sessionId, { target, at: nowMs }], ...newest])
  })
  return updated.ok ? ok(undefined) : updated
}

/** The tab of a session; undefined if unknown. */
export const recallTab = async (
  home: Pick<Home, 'stateDir'>,
  sessionId: string,
): Promise<Result<TabTarget | undefined>> => {
  const read = await readStateFile(tabTargetsPath(home), targetsFile, {})
  if (!read.ok) return read
  return ok(entriesOf(read.value).find(([id]) => id === sessionId)?.[1].target)
}

const targetsFile: Schema<JsonObject> = z.custom<JsonObject>(
  isJsonObject,
  'expected {"<session>": {…}}',
)

interface Remembered {
  target: TabTarget
  at: number
}

const entriesOf = (file: JsonObject): Array<[string, Remembered]> =>
  Object.entries(file).flatMap(([id, value]): Array<[string, Remembered]> => {
    if (!isJsonObject(value)) return []
    const { target, at } = value
    return isTabTarget(target) && typeof at === 'number' ? [[id, { target, at }]] : []
  })
