import type { ParsedFeed } from '@steward/contract'
import type { DraftFeed, DraftItem } from './draft.ts'
import { identifyItems } from './identity.ts'
import { resolveLink, type Surroundings } from './links.ts'

/** A draft with its addresses made absolute and its items told apart. */
export const finishFeed = (draft: DraftFeed, url: string | undefined): ParsedFeed => {
  const link = draft.link === null ? null : resolveLink(draft.link, { url })
  const around = { url, feedLink: link }
  const items = draft.items.map((item) => finishItem(item, around, draft.author))
  const ids = identifyItems(
    items.map(({ link, title, content }, index) => {
      return { guid: draft.items[index]?.guid ?? null, link, title, content }
    }),
  )
  return {
    title: draft.title,
    link,
    items: items.map((item, index) => ({ id: ids[index] ?? '', ...item })),
  }
}

const finishItem = (
  { guid: _, ...item }: DraftItem,
  around: Surroundings,
  feedAuthor: string | null,
): Omit<ParsedFeed['items'][number], 'id'> => ({
  ...item,
  link: item.link === null ? null : resolveLink(item.link, around),
  author: item.author ?? feedAuthor,
  enclosures: item.enclosures.map(({ link, type, length }) => {
    return { url: resolveLink(link, around), type, length }
  }),
})
