import type { FeedItem, FeedTier } from '@steward/contract'
import { shortHash } from './short-hash.ts'

/** Facts 13: at least 500 ids are remembered. An item has up to two hashes. */
const HASHES_KEPT = 1000

/**
 * What one item is remembered by. A reader knows items by their links alone, so a link is kept beside
 * the id, and an item that one tier saw is known when another brings it.
 */
export const hashesOf = ({ id, link }: FeedItem, tier: FeedTier): string[] => {
  if (tier === 'reader') return [shortHash(`reader ${id}`)]
  return link === null
    ? [shortHash(`id ${id}`)]
    : [shortHash(`id ${id}`), shortHash(`link ${link}`)]
}

/** A function that says whether an item of this tier was enqueued before. */
export const createSeenTest = (
  remembered: readonly string[],
  tier: FeedTier,
): ((item: FeedItem) => boolean) => {
  const known = new Set(remembered)
  if (tier === 'reader') {
    return ({ id }) => known.has(shortHash(`reader ${id}`)) || known.has(shortHash(`link ${id}`))
  }
  // Two entries may share a link; only a link that a reader took for an id stands for one.
  return ({ id, link }) =>
    known.has(shortHash(`id ${id}`)) || (link !== null && known.has(shortHash(`reader ${link}`)))
}

/** The newest first: all of what the feed has now, then as many older ones as are kept. */
export const mergeHashes = (current: readonly string[], before: readonly string[]): string[] => {
  const merged = new Set([...current, ...before])
  return [...merged].slice(0, Math.max(HASHES_KEPT, new Set(current).size))
}
