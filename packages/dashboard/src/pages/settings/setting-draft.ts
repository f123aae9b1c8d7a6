import { fromText, toText } from './list-settings.ts'
import { isObject, type Json } from './read-schema.ts'
import type { LeafControl, Rules, Shape } from './setting-shape.ts'

/** A value while it is edited: texts that need not be valid, and rows that keep their identity. */
export type Draft =
  | { kind: 'leaf'; text: string }
  /** `rest`: fields that the schema does not name; they are kept. */
  | { kind: 'object'; fields: Readonly<Record<string, Draft>>; rest: Json }
  | { kind: 'rows'; rows: readonly DraftRow[] }

export interface DraftRow {
  id: number
  /** The name of a value in a map; empty in a list. */
  key: string
  value: Draft
}

let lastId = 0
export const newRow = (item: Shape, key = '', value?: unknown): DraftRow => {
  lastId += 1
  return { id: lastId, key, value: toDraft(item, value) }
}

export const toDraft = (shape: Shape, value: unknown): Draft => {
  switch (shape.kind) {
    case 'leaf':
      return { kind: 'leaf', text: toText(shape.control, value) }
    case 'list': {
      const items = Array.isArray(value) ? value : []
      return { kind: 'rows', rows: items.map((each) => newRow(shape.item, '', each)) }
    }
    case 'map': {
      const entries = isObject(value) ? Object.entries(value) : []
      return { kind: 'rows', rows: entries.map(([key, each]) => newRow(shape.item, key, each)) }
    }
    case 'object': {
      const given = isObject(value) ? value : {}
      const names = new Set(shape.fields.map(({ key }) => key))
      return {
        kind: 'object',
        fields: Object.fromEntries(
          shape.fields.map((field) => [field.key, toDraft(field.shape, given[field.key])]),
        ),
        rest: Object.fromEntries(Object.entries(given).filter(([key]) => !names.has(key))),
      }
    }
  }
}

/** The value of a draft; undefined if an optional part is empty. */
export const fromDraft = (shape: Shape, draft: Draft): unknown => {
  if (shape.kind === 'leaf')
    return draft.kind === 'leaf' ? leafValue(shape.control, draft.text) : undefined
  if (shape.kind === 'object') {
    if (draft.kind !== 'object') return undefined
    const fields = shape.fields.flatMap(({ key, shape: own, isRequired }) => {
      const part = draft.fields[key]
      const value = part === undefined ? undefined : fromDraft(own, part)
      return value === undefined || (!isRequired && isEmpty(value)) ? [] : [[key, value] as const]
    })
    return { ...draft.rest, ...Object.fromEntries(fields) }
  }
  if (draft.kind !== 'rows') return undefined
  if (shape.kind === 'list') return draft.rows.map(({ value }) => fromDraft(shape.item, value))
  return Object.fromEntries(
    draft.rows.map(({ key, value }) => [key.trim(), fromDraft(shape.item, value)]),
  )
}

const leafValue = (control: LeafControl, text: string): unknown =>
  text === '' && control.kind !== 'text' ? undefined : fromText(control, text)

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0

/** The mistakes of a draft by the path of their field, as far as the schema tells. */
export const checkDraft = (
  shape: Shape,
  draft: Draft,
  path: string,
  isRequired = true,
): Map<string, string> => {
  if (shape.kind === 'leaf' && draft.kind === 'leaf') {
    const mistake = checkLeaf(shape.control, shape.rules, draft.text, isRequired)
    return new Map(mistake === undefined ? [] : [[path, mistake]])
  }
  if (shape.kind === 'object' && draft.kind === 'object') {
    return joined(
      shape.fields.map(({ key, shape: own, isRequired: isNeeded }) => {
        const part = draft.fields[key]
        return part === undefined ? new Map() : checkDraft(own, part, `${path}.${key}`, isNeeded)
      }),
    )
  }
  if ((shape.kind === 'list' || shape.kind === 'map') && draft.kind === 'rows') {
    const keys = draft.rows.map(({ key }) => key.trim())
    return joined(
      draft.rows.map(({ value }, index) => {
        const own = checkDraft(shape.item, value, `${path}.${index}`)
        const mistake = shape.kind === 'map' ? checkKey(keys, index, shape.keys) : undefined
        return mistake === undefined ? own : own.set(`${path}.${index}.key`, mistake)
      }),
    )
  }
  return new Map()
}

const joined = (maps: ReadonlyArray<Map<string, string>>): Map<string, string> =>
  new Map(maps.flatMap((map) => [...map]))

const checkKey = (keys: readonly string[], index: number, rules: Rules): string | undefined => {
  const key = keys[index] ?? ''
  if (key === '') return 'Enter a name.'
  if (keys.indexOf(key) < index) return 'This name is used above.'
  return checkText(key, rules)
}

const checkLeaf = (
  control: LeafControl,
  rules: Rules,
  text: string,
  isRequired: boolean,
): string | undefined => {
  if (text.trim() === '') {
    const mayBeEmpty = !isRequired || control.kind === 'switch'
    return mayBeEmpty || control.kind === 'lines' || control.kind === 'checks'
      ? undefined
      : 'Enter a value.'
  }
  if (control.kind === 'number') return checkNumber(control, rules, Number(text))
  return control.kind === 'text' ? checkText(text, rules) : undefined
}

const checkNumber = (
  { min, max, isWhole }: Extract<LeafControl, { kind: 'number' }>,
  { above }: Rules,
  value: number,
): string | undefined => {
  if (!Number.isFinite(value)) return 'Enter a number.'
  if (isWhole && !Number.isInteger(value)) return 'Enter a whole number.'
  if (above !== undefined && value <= above) return `Enter a number above ${above}.`
  if (min !== undefined && value < min) return `Enter at least ${min}.`
  return max !== undefined && value > max ? `Enter at most ${max}.` : undefined
}

const checkText = (text: string, { pattern, minLength, isAddress }: Rules): string | undefined => {
  if (minLength !== undefined && text.length < minLength) return 'This is too short.'
  if (isAddress && !URL.canParse(text)) return 'Enter an address, such as https://example.com.'
  return pattern === undefined || new RegExp(pattern).test(text)
    ? undefined
    : 'This has not the required form.'
}
