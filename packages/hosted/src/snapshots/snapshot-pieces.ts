import { StewardError } from '@steward/contract'
import type { HostedDatabase } from '../database/hosted-database.ts'
import type { Bucket } from './bucket/bucket.ts'
import {
  announceObject,
  dropObject,
  findObject,
  markObject,
  type StoredObject,
} from './bucket/stored-object.ts'
import { addChunk, deleteChunks, readChunk, type StoredSnapshot } from './stored-place.ts'

/** Where the packed files of sessions are kept, in pieces that fit into memory. */
export interface SnapshotPieces {
  pieceBytes: number
  /** The bucket that new pieces are put into; null for the store. */
  bucket: string | null
  write(piece: Piece, content: Uint8Array<ArrayBuffer>): Promise<void>
  /** Removes the first pieces of a snapshot that was given up. */
  discard(snapshot: Omit<Piece, 'position'>, pieces: number): Promise<void>
  read(sessionId: string, snapshot: StoredSnapshot): AsyncGenerator<Uint8Array>
}

interface Piece {
  sessionId: string
  snapshot: string
  position: number
}

interface PiecePorts {
  database: HostedDatabase
  bucket: Bucket | undefined
  now: () => number
}

/** Both engines handle pieces of this size. */
const CHUNK_BYTES = 1024 * 1024
/** Few requests, and no need for uploads in parts. */
const OBJECT_BYTES = 8 * 1024 * 1024

/** Pieces are written to the bucket if there is one, and read from where they are. */
export const createSnapshotPieces = ({ database, bucket, now }: PiecePorts): SnapshotPieces => {
  const read: SnapshotPieces['read'] = (sessionId, snapshot) =>
    snapshot.bucket === null
      ? readChunks(database, sessionId, snapshot)
      : readObjects(database, bucket, sessionId, snapshot)
  if (bucket === undefined)
    return {
      pieceBytes: CHUNK_BYTES,
      bucket: null,
      write: ({ sessionId, snapshot, position }, content) =>
        database.write(() => addChunk(sessionId, snapshot, position, content)),
      discard: ({ sessionId, snapshot }) => database.write(() => deleteChunks(sessionId, snapshot)),
      read,
    }
  const objectOf = (piece: Piece): StoredObject => ({
    ...piece,
    bucket: bucket.name,
    object: `${bucket.prefix}${piece.sessionId}/${piece.snapshot}/${piece.position}`,
  })
  return {
    pieceBytes: OBJECT_BYTES,
    bucket: bucket.name,
    write: async (piece, content) => {
      const object = objectOf(piece)
      await database.write(() => announceObject(object))
      const mark = await bucket.put(object.object, content)
      await database.write(() => markObject(object, mark))
    },
    discard: (snapshot, pieces) =>
      database.write(function* () {
        for (let position = 0; position < pieces; position += 1)
          yield* dropObject(objectOf({ ...snapshot, position }), now())
      }),
    read,
  }
}

async function* readChunks(
  database: Pick<HostedDatabase, 'read'>,
  sessionId: string,
  { id, chunks }: StoredSnapshot,
): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < chunks; position += 1) {
    const content = await database.read(() => readChunk(sessionId, id, position))
    if (content === undefined) throw replaced()
    yield content
  }
}

async function* readObjects(
  database: Pick<HostedDatabase, 'read'>,
  bucket: Bucket | undefined,
  sessionId: string,
  snapshot: StoredSnapshot,
): AsyncGenerator<Uint8Array> {
  if (bucket === undefined || bucket.name !== snapshot.bucket)
    throw new StewardError('bucket_refused', {
      bucket: snapshot.bucket ?? '',
      reason:
        'the files of this session are there, and hosted.snapshotBucket of this server is not',
    })
  for (let position = 0; position < snapshot.chunks; position += 1) {
    const found = await database.read(() => findObject(sessionId, snapshot.id, position))
    if (found === undefined) throw replaced()
    yield await bucket.get(found.object, found)
  }
}

const replaced = (): StewardError =>
  new StewardError('sandbox_unavailable', { reason: 'a newer snapshot replaced it' })
