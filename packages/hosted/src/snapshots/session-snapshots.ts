import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { StewardError, toStewardError } from '@steward/contract'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { deletePlace } from '../hands/sandbox/place.ts'
import type { Arrival, SessionFiles } from '../hands/session-files.ts'
import { fingerprintOf, listKept, packFolder, unpackInto } from './pack-folder.ts'
import type { SnapshotPieces } from './snapshot-pieces.ts'
import {
  confirmPlace,
  findPlace,
  recordProblem,
  replaceSnapshot,
  type StoredPlace,
  type StoredSnapshot,
  takePlace,
} from './stored-place.ts'

export interface SnapshotOptions {
  database: HostedDatabase
  pieces: SnapshotPieces
  /** Identifies the data home of this process. */
  homeId: string
  /** Larger sessions, measured packed, do not follow to another machine. */
  maxBytes: number
  now: () => number
  /** Receives failures; sessions continue. */
  report: (error: StewardError, sessionId: string) => void
}

/**
 * Stores the files of a session at the end of each turn, so that a server with another data home can
 * continue it. Files of a turn that was interrupted are lost; the model is told so.
 */
export const createSessionSnapshots = (options: SnapshotOptions): SessionFiles => {
  const { database, pieces, homeId, now, report } = options

  const arrive: SessionFiles['arrive'] = async (sessionId, folder, leave) => {
    const place = await database.read(() => findPlace(sessionId))
    const isHere = place === undefined || place.home === homeId
    const isMissing = place?.snapshot !== undefined && !existsSync(join(folder, 'workspace'))
    let arrival: Arrival = { notes: [], losses: [] }
    if (place !== undefined && (!isHere || isMissing)) {
      await leave()
      arrival = await bring(sessionId, folder, place)
    }
    await database.write(() => takePlace(sessionId, homeId))
    return arrival
  }

  const bring = async (sessionId: string, folder: string, place: StoredPlace): Promise<Arrival> => {
    const { snapshot, problem } = place
    await deletePlace(folder)
    const why = problem === null ? '' : ` (${problem})`
    const moved = 'this session continues on another machine'
    if (snapshot === undefined) {
      const loss = `${moved}, and its files could not be brought along: none were saved${why}`
      return { notes: [loss], losses: [loss] }
    }
    try {
      await unpack(sessionId, snapshot, folder)
    } catch (thrown) {
      const error = toStewardError(thrown)
      if (canBeMended(error)) throw notYet(error)
      const loss = `${moved}, and its files could not be brought along: ${error.message}`
      return { notes: [loss], losses: [loss] }
    }
    const ended = 'programs that ran have ended'
    if (place.isSaved) return { notes: [`${moved}; ${ended}`], losses: [] }
    const saved = new Date(snapshot.savedMs).toISOString()
    const loss = `${moved} with its files as of ${saved}: changes after that are lost${why}`
    return { notes: [`${loss}; ${ended}`], losses: [loss] }
  }

  const unpack = async (sessionId: string, snapshot: StoredSnapshot, folder: string) => {
    const aside = `${folder}.${randomUUID()}`
    await mkdir(aside, { recursive: true, mode: 0o700 })
    try {
      await unpackInto(aside, pieces.read(sessionId, snapshot))
      await rename(aside, folder)
    } finally {
      await deletePlace(aside)
    }
  }

  const save: SessionFiles['save'] = async (sessionId, folder) => {
    try {
      await store(sessionId, folder)
    } catch (thrown) {
      const error = toStewardError(thrown)
      report(error, sessionId)
      await database
        .write(() => recordProblem(sessionId, homeId, error.message))
        .catch((again: unknown) => report(toStewardError(again), sessionId))
    }
  }

  const store = async (sessionId: string, folder: string): Promise<void> => {
    const names = await listKept(folder)
    if (names.length === 0) return
    const fingerprint = await fingerprintOf(folder, names)
    const place = await database.read(() => findPlace(sessionId))
    const before = place?.snapshot
    const isSame = fingerprint !== undefined && fingerprint === before?.fingerprint
    if (isSame && before?.bucket === pieces.bucket) {
      await database.write(() => confirmPlace(sessionId, homeId))
      return
    }
    const id = randomUUID()
    const written = { count: 0 }
    let isKept = false
    try {
      await writePieces(sessionId, id, packFolder(folder, names), written)
      const snapshot = {
        id,
        fingerprint: fingerprint ?? null,
        chunks: written.count,
        savedMs: now(),
        bucket: pieces.bucket,
      }
      isKept = await database.write(() => replaceSnapshot(sessionId, homeId, snapshot))
    } finally {
      if (!isKept) await pieces.discard({ sessionId, snapshot: id }, written.count)
    }
  }

  const writePieces = async (
    sessionId: string,
    snapshot: string,
    packed: AsyncIterable<Uint8Array>,
    written: { count: number },
  ): Promise<void> => {
    let waiting: Uint8Array[] = []
    let held = 0
    let total = 0
    const flush = async (): Promise<void> => {
      const content = Buffer.concat(waiting)
      waiting = []
      held = 0
      const position = written.count
      written.count += 1
      await pieces.write({ sessionId, snapshot, position }, content)
    }
    for await (const piece of packed) {
      total += piece.length
      if (total > options.maxBytes) {
        const mb = Math.round(options.maxBytes / 1024 ** 2)
        const reason = `the files of the session are larger than hosted.snapshotMb (${mb} MB)`
        throw new StewardError('sandbox_unavailable', { reason })
      }
      waiting.push(piece)
      held += piece.length
      if (held >= pieces.pieceBytes) await flush()
    }
    if (held > 0) await flush()
  }

  return { arrive, save }
}

/** Whether the files can be read later; until then no empty workspace may replace them. */
const canBeMended = ({ code, retryable }: StewardError): boolean =>
  retryable || code === 'bucket_refused'

const notYet = (error: StewardError): StewardError =>
  new StewardError('snapshot_unreachable', { reason: error.message })
