import { LIMITS, parseJson, toStewardError, unwrap } from '@steward/contract'
import { z } from 'zod'
import { expandHeaders } from './expand-headers.ts'
import type { FlowItem } from './item.ts'
import { itemsFromJson } from './json-items.ts'
import { FIRST_PAGE, nextOf, requestOf } from './pages.ts'
import { checkPause, notBeforeOf, requestSource, type Validators } from './request-source.ts'
import type { ReadWebSource, SourceOf, WebSourcePorts } from './source.ts'

const pageState = z.object({
  at: z.string(),
  etag: z.string().optional(),
  modified: z.string().optional(),
  next: z.string().optional(),
})
const apiState = z.object({
  /** Pages of the last runs, with their validators. */
  pages: z.array(pageState).default([]),
  /** Where the next run starts, if the last one did not reach the end. */
  position: z.string().default(FIRST_PAGE),
  notBeforeMs: z.number().default(0),
})
type ApiState = z.infer<typeof apiState>

/**
 * A JSON endpoint: a JSON path selects the items. Reads up to `maxPages`; what is left is read by the
 * next run, so nothing is skipped. Pages that have not changed since the last run have no new items.
 */
export const readApi: ReadWebSource<'api'> = async (source, ports) => {
  const { memory, now, report } = ports
  const before = apiState.parse((await memory.recall(source)) ?? {})
  checkPause(source.url, before.notBeforeMs, now())
  const known = new Map(before.pages.map((page) => [page.at, page]))
  const found = new Map<string, FlowItem>()
  const keep = (position: string, notBeforeMs: number) => {
    const pages = [...known.values()].slice(-LIMITS.sourcePages)
    memory.keep(source, { pages, position, notBeforeMs } satisfies ApiState)
  }
  const most = source.pagination?.maxPages ?? 1
  let position = before.position
  for (let read = 0; ; ) {
    let page: Page
    try {
      page = await readPage(source, position, known.get(position) ?? {}, ports)
    } catch (thrown) {
      const error = toStewardError(thrown)
      if (read === 0 && position !== FIRST_PAGE && error.code !== 'rate_limited') {
        // A stored position may have become invalid.
        position = FIRST_PAGE
        continue
      }
      keep(position, notBeforeOf(error, now()))
      if (read === 0) throw error
      report(error)
      return [...found.values()]
    }
    read += 1
    const sizeBefore = found.size
    for (const item of page.items) if (!found.has(item.id)) found.set(item.id, item)
    const isEnd = page.next === undefined || (page.isRead && found.size === sizeBefore)
    known.delete(position)
    const next = isEnd ? undefined : page.next
    known.set(position, { at: position, ...page.validators, ...(next && { next }) })
    if (isEnd) {
      keep(resumeAt(source, position, page.next), page.notBeforeMs)
      return [...found.values()]
    }
    position = page.next ?? FIRST_PAGE
    if (read >= most || found.size >= LIMITS.flowItemsPerRun || page.notBeforeMs > now()) {
      keep(position, page.notBeforeMs)
      return [...found.values()]
    }
  }
}

const resumeAt = (
  { pagination }: SourceOf<'api'>,
  position: string,
  next: string | undefined,
): string => (pagination?.by === 'cursor' && pagination.resume ? (next ?? position) : FIRST_PAGE)

interface Page {
  items: FlowItem[]
  /** False if it has not changed since it was last read. */
  isRead: boolean
  next: string | undefined
  validators: Validators
  notBeforeMs: number
}

const readPage = async (
  source: SourceOf<'api'>,
  position: string,
  known: Validators & { next?: string | undefined },
  { fetch, secret, now }: WebSourcePorts,
): Promise<Page> => {
  const { headers = {} } = source
  const { url, ...request } = requestOf(source, position)
  const init = {
    ...request,
    headers: {
      accept: 'application/json',
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...expandHeaders(headers, secret),
    },
  }
  const asked = isCheckable(source, known) ? known : {}
  const answer = await requestSource(fetch, url, init, asked, now())
  const { bytes, validators, notBeforeMs } = answer
  if (bytes === undefined) {
    return { items: [], isRead: false, next: known.next, validators, notBeforeMs }
  }
  const json = unwrap(
    parseJson(new TextDecoder().decode(bytes), `the answer of ${url}`, LIMITS.jsonDepth),
  )
  return {
    items: itemsFromJson(json, source, url),
    isRead: true,
    next: nextOf(source, position, { json, headers: answer.headers, url: answer.url }),
    validators,
    notBeforeMs,
  }
}

/**
 * Whether "not modified" says that there is nothing new. The last page of `Link` headers may stay as it
 * is while a page is added after it.
 */
const isCheckable = (
  { method, pagination }: SourceOf<'api'>,
  { next }: { next?: string | undefined },
): boolean => method === 'GET' && (pagination?.by !== 'link' || next !== undefined)
