import type { StewardError } from '@steward/contract/client'

/** The version that is saved, when another one was made from the same. */
export interface SavedVersion {
  content: string
  etag: string
}

/** The current version out of a 412; nothing when the error is another. */
export const readConflict = ({ code, details }: StewardError): SavedVersion | undefined => {
  if (code !== 'version_conflict') return undefined
  const { content, etag }: Record<string, unknown> = { ...Object(details.current) }
  return typeof content === 'string' && typeof etag === 'string' ? { content, etag } : undefined
}
