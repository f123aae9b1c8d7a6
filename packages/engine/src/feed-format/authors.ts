import { readLine } from './text-construct.ts'
import type { XmlNode } from './xml-node.ts'

/** Extracts the name from an RSS author: `jane@x.org (Jane Doe)`, `Jane Doe <jane@x.org>`. */
const parseAuthor = (text: string | null): { name: string | null; email: string | null } => {
  if (text === null) return { name: null, email: null }
  if (text.length > MAX_AUTHOR_LENGTH) return { name: text, email: null }
  const email = text.includes('@') ? (EMAIL.exec(text)?.[0] ?? null) : null
  if (email === null) return { name: text.replace(/^\(([^()]+)\)$/, '$1'), email: null }
  const rest = text
    .replace(/mailto:/i, '')
    .replace(email, ' ')
    .replace(/[()<>[\]"]+/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s,;:-]+|[\s,;:-]+$/g, '')
  return { name: rest === '' ? null : rest, email }
}

/** A longer text is not a name, and parsing it would be too expensive. */
const MAX_AUTHOR_LENGTH = 1000
const EMAIL = /[\w.+%-]{1,64}@[\w-]+(?:\.[\w-]+)*/

/** The names in these elements, falling back to their addresses; several are joined by commas. */
export const readAuthors = (nodes: readonly XmlNode[]): string | null => {
  const people = nodes.map(readAuthor)
  return joinNames(people.map(({ name }) => name)) ?? joinNames(people.map(({ email }) => email))
}

export const joinNames = (names: readonly (string | null)[]): string | null => {
  const unique = [...new Set(names.filter((name) => name !== null && name !== ''))]
  return unique.length === 0 ? null : unique.join(', ')
}

const readAuthor = (node: XmlNode): { name: string | null; email: string | null } => {
  if (node.children.length === 0) return parseAuthor(readLine(node, false))
  const line = (name: string) => {
    const child = node.children.find((inner) => inner.name === name)
    return child === undefined ? null : readLine(child, false)
  }
  const named = parseAuthor(line('name') ?? line('title'))
  const email = line('email') ?? named.email ?? line('uri') ?? line('url')
  // Without name and address, the content is only markup around a name.
  return (named.name ?? email) ? { name: named.name, email } : parseAuthor(readLine(node, false))
}
