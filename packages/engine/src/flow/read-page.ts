import { type JsonObject, StewardError, toStewardError } from '@steward/contract'
import { z } from 'zod'
import { decodeFeed } from '../feed-format/decode.ts'
import { defined, type FlowItem } from './item.ts'
import { readPageText } from './page-lines.ts'
import { checkPause, notBeforeOf, requestSource } from './request-source.ts'
import type { ReadWebSource, SourceOf, WebSourcePorts } from './source.ts'

/** What is kept of a page to compare the next version with. */
const MAX_LINES = 5000
const MAX_LINE_CHARS = 1000

const pageState = z.object({
  etag: z.string().optional(),
  modified: z.string().optional(),
  notBeforeMs: z.number().default(0),
  /** How often the page has changed; it identifies the item of a change. */
  version: z.number().default(0),
  lines: z.array(z.string()).default([]),
  value: z.union([z.string(), z.number()]).optional(),
})
type PageState = z.infer<typeof pageState>

/**
 * A page on the web: one item when it is read first, and one for each change of its text, or of the
 * value that `find` names.
 */
export const readPage: ReadWebSource<'page'> = async (source, { fetch, memory, now }) => {
  const { url } = source
  const before = pageState.parse((await memory.recall(source)) ?? {})
  checkPause(url, before.notBeforeMs, now())
  const init = { headers: { accept: 'text/html, text/plain;q=0.9, */*;q=0.5' } }
  const answer = await requestSource(fetch, url, init, before, now()).catch((thrown: unknown) => {
    const error = toStewardError(thrown)
    memory.keep(source, { ...before, notBeforeMs: notBeforeOf(error, now()) })
    throw error
  })
  const { bytes, contentType, validators, notBeforeMs } = answer
  if (bytes === undefined) {
    memory.keep(source, { ...before, ...validators, notBeforeMs })
    return []
  }
  const found = compare(source, before, decodeFeed(bytes, contentType))
  memory.keep(source, { ...found.state, ...validators, notBeforeMs })
  return found.items
}

/** The same for a page that was read elsewhere. */
export const readPageFrom = async (
  source: SourceOf<'page'>,
  body: Uint8Array | string,
  { memory }: Pick<WebSourcePorts, 'memory'>,
): Promise<FlowItem[]> => {
  const before = pageState.parse((await memory.recall(source)) ?? {})
  const found = compare(source, before, typeof body === 'string' ? body : decodeFeed(body))
  memory.keep(source, found.state)
  return found.items
}

const compare = (
  source: SourceOf<'page'>,
  before: PageState,
  text: string,
): { items: FlowItem[]; state: JsonObject } => {
  const { title, lines } = readPageText(text)
  const kept = lines.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LINE_CHARS))
  const value = valueOn(kept, source)
  const isChanged =
    before.version === 0 ||
    (source.find === undefined ? !isSame(kept, before.lines) : value !== before.value)
  const version = isChanged ? before.version + 1 : before.version
  return {
    items: isChanged ? [itemOf(source, before, { title, lines: kept, value })] : [],
    state: { version, lines: kept, value },
  }
}

const itemOf = (
  { url }: SourceOf<'page'>,
  before: PageState,
  { title, lines, value }: { title: string | null } & Pick<PageState, 'lines' | 'value'>,
): FlowItem => {
  const isFirst = before.version === 0
  const added = isFirst ? [] : linesMissingIn(before.lines, lines)
  const removed = isFirst ? [] : linesMissingIn(lines, before.lines)
  return {
    id: `${url}#${before.version + 1}`,
    title: title ?? url,
    payload: defined({
      content: lines.join('\n'),
      title: title ?? url,
      ...(isWebAddress(url) ? { url, source_url: url } : {}),
      is_first: isFirst,
      added: added.join('\n'),
      removed: removed.join('\n'),
      value,
      previous_value: before.value,
    }),
  }
}

export const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url)

/** The lines of the second text that the first does not have. */
const linesMissingIn = (one: readonly string[], other: readonly string[]): string[] => {
  const known = new Set(one)
  return other.filter((line) => !known.has(line))
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, at) => line === other[at])

/** The text or number where `find` has `{value}`; throws if the page does not contain the rest. */
const valueOn = (
  lines: readonly string[],
  { find, url }: SourceOf<'page'>,
): string | number | undefined => {
  if (find === undefined) return undefined
  const [before = '', behind = ''] = find.split('{value}')
  for (const line of lines) {
    const start = line.indexOf(before)
    if (start === -1) continue
    const rest = line.slice(start + before.length)
    const end = behind === '' ? rest.length : rest.indexOf(behind)
    if (end === -1) continue
    const text = rest.slice(0, end).trim()
    if (text !== '') return numberIn(text) ?? text
  }
  throw new StewardError('upstream_failed', {
    service: url,
    reason: `the page does not contain ${JSON.stringify(find)}`,
  })
}

const NUMBER = /^\D{0,4}([-+]?\d[\d.,'\s]*)\D{0,6}$/

/** The number of a price: `1.299,00 €`, `$1,299.00`, `49`. */
export const numberIn = (text: string): number | undefined => {
  const digits = NUMBER.exec(text)?.[1]?.replace(/[\s']/g, '')
  if (digits === undefined) return undefined
  // The last separator is the decimal one, unless three digits follow it.
  const [, whole = '', fraction = ''] = /^(.*?)(?:[.,](\d{1,2}|\d{4,}))?$/.exec(digits) ?? []
  const number = Number(`${whole.replace(/[.,]/g, '')}.${fraction || 0}`)
  return Number.isFinite(number) ? number : undefined
}
