import { joinNames, readAuthors } from './authors.ts'
import { parseDate } from './dates.ts'
import { type DraftItem, uniqueLabels } from './draft.ts'
import { readEnclosures } from './enclosures.ts'
import { attributeLink, isWebAddress, pickLink, type RawLink, relOf, textLink } from './links.ts'
import type { RawBody } from './raw-body.ts'
import { readElementText } from './text.ts'
import { readBody, readLine } from './text-construct.ts'
import { attributeOf, type ItemFields, type XmlNode } from './xml-node.ts'

/**
 * One RSS, RDF, CDF or Atom item. The formats' names do not clash and real feeds mix them, so one
 * reader handles all; only the markup of titles depends on the format.
 *
 * `content` is the fullest body available: `content:encoded`, Atom content, an XHTML body, otherwise
 * the description or summary, and finally the description of attached media. `summary` is the
 * description or summary if present, even if it is also the content.
 */
export const readItem = (item: XmlNode): DraftItem | null => {
  if (isBlank(item)) return null
  const fields = groupFields(item)
  const isAtom = item.name === 'entry'
  const { content, summary } = readBodies(fields)
  const guid = readGuid(item, fields)
  const link = readLink(item, fields, guid)
  const title =
    firstLine(fields('title'), isAtom) ??
    firstLine(fields('dc:title', 'itunes:title'), false) ??
    firstLine(mediaFields(fields, 'media:title'), false)
  return {
    guid,
    title,
    link,
    published: firstDate(fields, PUBLISHED),
    updated: firstDate(fields, UPDATED) ?? parseDate(attributeOf(item, 'lastmod')),
    author: readItemAuthor(fields),
    content,
    summary,
    categories: readCategories(fields),
    enclosures: readEnclosures(fields),
  }
}

/** Whether it has neither content nor, as in CDF and RDF, attributes. */
const isBlank = (item: XmlNode): boolean =>
  item.children.length === 0 &&
  !/<\w/.test(item.inner) &&
  !/\b(?:about|href)\s*=/i.test(item.attributes)

const PUBLISHED = [
  'pubdate',
  'published',
  'issued',
  'dcterms:issued',
  'dcterms:available',
  'created',
  'dcterms:created',
  'dc:date',
  'dcterms:date',
  'date',
]
const UPDATED = ['updated', 'modified', 'dcterms:modified']

const groupFields = (item: XmlNode): ItemFields => {
  const groups = new Map<string, XmlNode[]>()
  for (const child of item.children) {
    const group = groups.get(child.name)
    if (group === undefined) groups.set(child.name, [child])
    else group.push(child)
  }
  return (...names) => {
    let found: XmlNode[] = []
    for (const name of names) {
      const group = groups.get(name)
      if (group !== undefined) found = found.length === 0 ? group : [...found, ...group]
    }
    return found
  }
}

const firstBody = (nodes: readonly XmlNode[]): RawBody | null => {
  for (const node of nodes) {
    const body = readBody(node)
    if (body !== null) return body
  }
  return null
}

export const firstLine = (nodes: readonly XmlNode[], isAtom: boolean): string | null => {
  for (const node of nodes) {
    const line = readLine(node, isAtom)
    if (line !== null) return line
  }
  return null
}

const firstDate = (fields: ItemFields, names: readonly string[]): string | null => {
  for (const node of fields(...names)) {
    const date = parseDate(readElementText(node.inner).value)
    if (date !== null) return date
  }
  return null
}

/** If both a description and a summary could be the content, the summary is the shorter one. */
const readBodies = (fields: ItemFields): Pick<DraftItem, 'content' | 'summary'> => {
  const content = readContent(fields)
  const summary = firstBody(fields(...SUMMARIES))
  if (content !== null || fields('description').length === 0) {
    return { content: content ?? summary ?? readMediaText(fields), summary }
  }
  return {
    content: summary ?? readMediaText(fields),
    summary: firstBody(fields('summary')) ?? summary,
  }
}
const SUMMARIES = [
  'description',
  'summary',
  'abstract',
  'dc:description',
  'dcterms:abstract',
  'itunes:summary',
  'itunes:subtitle',
]

const readContent = (fields: ItemFields): RawBody | null =>
  firstBody(
    fields(
      'content:encoded',
      'encoded',
      'content',
      'xhtml:body',
      'body',
      'xhtml:div',
      'xhtml:content',
      'fulltext',
      'fullitem',
    ),
  )

const readMediaText = (fields: ItemFields): RawBody | null =>
  firstBody(mediaFields(fields, 'media:description', 'media:text'))

/** Media RSS allows these in the item, in a group, and in each file. */
const mediaFields = (fields: ItemFields, ...names: string[]): XmlNode[] => {
  const groups = fields('media:group')
  const loose = fields('media:content')
  if (groups.length === 0 && loose.length === 0) return fields(...names)
  const files = [...loose, ...groups.flatMap(({ children }) => children)]
  const inside = [...groups, ...files].flatMap(({ children }) => children)
  return [...fields(...names), ...inside.filter(({ name }) => names.includes(name))]
}

const readGuid = (item: XmlNode, fields: ItemFields): string | null => {
  for (const node of fields('guid', 'id')) {
    const text = readElementText(node.inner).value.replace(/\s+/g, ' ')
    if (text !== '') return text
  }
  return attributeOf(item, 'about') || null
}

const readLink = (item: XmlNode, fields: ItemFields, guid: string | null): RawLink | null => {
  const [original] = fields('feedburner:origlink')
  const links = fields('link')
  return (
    (original && textLink(original)) ??
    pickLink(links) ??
    readPermalink(fields) ??
    attributeLink(item, 'href') ??
    firstOf(fields('a'), (node) => attributeLink(node, 'href')) ??
    (guid !== null && fields('guid').length === 0 && isWebAddress(guid)
      ? { href: guid, bases: [] }
      : null) ??
    firstOf(fields('content'), (node) => attributeLink(node, 'src')) ??
    firstOf(
      links.filter((node) => /^(?:related|via)$/.test(relOf(node))),
      (node) => attributeLink(node, 'href'),
    )
  )
}

/**
 * A guid is a link unless it says otherwise; without a statement it must at least look like one.
 */
const readPermalink = (fields: ItemFields): RawLink | null =>
  firstOf(fields('guid'), (node) => {
    const isPermalink = attributeOf(node, 'ispermalink')?.toLowerCase()
    if (isPermalink === 'false') return null
    const link = textLink(node)
    return link !== null && (isPermalink === 'true' || isWebAddress(link.href)) ? link : null
  })

const firstOf = <T>(nodes: readonly XmlNode[], read: (node: XmlNode) => T | null): T | null => {
  for (const node of nodes) {
    const found = read(node)
    if (found !== null) return found
  }
  return null
}

/** Prefers a name from any place to an address from the first. */
const readItemAuthor = (fields: ItemFields): string | null => {
  const places = [
    fields('author'),
    fields('dc:creator', 'dc:author', 'dcterms:creator'),
    fields('itunes:author'),
    fields('source').flatMap((source) => source.children.filter(({ name }) => name === 'author')),
    fields('media:credit'),
  ]
  const found = places.map(readAuthors)
  return (
    found.find((name) => name !== null && !name.includes('@')) ??
    joinNames(found.filter((name) => name !== null).slice(0, 1))
  )
}

const readCategories = (fields: ItemFields): string[] => {
  const labels = [
    ...fields('category', 'dc:subject'),
    ...mediaFields(fields, 'media:category'),
  ].map((node) => attributeOf(node, 'label') || readLine(node, false) || attributeOf(node, 'term'))
  const shelves = fields('itunes:category').flatMap(readShelf)
  const keywords = [...fields('itunes:keywords'), ...mediaFields(fields, 'media:keywords')].flatMap(
    (node) => readLine(node, false)?.split(',') ?? [],
  )
  return uniqueLabels([...labels, ...shelves, ...keywords])
}

/** Apple's categories contain their own subcategories. */
const readShelf = (node: XmlNode): (string | null)[] => {
  const inner = node.children.filter(({ name }) => name === 'itunes:category')
  if (inner.length > 0) return [attributeOf(node, 'text'), ...inner.flatMap(readShelf)]
  return [attributeOf(node, 'text') || readLine(node, false)]
}
