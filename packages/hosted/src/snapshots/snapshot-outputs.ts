import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { deletePlace, locateSession } from '../hands/sandbox/place.ts'
import { unpackInto } from './pack-folder.ts'
import type { SnapshotPieces } from './snapshot-pieces.ts'
import { findPlace } from './stored-place.ts'

interface OutputPorts {
  database: Pick<HostedDatabase, 'read'>
  pieces: Pick<SnapshotPieces, 'read'>
  /** The data home, and what identifies it. */
  home: string
  homeId: string
  /** For the outputs of sessions that run elsewhere. */
  cache: string
}

/**
 * The folder with the outputs of a session: its own, or those of the last turn if the session runs in
 * another data home.
 */
export const locateOutputs = async (
  { database, pieces, home, homeId, cache }: OutputPorts,
  sessionId: string,
): Promise<string> => {
  const own = locateSession(home, sessionId)
  const place = await database.read(() => findPlace(sessionId))
  if (place?.snapshot === undefined || place.home === homeId) return join(own, 'outputs')
  const { snapshot } = place
  const copies = join(cache, basename(own))
  const copy = join(copies, snapshot.id)
  if (!existsSync(copy)) {
    const aside = join(copies, `${snapshot.id}.${randomUUID()}`)
    await mkdir(aside, { recursive: true, mode: 0o700 })
    try {
      await unpackInto(aside, pieces.read(sessionId, snapshot), ['outputs'])
      await rename(aside, copy).catch((thrown: unknown) => {
        // Another request was faster.
        if (!existsSync(copy)) throw thrown
      })
    } finally {
      await deletePlace(aside)
    }
    for (const name of await readdir(copies)) {
      const isOld = name !== snapshot.id && !name.startsWith(`${snapshot.id}.`)
      if (isOld) await deletePlace(join(copies, name))
    }
  }
  return join(copy, 'outputs')
}
