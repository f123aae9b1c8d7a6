import { readAuthors } from './authors.ts'
import type { DraftFeed, DraftItem } from './draft.ts'
import { attributeLink, pickLink, type RawLink, relOf } from './links.ts'
import { firstLine, readItem } from './read-item.ts'
import { readXml } from './read-xml.ts'
import type { XmlNode } from './xml-node.ts'

export interface XmlFeed {
  feed: DraftFeed | null
  firstTag: string | null
}

const ROOTS = new Set(['rss', 'rdf:rdf', 'feed', 'channel', 'rdf:channel'])

/** A feed in any XML format; `feed` is null if the markup has neither a root nor an item. */
export const readXmlFeed = (source: string): XmlFeed => {
  const items: DraftItem[] = []
  const keep = (node: XmlNode) => {
    const item = readItem(node)
    if (item !== null) items.push(item)
  }
  const { root, cutItem, firstTag } = readXml(source, keep)
  // A truncated item would be remembered under its id with half its text; the next poll gets it
  // whole.
  if (cutItem !== null && items.length === 0) keep(cutItem)
  const head = findHead(root)
  if (head === null && items.length === 0) return { feed: null, firstTag }
  return { feed: { ...readHead(head ?? root), items }, firstTag }
}

/** The element with the feed's own title and link: a channel or feed, otherwise the root. */
const findHead = (root: XmlNode): XmlNode | null => {
  let found: XmlNode | null = null
  for (const node of walk(root)) {
    if (!ROOTS.has(node.name)) continue
    if (node.name !== 'rss' && node.name !== 'rdf:rdf') return node
    found ??= node
  }
  return found
}

const walk = function* (root: XmlNode): Generator<XmlNode> {
  const waiting = [root]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node
    for (let at = node.children.length - 1; at >= 0; at--) {
      const child = node.children[at]
      if (child !== undefined) waiting.push(child)
    }
  }
}

const readHead = (head: XmlNode): Omit<DraftFeed, 'items'> => {
  const isAtom = head.name === 'feed'
  const named = (...names: string[]) => head.children.filter(({ name }) => names.includes(name))
  return {
    title:
      firstLine(named('title'), isAtom) ?? firstLine(named('dc:title', 'itunes:title'), isAtom),
    link: readHeadLink(head, named('link')),
    self: readSelf(named('link')),
    author: isAtom ? readAuthors(named('author')) : null,
  }
}

const readHeadLink = (head: XmlNode, links: readonly XmlNode[]): RawLink | null =>
  pickLink(links) ?? attributeLink(head, 'href')

const readSelf = (links: readonly XmlNode[]): RawLink | null => {
  const self = links.find((link) => relOf(link) === 'self')
  return self === undefined ? null : attributeLink(self, 'href')
}
