import {
  type FlowSource,
  identityOfEnd,
  type StewardError,
  toStewardError,
} from '@steward/contract'
import { sha256Hex } from '../feed-format/sha256.ts'
import type { FlowItem } from './item.ts'
import { runItems } from './run-items.ts'

/** Why a source could not be read; `source` names it if there are several. */
export interface SourceError {
  source: string | null
  error: StewardError
}

export interface ReadSources {
  items: FlowItem[]
  errors: SourceError[]
  /** Whether at least one source could be read. */
  isRead: boolean
}

const CONCURRENCY = 4

/**
 * The items of all sources, in the order of the sources. A source that fails stops no other, and
 * one that reports an error was read in part. Ids that only have a meaning in their source get its
 * key, so that two sources do not mix them up; addresses and other global ids stay as they are, so
 * that an article of two feeds is one item.
 */
export const readSources = async <Source extends FlowSource>(
  sources: readonly Source[],
  read: (source: Source, report: (error: StewardError) => void) => Promise<FlowItem[]>,
): Promise<ReadSources> => {
  const isOne = sources.length === 1
  const found: ReadSources = { items: [], errors: [], isRead: false }
  const incomplete = new Set<Source>()
  const fail = (source: Source, error: StewardError): void => {
    const place = `source ${sources.indexOf(source) + 1} (${source.type})`
    incomplete.add(source)
    found.errors.push({ source: isOne ? null : place, error })
  }
  const results = await runItems(sources, CONCURRENCY, (source) =>
    read(source, (error) => fail(source, error)),
  )
  for (const [index, result] of results.entries()) {
    const source = sources[index]
    if (source === undefined) continue
    if (result.status === 'rejected') {
      const service = `the ${source.type} source`
      fail(source, toStewardError(result.reason, 'upstream_failed', { service }))
      continue
    }
    found.isRead ||= !incomplete.has(source) || result.value.length > 0
    const prefix = isOne ? '' : prefixOf(source)
    for (const item of result.value) {
      found.items.push(
        prefix === '' || isGlobal(item.id) ? item : { ...item, id: prefix + item.id },
      )
    }
  }
  return found
}

/** What local ids of a source start with if its flow has several. */
export const prefixOf = (source: FlowSource): string =>
  `source:${sha256Hex(identityOfEnd(source)).slice(0, 8)}/`

/** Starts with a scheme, as addresses, tags and URNs do. The ledger's `adoptIds` has the same rule. */
const isGlobal = (id: string): boolean => /^[A-Za-z][^ ]*:[^ ]*$/.test(id)
