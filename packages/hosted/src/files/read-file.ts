import { z } from 'zod'
import { notFound } from '../api/refusal.ts'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { one } from '../database/tx.ts'
import type { StoredFile } from './stored-file.ts'

/** A file in a session's output folder. */
export interface SessionOutput {
  /** Relative to the output folder, separated by `/`. */
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

/** Streams a file's bytes: an upload from the store, an output from the session's folder. */
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
    // It was deleted during the read.
    if (row === undefined) throw notFound('file', file.id)
    yield content.parse(row.content)
  }
}
