import { type PolicyEdit, StewardError } from '@steward/contract'
import { type Document, isMap, isScalar, Scalar, YAMLMap } from 'yaml'
import { checkPattern } from '../patterns/check-pattern.ts'
import { mistake } from './edit-mistakes.ts'
import { forgetShadow } from './edit-shadow.ts'
import { addTo, findEntry, listAt, patternsOf, quoted, removeAt } from './yaml-lists.ts'

type Edit<Action extends PolicyEdit['action']> = Extract<PolicyEdit, { action: Action }>

export const addPattern = (
  document: Document,
  { section, pattern, reason, shadow }: Edit<'add_pattern'>,
): void => {
  checkNewPattern(pattern)
  const list = listAt(document, ['bash', section])
  if (patternsOf(list).includes(pattern)) throw isThere(section, pattern)
  const entry = new YAMLMap(document.schema)
  entry.set('pattern', quoted(pattern))
  entry.set('reason', new Scalar(reason))
  if (shadow === true) entry.set('shadow', true)
  // Uses the same YAML style as the neighbouring entries.
  entry.flow =
    list.items.length === 0 || list.items.some((item) => isMap(item) && item.flow === true)
  addTo(list, entry)
}

export const editPattern = (
  document: Document,
  { section, index, pattern, reason }: Edit<'edit_pattern'>,
): void => {
  if (pattern === undefined && reason === undefined) {
    throw mistake('pattern', 'give a pattern, a reason, or both')
  }
  const list = listAt(document, ['bash', section])
  const known = patternsOf(list)
  const where = `bash.${section}`
  const entry = list.items[findEntry(known, { where, field: 'pattern', index })]
  if (!isMap(entry)) throw mistake('index', `${where}[${index}] is no pattern`)
  if (pattern !== undefined) {
    checkNewPattern(pattern)
    const twin = known.indexOf(pattern)
    if (twin !== -1 && twin !== index) throw isThere(section, pattern)
    forgetShadow(document, `${where}: ${known[index]}`)
    setText(entry, 'pattern', pattern)
  }
  if (reason !== undefined) setText(entry, 'reason', reason)
}

export const removePattern = (
  document: Document,
  { section, index, pattern }: Edit<'remove_pattern'>,
): void => {
  const list = listAt(document, ['bash', section])
  const where = `bash.${section}`
  const known = patternsOf(list)
  const at = findEntry(known, { where, field: 'pattern', index, entry: pattern })
  forgetShadow(document, `${where}: ${known[at]}`)
  removeAt(list, at)
}

/** Keeps the quote style of the old value, if there was one. */
const setText = (entry: YAMLMap, key: string, value: string): void => {
  const there = entry.get(key, true)
  if (isScalar(there)) there.value = value
  else entry.set(key, quoted(value))
}

const checkNewPattern = (pattern: string): void => {
  const checked = checkPattern(pattern)
  if (checked.ok) return
  const { message, details } = checked.error
  throw StewardError.restore('invalid_input', message, { ...details, field: 'pattern' })
}

const isThere = (section: string, pattern: string): StewardError =>
  mistake('pattern', `${pattern} is in bash.${section} already`)
