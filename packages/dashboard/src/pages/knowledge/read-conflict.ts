import type { StewardError } from '@steward/contract/client'

/** The saved version, if another one was based on the same version. */
export interface SavedVersion {
  content: string
  etag: string
}

/** The current version from a 412; undefined for other errors. */
export const readConflict = ({ code, details }: StewardError): SavedVersion | undefined => {
  if (code !== 'version_conflict') return undefined
  const { content, etag }: Record<string, unknown> = { ...Object(details.current) }
  return typeof content === 'string' && typeof etag === 'string' ? { content, etag } : undefined
}
