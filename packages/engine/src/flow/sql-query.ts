export type SqlValue = string | number | null

/** Runs one statement with numbered values and returns its rows. */
export type SqlQuery = (
  sql: string,
  values: readonly SqlValue[],
) => Promise<readonly Record<string, unknown>[]>
