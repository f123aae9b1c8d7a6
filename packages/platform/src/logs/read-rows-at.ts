import type { JsonObject } from '@steward/contract'
import { LIMITS } from '@steward/contract'
import { storageErrorOf } from '../storage-error.ts'
import { closeAll, type LogFile, openLogFiles } from './log-files.ts'
import { parseLine } from './parse-line.ts'
import type { LogPlace } from './scan-log.ts'

/** A read costs more than these bytes, so rows that are nearer to each other are read together. */
const NEAR_BYTES = 8 * 1024
const MOST_BYTES = 256 * 1024

/** The rows at these places, in their order; undefined where a file was removed meanwhile. */
export const readRowsAt = async (
  path: string,
  places: readonly LogPlace[],
): Promise<Array<JsonObject | undefined>> => {
  try {
    const files = places.length === 0 ? [] : await openLogFiles(path)
    try {
      const rows = new Map<LogPlace, JsonObject>()
      await Promise.all(
        files.flatMap((file) =>
          runsOf(places.filter(isIn(file))).map((run) => readRun(file, run, rows)),
        ),
      )
      return places.map((place) => rows.get(place))
    } finally {
      await closeAll(files)
    }
  } catch (thrown) {
    throw storageErrorOf(path, thrown, 'it cannot be read')
  }
}

const isIn =
  (file: LogFile) =>
  ({ inode, fingerprint, start, end }: LogPlace): boolean =>
    inode === file.inode &&
    fingerprint === file.fingerprint &&
    end - start <= LIMITS.eventLineBytes * 2

/** Places near each other, by where they begin. */
interface Run {
  start: number
  end: number
  places: LogPlace[]
}

const runsOf = (places: readonly LogPlace[]): Run[] => {
  const runs: Run[] = []
  for (const place of places.toSorted((one, other) => one.start - other.start)) {
    const { start, end } = place
    const run = runs.at(-1)
    if (run === undefined || start - run.end > NEAR_BYTES || end - run.start > MOST_BYTES) {
      runs.push({ start, end, places: [place] })
    } else {
      run.end = Math.max(run.end, end)
      run.places.push(place)
    }
  }
  return runs
}

const readRun = async (
  { handle }: LogFile,
  { start, end, places }: Run,
  rows: Map<LogPlace, JsonObject>,
): Promise<void> => {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(end - start), {
    position: start,
  })
  const bytes = buffer.subarray(0, bytesRead)
  for (const place of places) {
    const parsed = parseLine(bytes.subarray(place.start - start, place.end - start - 1))
    if (parsed.kind === 'row') rows.set(place, parsed.row)
  }
}
