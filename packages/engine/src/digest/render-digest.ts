import { type FlowDigest, isJsonObject, type JsonObject } from '@steward/contract'
import { plainTextOf, titleOf, webAddressOf } from '../flow/delivery.ts'
import { fillText } from '../flow/fill-text.ts'
import type { LedgerEntry } from '../flow/ledger-rows.ts'

export type DigestItem = Pick<LedgerEntry, 'id' | 'title'> & { output: JsonObject }

/** The longest text of one item. */
const TEXT_CHARACTERS = 4000
const DEFAULT_TITLE = '{count} new items of {flow}'

/** Sorts by the fields of the outputs; items without a field come last, equal ones stay in order. */
export const orderItems = <Item extends DigestItem>(
  items: readonly Item[],
  order: string | undefined,
): Item[] => {
  const keys = (order ?? '').split(',').flatMap((part) => {
    const [field, direction] = part.trim().split(/\s+/)
    return field ? [{ field, sign: direction === 'desc' ? -1 : 1 }] : []
  })
  return items.toSorted((one, other) => {
    for (const { field, sign } of keys) {
      const difference = compare(fieldOf(one, field), fieldOf(other, field), sign)
      if (difference !== 0) return difference
    }
    return 0
  })
}

const fieldOf = ({ output, title }: DigestItem, field: string): unknown => {
  let value: unknown = output
  for (const part of field.split('.')) {
    value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
  }
  return value ?? (field === 'title' ? title : undefined)
}

const compare = (one: unknown, other: unknown, sign: number): number => {
  const [a, b] = [one, other].map(rankOf)
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * sign
  // Numbers before texts, whatever the direction.
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1
  if (a === b) return 0
  return (a < b ? -1 : 1) * sign
}

const rankOf = (value: unknown): number | string | undefined => {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number' || typeof value === 'string') return value
  return undefined
}

/** The output of a digest: what destinations deliver in place of an item's output. */
export const renderDigest = (
  { title = DEFAULT_TITLE, item: template, body = '{items}' }: FlowDigest,
  items: readonly DigestItem[],
  { flow, date, total }: { flow: string; date: string; total: number },
): { title: string; output: JsonObject } => {
  const facts = { count: items.length, total, date, flow }
  const line = fillText(title, facts).replace(/\s+/g, ' ').trim()
  const parts = items.map((item, index) => renderItem(item, index + 1, template))
  return {
    title: line,
    output: {
      title: line,
      subject: line,
      body: fillText(body, { ...facts, title: line, items: parts.join('\n\n') }),
      ...facts,
      items: items.map(toMember),
    },
  }
}

const renderItem = (item: DigestItem, number: number, template: string | undefined): string => {
  const title = lineOf(item)
  const url = addressOf(item)
  const text = cut(plainTextOf(item).trim())
  if (template === undefined) {
    // Texts that a pipeline laid out have their own heading.
    if (/^#{1,6} /.test(text)) return text
    const heading = url === undefined ? title : `[${title.replace(/[[\]\\]/g, '\\$&')}](${url})`
    return `## ${heading}\n\n${text}`
  }
  return fillText(template, { ...item.output, number, title, url: url ?? '', text })
}

/** Its title on one line. */
const lineOf = (item: DigestItem): string =>
  titleOf({ item, output: item.output }).replace(/\s+/g, ' ').trim()

/** Its address, written so that it can stand in a Markdown link. */
const addressOf = (item: DigestItem): string | undefined => {
  const encode = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return webAddressOf(item)?.replace(/[ \t\n\r()<>]/g, encode)
}

const cut = (text: string): string =>
  text.length > TEXT_CHARACTERS ? `${text.slice(0, TEXT_CHARACTERS).trimEnd()} …` : text

/** One item for machines; its full text stays where it came from. */
const toMember = (item: DigestItem): JsonObject => {
  const { content: _, previousResult: __, ...fields } = item.output
  return { ...fields, id: item.id, title: lineOf(item), text: cut(plainTextOf(item).trim()) }
}
