import { isJsonObject, type JsonObject, StewardError, typeOf, unwrap } from '@steward/contract'
import { sha256Hex } from '../feed-format/sha256.ts'
import { selectPath } from '../json-path/select-path.ts'
import { defined, type FlowItem } from './item.ts'

/** The paths of the items in a JSON document, and of the parts in an item. */
export interface ItemPaths {
  items: string
  id: string
  content?: string
  title?: string
  link?: string
}

/**
 * Extracts items from a JSON document. An item without an identity gets that of the document and its
 * place, if the document has one, else the hash of its whole content.
 */
export const itemsFromJson = (
  document: unknown,
  paths: ItemPaths,
  subject: string,
  documentId?: string,
): FlowItem[] => {
  const found = unwrap(selectPath(document, paths.items))
  const list = Array.isArray(found) ? found : isJsonObject(found) ? [found] : undefined
  if (list === undefined) {
    throw new StewardError('upstream_failed', {
      service: subject,
      reason: `${paths.items} is ${typeOf(found)}, expected an array of items or one object`,
    })
  }
  return list.map((item, index) => {
    const own = list.length === 1 ? documentId : `${documentId}#${index + 1}`
    return itemFrom(item, paths, documentId === undefined ? undefined : own)
  })
}

const itemFrom = (
  item: unknown,
  { id, content, title, link }: ItemPaths,
  ownId: string | undefined,
): FlowItem => {
  const whole = JSON.stringify(item) ?? 'null'
  const fields: JsonObject = isJsonObject(item) ? item : { value: item }
  const identity = textAt(item, id)
  const titleText = textAt(item, title ?? '$.title')
  const url = textAt(item, link ?? '$.url') ?? textAt(item, '$.link')
  return {
    id: identity ?? ownId ?? sha256Hex(whole),
    title: titleText ?? null,
    payload: {
      ...fields,
      ...defined({ title: titleText, url, source_url: url }),
      content: textAt(item, content ?? '$.content') ?? whole,
    },
  }
}

const textAt = (item: unknown, path: string): string | undefined => {
  const found = selectPath(item, path)
  if (!found.ok) return undefined
  const { value } = found
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}
