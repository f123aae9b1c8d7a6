import { invalid } from './refusal.ts'

/** One page of a list, as every list answers it. */
export interface Page<T> {
  data: readonly T[]
  next_page: string | null
}

/** A cursor: where a page starts, and the list it belongs to. */
export const writeCursor = (fields: Readonly<Record<string, string | number>>): string =>
  Buffer.from(JSON.stringify(fields)).toString('base64url')

/** What a cursor says; one that is none of ours is a mistake of the caller. */
export const readCursor = <T>(page: string, parse: (value: unknown) => T | undefined): T => {
  try {
    const value = parse(JSON.parse(Buffer.from(page, 'base64url').toString('utf8')))
    if (value !== undefined) return value
  } catch {
    // What is no JSON is no cursor either.
  }
  throw invalid('page: not a cursor that this list gave')
}
