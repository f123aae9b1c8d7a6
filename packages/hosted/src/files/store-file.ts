import type { HostedFile } from '@steward/contract'
import { execute, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import { getFile, toHostedFile } from './stored-file.ts'

/** Both engines handle pieces of this size without copying the whole file. */
const CHUNK_BYTES = 1024 * 1024

export interface NewFile {
  filename: string
  mimeType: string
  bytes: Uint8Array
  expiresMs: number | null
}

/** Stores a file in pieces. */
export function* storeFile(file: NewFile, nowMs: number): Tx<HostedFile> {
  const id = createId('file')
  const chunks = Math.ceil(file.bytes.length / CHUNK_BYTES)
  yield* forgetExpired(nowMs)
  yield* execute(
    'INSERT INTO files (id, body, created_ms, expires_ms) VALUES ($1, $2, $3, $4)',
    id,
    JSON.stringify({
      filename: file.filename,
      mime_type: file.mimeType,
      size_bytes: file.bytes.length,
      chunks,
    }),
    nowMs,
    file.expiresMs,
  )
  for (let number = 0; number < chunks; number += 1)
    yield* execute(
      'INSERT INTO file_chunks (file_id, number, content) VALUES ($1, $2, $3)',
      id,
      number,
      file.bytes.subarray(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES),
    )
  return toHostedFile(yield* getFile(id, nowMs))
}

function* forgetExpired(nowMs: number): Tx<void> {
  yield* execute(
    `DELETE FROM files WHERE id IN
       (SELECT id FROM files WHERE expires_ms <= $1 LIMIT 20 FOR UPDATE SKIP LOCKED)`,
    nowMs,
  )
}
