import { decodeEntities } from './entities.ts'
import { prefixOf, usualPrefix } from './namespaces.ts'
import { readAttributes } from './xml-node.ts'

/** The namespace declarations in force, and the names already resolved with them. */
export interface XmlScope {
  prefixes: ReadonlyMap<string, string>
  names: Map<string, string>
}

export const openScope = (): XmlScope => ({ prefixes: new Map(), names: new Map() })

/** More than any feed needs; each element that declares one copies them all. */
const MAX_PREFIXES = 64

/** The scope inside an element with these attributes; the same one if they declare nothing new. */
export const extendScope = (scope: XmlScope, attributes: string): XmlScope => {
  if (!attributes.includes('xmlns') && !attributes.includes('XMLNS')) return scope
  const changed = new Map<string, string>()
  for (const [key, value] of readAttributes(attributes)) {
    if (key !== 'xmlns' && !key.startsWith('xmlns:')) continue
    const declared = key.slice('xmlns:'.length)
    const prefix = prefixOf(declared, decodeEntities(value))
    if (prefix !== meaningOf(scope, declared)) changed.set(declared, prefix)
  }
  if (changed.size === 0 || scope.prefixes.size + changed.size > MAX_PREFIXES) return scope
  return { prefixes: new Map([...scope.prefixes, ...changed]), names: new Map() }
}

const meaningOf = (scope: XmlScope, declared: string): string =>
  scope.prefixes.get(declared) ?? usualPrefix(declared)

/** Bounds the cache of names against made-up ones. */
const MAX_REMEMBERED_NAMES = 1000

/** A tag's name as used in this folder: lower case, our prefix. */
export const resolveName = (scope: XmlScope, tag: string): string => {
  const remembered = scope.names.get(tag)
  if (remembered !== undefined) return remembered
  const lower = tag.toLowerCase()
  const colon = lower.indexOf(':')
  const declared = colon === -1 ? '' : lower.slice(0, colon)
  const prefix = meaningOf(scope, declared)
  const local = lower.slice(colon + 1)
  const name = prefix === '' ? local : `${prefix}:${local}`
  if (scope.names.size < MAX_REMEMBERED_NAMES) scope.names.set(tag, name)
  return name
}
