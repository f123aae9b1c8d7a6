import { notFound } from './refusal.ts'

/** Ids are made of these alone; anything else names nothing, and need not reach the database. */
const ID = /^[\w-]{1,128}$/

/** The id, when it can be one; 404 otherwise. */
export const knownId = (kind: string, id: string, code?: string): string => {
  if (ID.test(id)) return id
  throw notFound(kind, id, code)
}
