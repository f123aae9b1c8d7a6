/** The system's error code (`ENOENT`), if any. */
export const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : undefined

/** Whether a file or folder does not exist. */
export const isMissing = (thrown: unknown): boolean => codeOf(thrown) === 'ENOENT'

/** The same, also when a part of its path is a file. */
export const isAbsent = (thrown: unknown): boolean =>
  isMissing(thrown) || codeOf(thrown) === 'ENOTDIR'
