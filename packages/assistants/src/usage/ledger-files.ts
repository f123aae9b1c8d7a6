import { parseJson, unwrap } from '@steward/contract'
import type { Connection } from '@steward/platform'
import type { ReaderMemory, UsageBatch } from './usage-reader.ts'

/** How far a file was read: its identity then, and where the next read starts. */
export interface FileState {
  stamp: string
  mark: UsageBatch['mark']
}

export const readStamps = (
  { statement }: Connection,
  paths: readonly string[] | undefined,
): ReadonlyMap<string, string> => {
  const rows =
    paths === undefined
      ? statement('SELECT path, stamp FROM files').all()
      : statement(
          'SELECT path, stamp FROM files WHERE path IN (SELECT value FROM json_each(?))',
        ).all(JSON.stringify(paths))
  return new Map(rows.map((row) => [String(row.path), String(row.stamp)]))
}

export const readFileState = ({ statement }: Connection, path: string): FileState | undefined => {
  const row = statement('SELECT stamp, offset, memory FROM files WHERE path = ?').get(path)
  if (row === undefined) return undefined
  const mark = { offset: Number(row.offset), memory: readMemory(String(row.memory)) }
  return { stamp: String(row.stamp), mark }
}

export const setFileState = (
  { statement }: Connection,
  path: string,
  { stamp, mark }: FileState,
): void => {
  statement('INSERT OR REPLACE INTO files (path, stamp, offset, memory) VALUES (?, ?, ?, ?)').run(
    path,
    stamp,
    mark.offset,
    JSON.stringify(mark.memory),
  )
}

const readMemory = (text: string): ReaderMemory => {
  const memory: ReaderMemory = {}
  for (const [key, value] of Object.entries(unwrap(parseJson(text, 'usage.sqlite')) ?? {})) {
    if (typeof value === 'string' || typeof value === 'number') memory[key] = value
  }
  return memory
}
