/** The SQLite result codes that we distinguish. */
export const SQLITE = {
  error: 1,
  busy: 5,
  readonly: 8,
  ioerr: 10,
  corrupt: 11,
  full: 13,
  cantopen: 14,
  constraint: 19,
  notadb: 26,
} as const

/** The primary result code of a `node:sqlite` error; undefined for other errors. */
export const sqliteCodeOf = (thrown: unknown): number | undefined => {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return undefined
  return typeof thrown.errcode === 'number' ? thrown.errcode & 0xff : undefined
}
