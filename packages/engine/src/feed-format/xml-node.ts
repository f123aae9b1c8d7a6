import { decodeEntities } from './entities.ts'

/** One element. Attributes and text are decoded only on demand. */
export interface XmlNode {
  /** Lower case, with the prefix from namespaces.ts: `title`, `dc:creator`, `content:encoded`. */
  name: string
  attributes: string
  /** The base of relative addresses inside: the `xml:base`s in force, outermost first. */
  bases: readonly string[]
  /** The markup between the tags. */
  inner: string
  children: XmlNode[]
}

/**
 * Names only start after a separator, because otherwise one very long word would be tried at each
 * letter.
 */
const ATTRIBUTE = /(?<=^|[\s"'/])([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s"'>]+))/g

/** The value of an attribute, ignoring case and prefix of its name; null if absent. */
export const attributeOf = (node: XmlNode, name: string): string | null => {
  if (node.attributes === '') return null
  let prefixed: string | null = null
  for (const [key, value] of readAttributes(node.attributes)) {
    if (key === name) return decodeEntities(value).trim()
    if (key.endsWith(`:${name}`) && !key.startsWith('xmlns')) prefixed ??= value
  }
  return prefixed === null ? null : decodeEntities(prefixed).trim()
}

/** Names in lower case, values not yet decoded. */
export const readAttributes = (attributes: string): [name: string, value: string][] => {
  const found: [string, string][] = []
  ATTRIBUTE.lastIndex = 0
  for (let match = ATTRIBUTE.exec(attributes); match; match = ATTRIBUTE.exec(attributes)) {
    found.push([(match[1] ?? '').toLowerCase(), match[2] ?? match[3] ?? match[4] ?? ''])
  }
  return found
}

/** The child elements of an item, by name. */
export type ItemFields = (...names: string[]) => XmlNode[]
