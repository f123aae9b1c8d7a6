import { notFound } from './refusal.ts'

/**
 * Ids contain only these characters; anything else cannot exist and need not reach the database.
 */
const ID = /^[\w-]{1,128}$/

/** Returns the id if it is well formed; throws 404 otherwise. */
export const knownId = (kind: string, id: string, code?: string): string => {
  if (ID.test(id)) return id
  throw notFound(kind, id, code)
}
