import { z } from 'zod'
import { notFound } from '../api/refusal.ts'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { one } from '../database/tx.ts'
import type { StoredFile } from './stored-file.ts'

/** A file that a session left in its folder of outputs. */
export interface SessionOutput {
  /** Relative to the folder of outputs, with `/` between its parts. */
  path: string
  sizeBytes: number
  modifiedMs: number
  read(): Promise<Uint8Array>
}

export interface FilePorts {
  database: HostedDatabase
  outputs: (sessionId: string) => Promise<readonly SessionOutput[]>
}

const content = z.instanceof(Uint8Array)

/** A file's bytes, piece by piece: an upload from the store, an output from where the session left it. */
export async function* readFile(
  { database, outputs }: FilePorts,
  file: StoredFile,
): AsyncGenerator<Uint8Array> {
  if (file.path !== null && file.sessionId !== null) {
    const all = await outputs(file.sessionId)
    const output = all.find(({ path }) => path === file.path)
    if (output === undefined) throw notFound('file', file.id)
    yield await output.read()
    return
  }
  for (let number = 0; number < file.body.chunks; number += 1) {
    const row = await database.read(() =>
      one('SELECT content FROM file_chunks WHERE file_id = $1 AND number = $2', file.id, number),
    )
    // Deleted while it was read.
    if (row === undefined) throw notFound('file', file.id)
    yield content.parse(row.content)
  }
}
