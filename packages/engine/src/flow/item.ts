import type { FeedItem, JsonObject } from '@steward/contract'

/** One item of a source: a stable identity, and its input for the pipeline. */
export interface FlowItem {
  id: string
  title: string | null
  payload: JsonObject
}

/** The union of the published item forms, so that pipelines written for either work. */
export const itemFromFeed = (item: FeedItem): FlowItem => {
  const body = item.content ?? item.summary ?? ''
  return {
    id: item.id,
    title: item.title,
    payload: {
      content: [item.title, body].filter(Boolean).join('\n\n'),
      ...defined({
        title: item.title,
        url: item.link,
        source_url: item.link,
        published_at: item.published ?? item.updated,
        author: item.author,
        enclosure_url: item.enclosures[0]?.url,
      }),
    },
  }
}

/** Omits null and undefined, so that optional fields are absent rather than null. */
export const defined = (given: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
  )
