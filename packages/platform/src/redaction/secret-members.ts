import type { JsonObject } from '@steward/contract'
import { kindOfName } from './forms/secret-names.ts'
import { isSecretValue } from './forms/secret-value.ts'
import { hideSecretForms } from './hide-secret-forms.ts'

type Members = ReadonlySet<string | number>
const NONE: Members = new Set()
const LONGEST_LABEL = 80

/**
 * The members of an object that are secrets by their name, and the words of an argument list that
 * follow such a name. `{ name: 'DB_PASSWORD', value: '…' }` is the same written apart.
 */
export const findSecretMembers = (value: JsonObject | readonly unknown[]): Members =>
  isList(value) ? findArguments(value) : findNamed(value)

const isList = (value: JsonObject | readonly unknown[]): value is readonly unknown[] =>
  Array.isArray(value)

const findNamed = (fields: JsonObject): Members => {
  const members = Object.keys(fields).filter((key) => isSecretMember(key, fields[key]))
  const { name, key, value } = fields
  const label = typeof name === 'string' ? name : key
  if (typeof label === 'string' && label.length <= LONGEST_LABEL && isSecretMember(label, value)) {
    members.push('value')
  }
  return members.length === 0 ? NONE : new Set(members)
}

const isSecretMember = (name: string, value: unknown): boolean => {
  const isText = typeof value === 'string'
  if (!isText && typeof value !== 'number') return false
  const kind = kindOfName(name)
  if (kind === undefined) return false
  if (!isText) return kind === 'password' && isWholeNumber(value)
  return isSecretValue(value, { kind, name, isQuoted: true, separator: ':', isSpaced: false })
}

/** A number under such a name may be a PIN; a small one is a count. */
const isWholeNumber = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1000

/**
 * A secret among the arguments of a command is known by the words before it, so the list is read as
 * the command that it is. Arguments with spaces are texts of their own and masked as such.
 */
const findArguments = (items: readonly unknown[]): Members => {
  if (!items.some((item) => typeof item === 'string' && item.startsWith('-'))) return NONE
  const words = items.map((item) => (typeof item === 'string' && /^\S+$/.test(item) ? item : '_'))
  const clean = hideSecretForms(words.join(' ')).split(' ')
  if (clean.length !== words.length) return NONE
  const changed = words.flatMap((word, index) =>
    clean[index] !== word && hideSecretForms(word) === word ? [index] : [],
  )
  return new Set(changed)
}
