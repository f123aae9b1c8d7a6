import type { ParsedFeed } from '@steward/contract'
import type { DraftFeed, DraftItem } from './draft.ts'
import { identifyItems } from './identity.ts'
import { isWebAddress, resolveLink, type Surroundings } from './links.ts'
import { resolveBody } from './raw-body.ts'

/** A draft with its addresses made absolute and its items told apart. */
export const finishFeed = (draft: DraftFeed, from: string | undefined): ParsedFeed => {
  // A file's name is no base for addresses.
  const url = [from, draft.self?.href].find((address) => address && isWebAddress(address))
  const link = draft.link === null ? null : resolveLink(draft.link, { url })
  const around = { url, feedLink: link }
  const items = draft.items.map((item) => finishItem(item, around, draft.author))
  const ids = identifyItems(
    draft.items.map(({ guid, title, content }, index) => {
      return { guid, link: items[index]?.link ?? null, title, content: content?.text ?? null }
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
): Omit<ParsedFeed['items'][number], 'id'> => {
  const link = item.link === null ? null : resolveLink(item.link, around)
  const finishBody = (body: DraftItem['content']) =>
    body === null ? null : resolveBody(body, around, link)
  const content = finishBody(item.content)
  return {
    ...item,
    link,
    author: item.author ?? feedAuthor,
    content,
    summary: item.summary === item.content ? content : finishBody(item.summary),
    enclosures: item.enclosures.map(({ link, type, length }) => {
      return { url: resolveLink(link, around), type, length }
    }),
  }
}
