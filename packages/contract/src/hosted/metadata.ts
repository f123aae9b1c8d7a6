import { z } from 'zod'
import { HOSTED_LIMITS } from './hosted-limits.ts'

const key = z.string().min(1).max(HOSTED_LIMITS.metadataKeyCharacters)
const value = z.string().max(HOSTED_LIMITS.metadataValueCharacters)
const MOST_PAIRS = `at most ${HOSTED_LIMITS.metadataPairs} pairs`

/** User-defined keys and values on an object. */
export const hostedMetadata = z
  .record(key, value)
  .refine((bag) => Object.keys(bag).length <= HOSTED_LIMITS.metadataPairs, MOST_PAIRS)
export type HostedMetadata = z.infer<typeof hostedMetadata>

/** A patch of metadata: a string sets a key, null removes it, other keys are kept. */
export const metadataPatch = z.record(key, value.nullable())
export type MetadataPatch = z.infer<typeof metadataPatch>

/**
 * The metadata after a patch. No patch keeps it, null empties it. For environments an empty string
 * means null; other objects store it.
 */
export const applyMetadataPatch = (
  bag: HostedMetadata,
  patch: MetadataPatch | null | undefined,
  emptyString: 'is stored' | 'deletes' = 'is stored',
): HostedMetadata => {
  if (patch === undefined) return bag
  if (patch === null) return {}
  const next = new Map(Object.entries(bag))
  for (const [name, text] of Object.entries(patch)) {
    if (text === null || (text === '' && emptyString === 'deletes')) next.delete(name)
    else next.set(name, text)
  }
  return Object.fromEntries(next)
}

/** A fault of the metadata as a whole after a patch; the single pairs were already checked. */
export const findMetadataFault = (bag: HostedMetadata): string | undefined =>
  Object.keys(bag).length > HOSTED_LIMITS.metadataPairs ? MOST_PAIRS : undefined
