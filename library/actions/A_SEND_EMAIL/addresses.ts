import { StewardError } from '@steward/contract'
import { hasControlCharacters } from '../../lib/control-characters.ts'

const MAX_ADDRESSES = 50
const MAX_ADDRESS_CHARS = 254
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/
const NAMED = /^(?:"([^"\\]*)"\s*|([^"<>@,;]*))<([^<>]+)>$/

/** Parses `a@b.c, Name <d@e.f>` into single validated addresses; errors name the field. */
export const parseAddresses = (text: string, field: string, most = MAX_ADDRESSES): string[] => {
  const wrong = (reason: string) =>
    new StewardError('invalid_input', {
      subject: 'A_SEND_EMAIL',
      reason: `"${field}" ${reason}`,
      field,
    })
  if (hasControlCharacters(text)) throw wrong('must be one line without control characters')
  const parts = splitAtCommas(text).map((part) => part.trim())
  const given = parts.filter((part) => part !== '')
  if (given.length === 0) throw wrong('is empty; give an address such as me@example.org')
  if (given.length > most) throw wrong(`has ${given.length} addresses; at most ${most} are sent to`)
  return given.map((part) => {
    const named = NAMED.exec(part)
    const address = (named?.[3] ?? part).trim()
    const plausible =
      address.length <= MAX_ADDRESS_CHARS && ADDRESS.test(address) && !address.includes('..')
    if (!plausible) throw wrong(`is not a mail address: ${JSON.stringify(part.slice(0, 80))}`)
    const name = (named?.[1] ?? named?.[2] ?? '').trim()
    return name === '' ? address : `"${name}" <${address}>`
  })
}

/** A comma separates if the quotes after it are complete. */
const splitAtCommas = (text: string): string[] => {
  const parts = ['']
  let quotes = text.split('"').length - 1
  for (const piece of text.split(/([",])/)) {
    if (piece === '"') quotes -= 1
    if (piece === ',' && quotes % 2 === 0) parts.push('')
    else parts.push((parts.pop() ?? '') + piece)
  }
  return parts
}
