import type { HostedFile } from '@steward/contract'
import { z } from 'zod'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Row } from '../database/row.ts'
import { one, type Tx } from '../database/tx.ts'

const fileBody = z.object({
  filename: z.string(),
  mime_type: z.string(),
  size_bytes: z.number(),
  chunks: z.number(),
})

/** One row of `files`. With a `path` it is an output, whose bytes stay in the session's folder. */
export interface StoredFile {
  id: string
  body: z.infer<typeof fileBody>
  sessionId: string | null
  path: string | null
  createdMs: number
  expiresMs: number | null
}

const number = z.coerce.number()
const fileRow = z.object({
  id: z.string(),
  body: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(fileBody),
  session_id: z.string().nullable(),
  path: z.string().nullable(),
  created_ms: number,
  expires_ms: number.nullable(),
})

export const FILE_COLUMNS = 'id, body, session_id, path, created_ms, expires_ms'

export const toStoredFile = (row: Row): StoredFile => {
  const read = fileRow.parse(row)
  return {
    id: read.id,
    body: read.body,
    sessionId: read.session_id,
    path: read.path,
    createdMs: read.created_ms,
    expiresMs: read.expires_ms,
  }
}

export const toHostedFile = (file: StoredFile): HostedFile => ({
  id: file.id,
  type: 'file',
  filename: file.body.filename,
  mime_type: file.body.mime_type,
  size_bytes: file.body.size_bytes,
  created_at: toInstant(file.createdMs),
  downloadable: true,
  expires_at: toInstantOrNull(file.expiresMs),
  scope: file.sessionId === null ? null : { type: 'session', id: file.sessionId },
})

/** An expired file counts as deleted. */
export function* getFile(id: string, nowMs: number): Tx<StoredFile> {
  const row = yield* one(
    `SELECT ${FILE_COLUMNS} FROM files WHERE id = $1 AND (expires_ms IS NULL OR expires_ms > $2)`,
    knownId('file', id),
    nowMs,
  )
  if (row === undefined) throw notFound('file', id)
  return toStoredFile(row)
}
