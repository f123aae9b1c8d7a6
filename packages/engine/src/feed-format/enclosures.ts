import { type DraftEnclosure, parseLength } from './draft.ts'
import { attributeLink, isWebAddress, type RawLink, relOf, textLink } from './links.ts'
import { attributeOf, type ItemFields, type XmlNode } from './xml-node.ts'

/**
 * Attached files: RSS enclosures, Atom enclosure links and Media RSS content, deduplicated by
 * address. FeedBurner replaces an enclosure's address with a tracking one and puts the real one
 * beside it.
 */
export const readEnclosures = (fields: ItemFields): DraftEnclosure[] => {
  const media = [
    ...fields('media:content'),
    ...fields('media:group').flatMap((group) => group.children),
  ]
  const [original] = fields('feedburner:origenclosurelink')
  const undone = original === undefined ? null : textLink(original)
  return mergeEnclosures([
    ...fields('enclosure').map((node) => toEnclosure(node, undone ?? readAddress(node), 'length')),
    ...fields('link')
      .filter((node) => relOf(node) === 'enclosure')
      .map((node) => toEnclosure(node, readAddress(node), 'length')),
    ...media
      .filter((node) => node.name === 'media:content')
      .map((node) => toEnclosure(node, attributeLink(node, 'url'), 'filesize')),
  ])
}

const readAddress = (node: XmlNode): RawLink | null => {
  const link = attributeLink(node, 'url') ?? attributeLink(node, 'href')
  if (link !== null) return link
  const text = textLink(node)
  return text !== null && isWebAddress(text.href) ? text : null
}

const toEnclosure = (node: XmlNode, link: RawLink | null, lengthName: string): DraftEnclosure[] => {
  if (link === null) return []
  const type = attributeOf(node, 'type') || null
  return [{ link, type, length: parseLength(attributeOf(node, lengthName)) }]
}

/** Merges duplicates of the same file, with the fields of both. */
export const mergeEnclosures = (found: readonly DraftEnclosure[][]): DraftEnclosure[] => {
  if (found.length === 0) return []
  const byAddress = new Map<string, DraftEnclosure>()
  for (const enclosure of found.flat()) {
    const known = byAddress.get(enclosure.link.href)
    byAddress.set(enclosure.link.href, {
      link: enclosure.link,
      type: known?.type ?? enclosure.type,
      length: known?.length ?? enclosure.length,
    })
  }
  return [...byAddress.values()]
}
